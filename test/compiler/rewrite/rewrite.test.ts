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
      ({ title, text }) => [title, text.replaceAll(/#\d+/g, '').replaceAll(/\s+/g, ' ')] as const,
    );
}

const web = 'FROM logs.web(id, timestamp, project, tags, metadata, items)';

test.each([
  [
    'drop unread CTEs',
    'select id from (with a as (select id from `logs.web`), b as (select 1 as x from a) select id from a)',
    `SELECT id AS id STRING FROM ( WITH a AS ( SELECT id AS id STRING ${web} ) SELECT id AS id STRING FROM a(id) )(id)`,
  ],
  [
    'fold constants',
    "select if(@project = 'p', id, project) as x from `logs.web`",
    `SELECT id AS x STRING ${web}`,
  ],
  [
    'drop conditions on the only project',
    "select id from `logs.web` where project = @project and id > 'a'",
    `SELECT id AS id STRING ${web} WHERE (id > "a")`,
  ],
  [
    'inherit order',
    'select id from (select id from `logs.web` order by id limit 5)',
    `SELECT id AS id STRING FROM ( SELECT id AS id STRING ${web} ORDER BY id LIMIT 5 )(id) ORDER BY id`,
  ],
  [
    'drop useless order',
    'select count(*) as n from (select id from `logs.web` order by id)',
    `SELECT AS n INT64 FROM ( SELECT id AS id STRING ${web} )(id) GROUP BY () AGGREGATE COUNT_STAR() AS `,
  ],
])('%s', (name, sql, expected) => {
  expect(rewritesOf(sql)).toEqual([[name, expected]]);
});

test('one-row queries are inlined, and then dropped', () => {
  const sql = "with p as (select 'a' as x) select id from `logs.web` t, p where t.id > p.x";
  const body = `SELECT id AS id STRING ${web} CROSS JOIN (one row) WHERE (id > "a")`;
  expect(rewritesOf(sql)).toEqual([
    ['inline one-row queries', `WITH p AS ( SELECT "a" AS x STRING ) ${body}`],
    ['drop unread CTEs', body],
  ]);
});

test('a one-row query on the side of a join that may have no match is not inlined', () => {
  const sql = "select x from `logs.web` t left join (select 'a' as x) p on t.id = p.x";
  expect(rewritesOf(sql)).toEqual([]);
});
