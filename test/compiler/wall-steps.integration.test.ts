import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  openQueryRunner,
  openQueryRunnerOverParts,
  type QueryRunner,
} from '../support/run-query.js';
import { gathered } from '../support/wall-endpoints.js';

// A gather applies parts of a caller's query: columns, fields, time windows, the newest n rows.
// Wide columns are fetched only for the rows in the answer.
let whole: QueryRunner;
let parts: QueryRunner;

beforeAll(async () => {
  whole = await openQueryRunner();
  parts = await openQueryRunnerOverParts();
});
afterAll(() => Promise.all([whole.close(), parts.close()]));

/** The plans of the steps and of the answer, without whitespace. */
async function plansOf(text: string): Promise<readonly string[]> {
  const { steps = [], ...statement } = whole.prepare(gathered, { caller: text });
  const plans: string[] = [];
  for (const [index, step] of steps.entries()) {
    const before = steps.slice(0, index);
    plans.push(await whole.engine.explainPlan({ ...statement, ...step, steps: before }));
  }
  // The text of each plan begins with the plans of the steps before it.
  return plans.map((plan, index) => {
    const earlier = plans[index - 1];
    return (earlier === undefined ? plan : plan.slice(earlier.length)).replaceAll(/[│\s]+/g, '');
  });
}

function stepsOf(text: string) {
  return whole.prepare(gathered, { caller: text }).steps ?? [];
}

/** The columns of the table that the answer reads. */
function gatheredBy(text: string): readonly string[] {
  const { sql = '' } = stepsOf(text).at(-1) ?? {};
  const select = sql.split('\n').findLast((line) => line.startsWith('SELECT')) ?? '';
  return [...select.matchAll(/ AS "([^"]*)"/g)].map(([, name = '']) => name);
}

async function idsOf(caller: string, runner: QueryRunner): Promise<string> {
  const rows = await runner.run(gathered, { caller });
  return rows.map(({ id }) => id).join(' ');
}

const since = "timestamp > timestamp '2026-03-01 01:00:00Z'";

describe('the gather is the top-N of', () => {
  test.each([
    ['the newest', 'select * from web order by timestamp desc limit 10', 10],
    ['the newest, unordered', 'select id from web limit 10', 10],
    ['an offset', 'select id from web order by timestamp desc limit 10 offset 5', 15],
    ['no limit', 'select id from web order by timestamp desc', 1_001],
    ['no limit and no order', 'select id from web', 1_001],
    ['the oldest', 'select id from web order by timestamp limit 3', 3],
    ['a time window', `select id from web where ${since} order by timestamp desc limit 4`, 4],
    ['an alias of the time', 'select timestamp as t, id from web order by t desc limit 7', 7],
    ['computed columns', 'select upper(id) as u, timestamp from web order by timestamp limit 2', 2],
  ])('%s', async (_title, sql, rows) => {
    const [plan, ...others] = await plansOf(sql);
    expect(plan).toMatch(new RegExp(`Top:${rows}(?!\\d)`));
    expect(others).toEqual([]);
  });
});

describe('the gather is no top-N of', () => {
  test.each([
    ['a condition', "select timestamp from web where id = 'a' order by timestamp desc limit 10"],
    ['a condition beside a window', `select id from web where ${since} and id > '' limit 10`],
    ['groups', 'select id, count(*) as n from web group by id order by id limit 10'],
    ['an aggregate', 'select max(timestamp) as n from web limit 10'],
    ['distinct rows', 'select distinct id, timestamp from web order by timestamp desc limit 10'],
    ['a window function', 'select id, row_number() over (order by id) as n from web limit 10'],
    ['QUALIFY', 'select id from web qualify row_number() over (order by id) = 1 limit 10'],
    ['a join', 'select a.id from web a join web b on a.id = b.id order by a.timestamp limit 10'],
    ['another order', 'select id from web order by id limit 10'],
    ['a changed time', 'select id from web order by timestamp_trunc(timestamp, day), id limit 10'],
    [
      'another column under its name',
      'select id as timestamp from web order by timestamp limit 10',
    ],
    ['a set operation', 'select id from web union all select id from web limit 10'],
  ])('%s', (_title, sql) => {
    const [{ sql: gather = '' } = {}] = stepsOf(sql);
    expect(gather).not.toMatch(/LIMIT|ORDER/);
  });
});

