import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printRefusal } from '../../../support/answers.js';
import { openQueryRunner, type QueryRunner } from '../../../support/run-query.js';

// A gather writes equal rows once if the answer only counts them: the pass `collapse`.
const endpoint = `with web as (
  select t.id, t.timestamp, m.status, m.level, r.path, r.method, t.project
  from \`logs.web\` as t left join unnest(t.metadata) as m left join unnest(m.request) as r
  where t.project = 'one') select id from web`;

const statuses = '[200, 500, 301, 404, 200, 200, 500, null]';

/** Rows of a project that never change, among others that do. */
function rowsWith(others: string): string {
  const row = (project: string, status: string, path: string) => `
    '${project}' as project, ['t'] as tags, {level: case when i % 3 = 0 then 'info' end, status: ${status},
    request: {path: ${path}, method: case when i % 2 = 0 then 'GET' else 'POST' end}} as metadata,
    [{name: 'p', price: 1}] as items`;
  const own = row(
    'one',
    `${statuses}[i % 8 + 1]::bigint`,
    `['/z', '/a@b.io', 'x', '/c'][i % 4 + 1]`,
  );
  const time = "timestamptz '2026-03-01 00:00:00Z' + to_seconds(i::bigint)";
  return `select i::varchar as id, ${time} as timestamp, ${own} from range(400) t(i)
    ${others === '' ? '' : `union all select i::varchar, ${time}, ${row('two', `${others}::bigint`, `(${others})::varchar`)} from range(3000) t(i)`}`;
}

let narrow: QueryRunner;
let wide: QueryRunner;
let alone: QueryRunner;

beforeAll(async () => {
  narrow = await openQueryRunner({ rows: rowsWith('200 + i % 300'), threads: 1 });
  wide = await openQueryRunner({ rows: rowsWith('i * 7919000000'), threads: 1 });
  alone = await openQueryRunner({ rows: rowsWith(''), threads: 1 });
});
afterAll(() => Promise.all([narrow, wide, alone].map((runner) => runner.close())));

/** The text of the gather and of the answer. */
function textsOf(caller: string, redact = false) {
  const { steps = [], sql } = narrow.prepare(endpoint, { caller, redact });
  return { gather: steps.map((step) => step.sql).join('\n'), answer: sql };
}

function isCollapsed(caller: string): boolean {
  return textsOf(caller).gather.includes('count(*)');
}

describe('equal rows are gathered once', () => {
  test.each([
    ['select path, count(*) as n from web group by path order by path'],
    ['select path, count(*) as n from web group by path order by n desc, path limit 2'],
    ['select count(*) as n from web'],
    ["select countif(status >= 500) as n from web where method = 'GET'"],
    [
      'select status > 300 as p, count(status) as n, min(path) as low from web group by p order by p',
    ],
    ['select count(distinct status) as n, logical_or(status = 200) as any_ok from web'],
    ["select path, count(*) as n from web where timestamp > '2026-03-01' group by path order by 1"],
    ['select path, count(*) as n from web group by path'],
    ['select path, count(*) as n from web group by path order by n'],
    ['select path, any_value(status) as n from web group by path order by path'],
  ])('%s', (caller) => {
    expect(isCollapsed(caller)).toBe(true);
  });
});

describe('each row is gathered', () => {
  test.each([
    [
      'of groups that may have equal keys',
      'select path, method, count(*) as n from web group by rollup(path, method) order by 1, 2',
    ],
    [
      'if something may fail',
      'select path, count(div(100, status)) as n from web group by path order by path',
    ],
    [
      'in a CTE',
      'with w as (select path, count(*) as n from web group by path) select sum(n) as n from w',
    ],
    [
      'of a column with another value in each row',
      'select id, count(*) as n from web group by id order by id',
    ],
    ['if a time is read', 'select max(timestamp) as t, path from web group by path order by path'],
    [
      'if many columns are read',
      'select path, method, status, count(level) as n from web group by 1, 2, 3 order by 1, 2, 3',
    ],
    ['without groups', 'select path from web order by path'],
    ['for a sum', 'select path, sum(status) as n from web group by path order by path'],
    ['for an average', 'select path, avg(status) as n from web group by path order by path'],
    [
      'for a list',
      'select path, array_agg(status ignore nulls) as n from web group by path order by path',
    ],
    [
      'for a random value',
      'select path, countif(rand() < 0.5) as n from web group by path order by path',
    ],
    ['for a window', 'select path, count(*) over () as n from web'],
    [
      'for a join',
      'select a.path, count(*) as n from web a join web b on a.path = b.path group by 1',
    ],
    [
      'if it is read twice',
      'select path, count(*) as n from web where path in (select path from web) group by path',
    ],
  ])('%s', (_title, caller) => {
    expect(isCollapsed(caller)).toBe(false);
  });
});

