import { expect, test } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';
import { webSource } from '../../support/web-source.js';

// The engine compiles the patterns of a call in a lambda again for every 2,048 rows.
const compiler = createCompiler([webSource('struct')]);
const sql =
  'with own as (select t.*, concat(t.id, "") as a, concat(t.id, "") as b, concat(t.id, "") as c from `logs.web` t) select 1';

function gatherOf(text: string): string {
  const endpoint = { ...{ name: 'web', sql, maxRows: 10 }, parameters: [] };
  const { steps } = compiler.compile(endpoint, { language: 'sql', text }, { redact: true });
  return steps.map(({ sql: step }) => step).join('\n');
}

test.each([
  [
    'each text of many rows has a call of its own',
    "select count(*) as n from own where id like 'a%' or project = 'b'",
    2,
    false,
  ],
  [
    'the texts of a few rows share one call',
    'select id, project from own order by timestamp limit 9',
    1,
    true,
  ],
  ['many texts share one call', 'select id, project, a, b, c from own', 1, true],
])('%s', (_title, text, calls, isList) => {
  const gather = gatherOf(text);
  expect(gather.split('bq.redact(').length - 1).toBe(calls);
  expect(gather.includes('lambda')).toBe(isList);
});

test('a stored query redacts the keys of ties only where there may be ties', () => {
  const text = 'select id, project from `logs.web` order by timestamp limit 9';
  const endpoint = { name: 'web', sql: text, maxRows: 10, parameters: [] };
  const { sql: statement } = compiler.compile(endpoint, undefined, { redact: true });
  const keys = statement.slice(statement.indexOf('ORDER BY "t1"."timestamp" ASC, CASE WHEN'));
  expect(keys).toContain('bq.may_hold_address(');
  expect(keys.split('lambda "text": bq.redact').length - 1).toBe(2);
});