describe('the gather has the time window of', () => {
  test.each([
    ['a comparison', since, "timestamp>'2026-03-01 01:00:00+00'"],
    [
      'a comparison with the constant on the left',
      "timestamp '2026-03-01 01:00:00Z' <= timestamp",
      "timestamp>='2026-03-01 01",
    ],
    [
      'BETWEEN',
      "timestamp between timestamp '2026-03-01' and timestamp '2026-03-02'",
      "timestamp<='2026",
    ],
    [
      'the current time',
      'timestamp >= timestamp_sub(current_timestamp(), interval 9 day)',
      "timestamp>='2026-03-01 12",
    ],
    [
      'a timestamp of a text',
      "timestamp > timestamp('2026-03-01T01:00:00Z')",
      "timestamp>'2026-03-01 01",
    ],
    ['a cast', "timestamp > cast('2026-03-01T01:00:00Z' as timestamp)", "timestamp>'2026-03-01 01"],
    [
      'a timestamp from microseconds',
      'timestamp > timestamp_micros(1772326800000000)',
      "timestamp>'2026-03-01 01",
    ],
    [
      'a comparison among other conditions',
      `id = 'a' and ${since}`,
      "timestamp>'2026-03-01 01:00:00+00'",
    ],
  ])('%s', async (_title, where, window) => {
    const [plan] = await plansOf(`select count(*) as n from web where ${where}`);
    expect(plan).toContain(window.replaceAll(' ', ''));
  });

  test('two reads, combined with OR', async () => {
    const until = "timestamp < timestamp '2026-03-01 00:30:00Z'";
    const either = `select (select count(*) from web where ${since}) + (select count(*) from web where ${until}) as n`;
    const [{ sql = '' } = {}] = stepsOf(either);
    expect(sql).toMatch(/> .*2026-03-01 01:00.* OR .*< .*2026-03-01 00:30/s);
    expect(stepsOf(`${either} from web`)[0]?.sql).not.toContain('2026-03-01');
  });

  test('the query, but no condition that could fail', () => {
    const [{ sql = '' } = {}] = stepsOf(
      `select id from web where ${since} and cast(id as int64) = 1 and timestamp > cast(id as timestamp)`,
    );
    expect(sql).not.toMatch(/string_to|BIGINT\)/);
  });
});

describe('the columns gathered for', () => {
  test.each([
    ['a count', 'select count(*) as n from web', ['one']],
    ['a column', 'select max(id) as m from web', ['id']],
    ['a column twice', 'select max(id) as m, min(id) as n from web', ['id']],
    [
      'a field of a record',
      'select max(m.level) as h from web cross join unnest(metadata) as m',
      ['metadata is set', 'metadata.level'],
    ],
    [
      'a test of whether a record exists',
      'select count(*) as n from web cross join unnest(metadata) as m',
      ['metadata is set'],
    ],
    [
      'a field through a sub-select',
      'select max(m.level) as h from (select * from web) as t cross join unnest(t.metadata) as m',
      ['metadata is set', 'metadata.level'],
    ],
    [
      'a field through a CTE',
      'with t as (select * from web) select max(m.level) as h from t cross join unnest(t.metadata) as m',
      ['metadata is set', 'metadata.level'],
    ],
    ['a list', 'select max(i.name) as n from web cross join unnest(items) as i', ['items']],
    ['a time window', `select max(id) as m from web where ${since}`, ['id']],
    [
      'a time window besides a list',
      `select max(id) as m from web left join unnest(items) as i on true where ${since}`,
      ['items', 'id'],
    ],
    [
      'a time window that might fail',
      'select max(id) as m from web where timestamp > timestamp_sub(current_timestamp(), interval 9 day)',
      ['timestamp', 'id'],
    ],
    [
      'a time window of one of two reads',
      `select max(id) as m from web where ${since} and id in (select id from web)`,
      ['timestamp', 'id'],
    ],
    [
      'a time window after an outer join',
      `select max(id) as m from unnest([1]) as n left join web on true where ${since}`,
      ['timestamp', 'id'],
    ],
  ])('%s', (_title, sql, columns) => {
    expect(gatheredBy(sql)).toEqual(columns);
  });
});

const lateSteps = ['searched/web', 'found/web', 'gathered/web'];