test('rows are equal after redaction', () => {
  const { gather } = textsOf(
    'select path, count(*) as n from web group by path order by path',
    true,
  );
  expect(gather.indexOf('count(*)')).toBeLessThan(gather.indexOf('redact('));
  expect(gather.split('GROUP BY').length - 1).toBe(1);
  expect(gather).toMatch(/AS "redacted"\nGROUP BY 1$/);
});

describe('no row is counted as none', () => {
  test.each([
    [
      "select count(*) as n, countif(status = 1) as m, count(path) as k from web where path = '-'",
      '[{"n":0,"m":0,"k":0}]',
    ],
    ["select count(*) as n from web where timestamp > '2030-01-01'", '[{"n":0}]'],
    ["select path, count(*) as n from web where path = '-' group by path order by 1", '[]'],
    ["select max(status) as n from web where timestamp > '2030-01-01'", '[{"n":null}]'],
    [
      "select 1 as one, count(*) as n from web where timestamp > '2030-01-01' group by one order by 1",
      '[]',
    ],
  ])('%s', async (caller, rows) => {
    expect(isCollapsed(caller)).toBe(true);
    expect(await narrow.runText(endpoint, { caller })).toBe(rows);
  });
});

// The engine groups small numbers in their order, and others in the order of their hashes. Which of the two it does
// depends on all values of the column.
describe('neither order nor errors depend on rows of other projects', () => {
  test.each([
    ['select status, count(*) as n from web group by status'],
    ['select status, count(*) as n from web group by status limit 2'],
    ['select path, count(*) as n from web group by path limit 2'],
    ['select path, count(*) as n from web group by path order by n desc limit 2'],
    ['select path, count(*) as n from web group by path order by n desc, path limit 2'],
    ['select string_agg(path) as s from (select path, count(*) as n from web group by path)'],
    ['select method, countif(status = 200) as n from web group by method order by n'],
    ['select status, max(upper(path)) as p, count(*) as n from web group by status'],
    ['select status, row_number() over () as place from web group by status'],
    ["select concat('a', cast(status as string)) as k, count(*) as n from web group by k"],
    ["select count(cast(concat(cast(status as string), 'x') as int64)) as n from web"],
    [
      'select string_agg(cast(status as string)) as s from (select status, count(*) as n from web group by status)',
    ],
    ['select path, count(div(100, status - 200)) as n from web group by path having count(*) > 1'],
  ])('%s', async (caller) => {
    const ask = (runner: QueryRunner) =>
      runner.runText(endpoint, { caller, mayQuoteValues: true }).catch(printRefusal);
    expect(await ask(narrow)).toBe(await ask(wide));
    expect(await ask(narrow)).toBe(await ask(alone));
  });
});

// A random condition that is always true prevents that equal rows are gathered once.
describe('the answer is that of all rows', () => {
  test.each([
    ['select count(*) as n, min(path) as low from web where X'],
    [
      'select method, count(*) as n from web where X group by method having n > 1 order by 1 limit 1',
    ],
    ['select path as n, count(*) as path from web where X group by 1 order by path, n'],
    [
      'select status, status as again, 1 as one, count(*) as n from web where X group by 1, 2, 3 order by 1, 2, 3',
    ],
    ['select level, count(path) as n from web where X group by level order by n desc, level desc'],
    [
      "select path like '/%' as p, count(distinct status) as n from web where X group by p order by p",
    ],
    ['from web |> where X |> aggregate count(*) as n group by method |> order by n desc, method'],
  ])('%s', async (text) => {
    const once = text.replace('X', 'true');
    const each = text.replace('X', 'rand() < 2');
    expect([isCollapsed(once), isCollapsed(each)]).toEqual([true, false]);
    const ask = (caller: string) => narrow.runText(endpoint, { caller });
    expect(await ask(once)).toBe(await ask(each));
  });
});
