import { expect, test } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';
import { webSource } from '../../support/web-source.js';

const compiler = createCompiler([webSource('struct')]);

/** A query after the rewrite; columns of tables without the tables. */
function completed(sql: string): string {
  const query = { name: 'web', sql, maxRows: 10, parameters: [] };
  const stages = compiler.explain(query).stages.filter(({ title }) => title === 'complete orders');
  return stages
    .map(({ text }) => text.replaceAll(/\bt\d+\.|`/g, '').replaceAll(/\s+/g, ' '))
    .join();
}

test.each([
  [
    'select id from `logs.web` order by timestamp limit 3',
    'SELECT id AS c7 FROM logs.web AS t1 ORDER BY timestamp, c7 LIMIT 3',
  ],
  [
    'select project from `logs.web` order by timestamp desc limit 3',
    'SELECT project AS c7 FROM logs.web AS t1 ORDER BY timestamp DESC, id, c7 LIMIT 3',
  ],
  [
    "select id from `logs.web` order by length(id), 'constant' limit 3",
    'SELECT id AS c7 FROM logs.web AS t1 ORDER BY LENGTH(id), c7 LIMIT 3',
  ],
  [
    'select project from `logs.web`',
    'SELECT project AS c7 FROM logs.web AS t1 ORDER BY timestamp, id, c7',
  ],
  [
    'select distinct project from `logs.web` limit 2',
    'SELECT DISTINCT project AS c7 FROM logs.web AS t1 ORDER BY c7 LIMIT 2',
  ],
  [
    'select project, count(*) as n from `logs.web` group by 1 order by 2',
    'SELECT c8 AS c9, c7 AS c10 FROM ( SELECT project AS c8, COUNT(*) AS c7 FROM logs.web AS t1 GROUP BY 1 ) AS t2 ORDER BY c10, c9',
  ],
  [
    'select id from `logs.web` union all select project from `logs.web`',
    'UNION ALL ( SELECT project AS c14 FROM logs.web AS t2 ) ORDER BY c7',
  ],
  [
    'select id, row_number() over (order by timestamp) as n from `logs.web` order by id',
    'ROW_NUMBER() OVER (ORDER BY timestamp, id)',
  ],
  [
    'select id, row_number() over (partition by project) as n from `logs.web` order by id',
    'OVER (PARTITION BY project ORDER BY timestamp, id)',
  ],
  ...['count(*)', 'max(project)', 'sum(length(project))'].map((call) => [
    `select id, ${call} over (order by timestamp rows 2 preceding) as n from \`logs.web\` order by id`,
    'OVER (ORDER BY timestamp, id',
  ]),
  [
    'select id, any_value(project) over (order by timestamp rows 2 preceding) as n from `logs.web` order by id',
    'ANY_VALUE(project ORDER BY project) OVER (ORDER BY timestamp, id, project ROWS',
  ],
  [
    'select any_value(project) as a, array_agg(project) as b from `logs.web`',
    'ARRAY_AGG(project ORDER BY timestamp, id, project)',
  ],
])('%s', (sql, order) => {
  expect(completed(sql)).toContain(order);
});

test.each([
  ['one row', 'select count(*) as n from `logs.web`'],
  ['arrays that the query writes', 'select x from unnest([3, 1, 2]) as x'],
  [
    'a frame of values',
    'select id, count(*) over (order by timestamp) as n from `logs.web` order by id, n',
  ],
  ['a rank', 'select distinct rank() over (order by project) as n from `logs.web` order by n'],
])('%s: as it is', (_, sql) => {
  expect(completed(sql)).toBe('');
});
