import { expect, test } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';
import { webSource } from '../../support/web-source.js';

// Values that the caller chooses are matched against redacted texts, however the stored query passes them on.
const compiler = createCompiler([webSource('struct')]);

function gatherOf(from: string, where: string): string {
  const sql = `with p as (select @x as x), own as (select t.id from \`logs.web\` t${from} where ${where}) select 1`;
  const endpoint = {
    ...{ name: 'web', sql, maxRows: 10 },
    parameters: [{ name: 'x', type: 'string' as const }],
  };
  const text = 'select count(*) as n from own';
  const { steps } = compiler.compile(endpoint, { language: 'sql', text }, { redact: true });
  return steps.map(({ sql: step }) => step).join('\n');
}

test.each([
  ['a match', '', 'starts_with(t.id, @x)'],
  ['a match with a CTE of one row', ' cross join p', 'starts_with(t.id, p.x)'],
  ['a match with a sub-select of one row', ', (select @x as x) q', 'starts_with(t.id, q.x)'],
  ['a match with an element', ', unnest([@x]) x', 'starts_with(t.id, x)'],
  ['a condition of a join', ' join p on starts_with(t.id, p.x)', 'true'],
  ['an order', '', 't.id > @x'],
  ['equality of a part', '', 'substr(t.id, 1, 2) = @x'],
  ['a part in a list', '', "substr(t.id, 1, 2) in (@x, 'a')"],
  ['a part in a sub-select', '', 'substr(t.id, 1, 2) in (select @x)'],
  [
    'a parameter in a sub-select of parts',
    '',
    '@x in (select substr(u.id, 1, 2) from `logs.web` u)',
  ],
  ['a chain of many operators', '', `t.id || @x${" || 'a'".repeat(1000)} > 'b'`],
  ['CASE of a part', '', 'case substr(t.id, 1, 2) when @x then true end'],
])('%s uses the redacted text', (_title, from, where) => {
  expect(gatherOf(from, where)).toContain('redact');
});

test.each([
  ['equality', '', 't.project = @x'],
  ['equality with a CTE of one row', ' cross join p', 't.project = p.x'],
  ['equality in a sub-select', '', 't.project in (select @x)'],
  ['equality in a sub-select of fields', '', '@x in (select u.project from `logs.web` u)'],
  ['CASE', '', 'case t.project when @x then true end'],
  ['a match with a constant', '', "starts_with(t.id, 'a')"],
  [
    'a match of a computed column',
    ', (select upper(id) as u from `logs.web`) q',
    "starts_with(q.u, 'a')",
  ],
  ['the clock', '', 'string(current_timestamp()) > t.id'],
])('%s uses the original text', (_title, from, where) => {
  expect(gatherOf(from, where)).not.toContain('redact');
});
