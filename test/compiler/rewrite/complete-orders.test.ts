import { expect, test } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';
import { webSource } from '../../support/web-source.js';

const compiler = createCompiler([webSource('struct')]);

/** A query after the rewrite, without the ids of its columns. */
function completed(sql: string): string {
  const query = { name: 'web', sql, maxRows: 10, parameters: [] };
  const stages = compiler.explain(query).stages.filter(({ title }) => title === 'complete orders');
  return stages.map(({ text }) => text.replaceAll(/#\d+/g, '').replaceAll(/\s+/g, ' ')).join();
}

test.each([
  ['select id from `logs.web` order by timestamp limit 3', 'ORDER BY timestamp, id LIMIT 3'],
  [
    'select project from `logs.web` order by timestamp desc limit 3',
    'ORDER BY timestamp DESC, id, project LIMIT 3',
  ],
  ['select project from `logs.web`', 'ORDER BY timestamp, id, project'],
  ['select distinct project from `logs.web` limit 2', 'ORDER BY project LIMIT 2'],
  ['select project, count(*) as n from `logs.web` group by 1 order by 2', 'ORDER BY n, project'],
  ['select id from `logs.web` union all select project from `logs.web`', 'ORDER BY id'],
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