describe('wide columns are fetched late for', () => {
  test.each([
    ['a condition', "select id, metadata from web where project <> 'x' limit 3", 'e d c'],
    ['an offset', 'select id from web where timestamp is not null limit 2 offset 1', 'd c'],
    [
      'rows that have a record',
      'select id, m.level from web cross join unnest(metadata) as m order by timestamp limit 4',
      'a b c e',
    ],
    [
      'rows with a list of records',
      'select id, i.name from web, unnest(items) as i order by timestamp, i.price desc limit 2',
      'a a',
    ],
    [
      'another order',
      'select id, metadata from web order by project, timestamp desc limit 4',
      'c b a e',
    ],
    [
      'a key that is an item',
      'select id, metadata, upper(project) p from web order by p, timestamp limit 1',
      'a',
    ],
  ])('%s', async (_title, sql, ids) => {
    expect(stepsOf(sql).map(({ table }) => table)).toEqual(lateSteps);
    for (const runner of [whole, parts]) expect(await idsOf(sql, runner)).toBe(ids);
  });
});

test('rows come in the order of their table, else in that of time, however they are stored', async () => {
  const unordered = "select id from web where project <> 'x'";
  for (const runner of [whole, parts]) {
    expect(await idsOf(unordered, runner)).toBe('e d c b a');
    // ORDER BY a constant has no effect, but replaces the order of the table.
    expect(await idsOf(`${unordered} order by 'constant'`, runner)).toBe('a b c d e');
  }
});

test('a search evaluates no sub-select that has no row to be evaluated for', async () => {
  const sql = "select id, metadata from web where id = 'zz' and (select 1 / 0) = 1 limit 3";
  expect(stepsOf(sql).map(({ table }) => table)).toEqual(lateSteps);
  for (const runner of [whole, parts]) expect(await idsOf(sql, runner)).toBe('');
});

describe('no columns are fetched late for', () => {
  test.each([
    ['a random condition', 'select id, metadata from web where rand() >= 0 limit 3'],
    ['a second read', 'select id, metadata from web where id in (select id from web) limit 3'],
    [
      'a join',
      'select a.id, a.metadata from web a join web b on a.timestamp = b.timestamp limit 3',
    ],
    ['groups', "select id, any_value(project) as m from web where id <> 'x' group by id limit 3"],
  ])('%s', (_title, sql) => {
    expect(stepsOf(sql).map(({ table }) => table)).toEqual(['gathered/web']);
  });
});

describe('a CTE whose rows are fetched late', () => {
  const rows = async (endpoint: string, caller: string, runner: QueryRunner) => {
    const found = await runner.run(`${endpoint} select 1`, { caller });
    const { steps = [] } = runner.prepare(`${endpoint} select 1`, { caller });
    return { steps: steps.map(({ table }) => table), ids: found.map(({ id }) => id) };
  };

  test('can be joined with a CTE that is read in place', async () => {
    const both =
      'with web as (select * from `logs.web` where project is not null), all_web as (select * from `logs.web`)';
    const sql =
      "select id, metadata from web where project <> 'x' and id in (select id from all_web)";
    for (const runner of [whole, parts]) {
      const { steps, ids } = await rows(both, sql, runner);
      expect(steps).toEqual(lateSteps);
      expect(ids.sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    }
  });

  test('can read another CTE', async () => {
    const filtered =
      "with others as (select id from `logs.web` where id <> 'c'), web as (select * from `logs.web` where id in (select id from others))";
    for (const runner of [whole, parts]) {
      const { steps, ids } = await rows(
        filtered,
        "select id, metadata from web where project <> 'x'",
        runner,
      );
      expect(steps).toEqual(lateSteps);
      expect(ids.sort()).toEqual(['a', 'b', 'd', 'e']);
    }
  });

  test.each([
    [
      'has a window function',
      'select *, row_number() over (order by timestamp) as n from `logs.web` where id is not null',
    ],
    ['is random', 'select *, rand() as n from `logs.web` where project is not null'],
  ])('is not one that %s', async (_title, cte) => {
    for (const runner of [whole, parts]) {
      const sql = "select id, n, metadata from web where project <> 'x' and n is not null";
      const { steps, ids } = await rows(`with web as (${cte})`, sql, runner);
      expect(steps).toEqual(['gathered/web']);
      expect(ids.sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    }
  });
});
