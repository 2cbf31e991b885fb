import { expect, test } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';
import { webSource } from '../../support/web-source.js';

const source = { ...webSource('struct'), projectPath: ['project'], onlyProject: 'p' };
const compiler = createCompiler([source]);
const known = new Map([['project', { isNull: false, text: 'p' }]]);

/** The name and result of each rewrite that changed a query, in order; complete-orders.test.ts tests the last one. */
function rewritesOf(sql: string) {
  const parameters = [{ name: 'project', type: 'string' }] as const;
  const query = { name: 'web', sql, maxRows: 10, parameters };
  return compiler
    .explain(query, undefined, { redact: false, known })
    .stages.filter(({ name, title }) => name === 'rewrite' && title !== 'complete orders')
    .map(
      ({ title, text }) =>
        [title, text.replaceAll(/`|(?<=\b[ct])\d+/g, '').replaceAll(/\s+/g, ' ')] as const,
    );
}

const web = 'FROM logs.web AS t';

test.each([
  [
    'drop unread CTEs',
    'select id from (with a as (select id from `logs.web`), b as (select 1 as x from a) select id from a)',
    `SELECT t.c AS c FROM ( WITH a AS ( SELECT t.id AS c ${web} ) SELECT t.c AS c FROM a AS t ) AS t`,
  ],
  [
    'fold constants',
    "select if(@project = 'p', id, project) as x from `logs.web`",
    `SELECT t.id AS c ${web}`,
  ],
  [
    'inherit order',
    'select id from (select id from `logs.web` order by id limit 5)',
    `SELECT t.c AS c FROM ( SELECT t.id AS c ${web} ORDER BY c LIMIT 5 ) AS t ORDER BY t.c`,
  ],
  [
    'drop useless order',
    'select count(*) as n from (select id from `logs.web` order by id)',
    `SELECT t.c AS c FROM ( SELECT COUNT(*) AS c FROM ( SELECT t.id AS c ${web} ) AS t ) AS t`,
  ],
])('%s', (name, sql, expected) => {
  expect(rewritesOf(sql)).toEqual([[name, expected]]);
});

test('one-row queries are inlined, and then dropped', () => {
  const sql = "with p as (select 'a' as x) select id from `logs.web` t, p where t.id > p.x";
  const body = `SELECT t.id AS c ${web} WHERE t.id > CAST('a' AS STRING)`;
  expect(rewritesOf(sql)).toEqual([
    ['inline one-row queries', `WITH p AS ( SELECT 'a' AS c ) ${body}`],
    ['drop unread CTEs', body],
  ]);
});

test('a one-row query on the side of a join that may have no match is not inlined', () => {
  const sql = "select x from `logs.web` t left join (select 'a' as x) p on t.id = p.x";
  expect(rewritesOf(sql)).toEqual([]);
});
