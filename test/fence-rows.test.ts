import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bindStatement } from '../src/endpoint/bind-statement.js';
import type { DuckDbEngine } from '../src/engine/duckdb-engine.js';
import {
  type Compiler,
  createCompiler,
  type SandboxQuery,
  type StoredQuery,
} from '../src/query/compile.js';
import { printRefusal, printRows } from './support/answers.js';
import { randomQuery } from './support/random-query.js';
import { diceOf } from './support/random-scope.js';
import { openWebEngine, openWebParts, webSource } from './support/web-source.js';

// A fence changes no answer, lets a time window through to the scan, and is the top-N itself where
// nothing else is asked of the rows.
const maxRows = 1_000;
const stored = (sql: string): StoredQuery => ({ name: 'web', sql, maxRows, parameters: [] });
const over = stored(
  'with web as (select * from `logs.web` order by timestamp desc) select id from web',
);

interface Side {
  readonly compiler: Compiler;
  readonly engine: DuckDbEngine;
}

const whole = { compiler: createCompiler([webSource('struct')]) };
let engine: DuckDbEngine;
let parts: Side;

beforeAll(async () => {
  engine = await openWebEngine('struct');
  const opened = await openWebParts();
  parts = { engine: opened.engine, compiler: createCompiler([opened.source]) };
});
afterAll(() => Promise.all([engine.close(), parts.engine.close()]));

function statementOf(
  endpoint: StoredQuery,
  sandbox?: SandboxQuery,
  { compiler }: Pick<Side, 'compiler'> = whole,
) {
  const query = compiler.compile(endpoint, sandbox);
  return bindStatement(query, {}, { maxRows, now: '2026-03-10T12:00:00.000000+00:00' });
}

/** The rows in an order of ours, or the refusal. */
async function answer(
  endpoint: StoredQuery,
  sandbox?: SandboxQuery,
  side: Side = { ...whole, engine },
): Promise<string> {
  try {
    const { signal } = new AbortController();
    const { json } = await side.engine.run(statementOf(endpoint, sandbox, side), { signal });
    return printRows(json);
  } catch (error) {
    return printRefusal(error).replace(/ at \[\d+:\d+\]$/, '');
  }
}

test('300 random queries answer the same rows with fences as without, in one part or in three', async () => {
  const dice = diceOf(20_260);
  const wrong: string[] = [];
  let [withRows, asked] = [0, 0];
  while (asked < 300) {
    const sql = randomQuery(dice);
    const text = sql.replaceAll('`logs.web`', 'web');
    const caller = { language: 'sql', text } as const;
    const [one, other] = [await answer(stored(sql)), await answer(over, caller)];
    // What only callers may not do, such as seven levels of sub-selects, is no query to compare.
    if (other.startsWith('resourcesExceeded')) continue;
    asked++;
    if (one.startsWith('rows: {')) withRows++;
    const inParts = await answer(over, caller, parts);
    if (one !== other || one !== inParts)
      wrong.push(`${sql}\n  stored ${one}\n  caller ${other}\n  parts  ${inParts}`);
  }
  wrong.sort((a, b) => a.length - b.length);
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(withRows).toBeGreaterThan(120);
}, 60_000);

async function planOf(text: string): Promise<string> {
  const plan = await engine.explainPlan(statementOf(over, { language: 'sql', text }));
  return plan.replaceAll(/[│\s]+/g, ' ');
}

/** The plan's operators from below: what the scan's rows meet first. */
async function firstOver(text: string): Promise<string> {
  const operators = (await planOf(text)).match(
    /TOP_N|STREAMING_LIMIT|LIMIT|ORDER_BY|FILTER|HASH_GROUP_BY|UNGROUPED_AGGREGATE|WINDOW/g,
  );
  return operators?.at(-1) ?? 'none';
}

/** What the plan does below the fence's LIMIT, without blanks. */
async function scanOf(text: string): Promise<string> {
  return (await planOf(text)).split('LIMIT').at(-1)?.replaceAll(' ', '') ?? '';
}

const cutsNothing = '9000000000000000000';
const since = "timestamp > timestamp '2026-03-01 01:00:00Z'";

describe('the fence is the top-N of', () => {
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
    const plan = await planOf(sql);
    expect(plan).toContain(`TOP_N`);
    expect(plan).toMatch(new RegExp(`Top: ${rows}\\b`));
    expect(await firstOver(sql)).toBe('TOP_N');
  });
});

describe('how often the order is asked:', () => {
  const safe = "timestamp > timestamp '2026-03-01 00:00:00Z'";
  const mayFail = "timestamp > timestamp_sub(timestamp '2026-03-02 00:00:00Z', interval 1 day)";
  const counted = '(select count(*) from web b where b.id >= a.id) as n';

  test.each([
    ['once, inside', 'select id from web order by timestamp desc limit 3', 1, 'e d c'],
    ['once, of a time window', `select id, timestamp from web where ${safe} limit 3`, 1, 'e d c'],
    ['again, after an offset', 'select id from web limit 3 offset 1', 2, 'd c b'],
    ['again, over a sub-select', `select id, ${counted} from web a limit 3`, 2, 'e d c'],
    [
      'again, over what is one in the engine',
      "select id, json_keys(json '{}') from web limit 3",
      2,
      'e d c',
    ],
    ['again, over what may fail', `select id from web where ${mayFail} limit 3`, 2, 'e d c'],
  ])('%s', async (_title, sql, times, ids) => {
    const { signal } = new AbortController();
    for (const side of [{ ...whole, engine }, parts]) {
      const statement = statementOf(over, { language: 'sql', text: sql }, side);
      const { json } = await side.engine.run(statement, { signal });
      const rows = JSON.parse(Buffer.from(json).toString()) as readonly { readonly id: string }[];
      expect(rows.map(({ id }) => id).join(' ')).toBe(ids);
    }
    const asked = statementOf(over, { language: 'sql', text: sql }).sql.split('ORDER BY');
    expect(asked.length - 1).toBe(times);
  });
});

describe('the fence is no top-N of', () => {
  test.each([
    ['a condition', "select id from web where id = 'a' order by timestamp desc limit 10"],
    ['a condition beside a window', `select id from web where ${since} and id > '' limit 10`],
    ['groups', 'select id, count(*) as n from web group by id order by id limit 10'],
    ['an aggregate', 'select max(timestamp) as n from web limit 10'],
    ['distinct rows', 'select distinct id, timestamp from web order by timestamp desc limit 10'],
    ['a window function', 'select id, row_number() over (order by id) as n from web limit 10'],
    ['QUALIFY', 'select id from web qualify row_number() over (order by id) = 1 limit 10'],
    ['a join', 'select a.id from web a join web b on a.id = b.id order by a.timestamp limit 10'],
    ['a list of records', 'select i.name from web, unnest(items) as i limit 10'],
    ['another order', 'select id from web order by id limit 10'],
    ['a second key', 'select id from web order by timestamp desc, id limit 10'],
    ['a changed time', 'select id from web order by timestamp_trunc(timestamp, day) limit 10'],
    ['another thing under its name', 'select id as timestamp from web order by timestamp limit 10'],
    ['a set operation', 'select id from web union all select id from web limit 10'],
  ])('%s', async (_title, sql) => {
    // The fence's LIMIT, which cuts nothing, stands over the scan.
    expect(statementOf(over, { language: 'sql', text: sql }).sql).toContain(cutsNothing);
    expect(await firstOver(sql)).toMatch(/^(STREAMING_)?LIMIT$/);
  });
});

describe('the scan has the time window of', () => {
  test.each([
    ['a comparison', since, "timestamp>'2026-03-01 01:00:00+00'"],
    [
      'one turned round',
      "timestamp '2026-03-01 01:00:00Z' <= timestamp",
      "timestamp>='2026-03-01 01",
    ],
    [
      'BETWEEN',
      "timestamp between timestamp '2026-03-01' and timestamp '2026-03-02'",
      "timestamp<='2026",
    ],
    [
      'a clock',
      'timestamp >= timestamp_sub(current_timestamp(), interval 9 day)',
      "timestamp>='2026-03-01 12",
    ],
    [
      'a timestamp of a text',
      "timestamp > timestamp('2026-03-01T01:00:00Z')",
      "timestamp>'2026-03-01 01",
    ],
    ['a cast', "timestamp > cast('2026-03-01T01:00:00Z' as timestamp)", "timestamp>'2026-03-01 01"],
    ['micros', 'timestamp > timestamp_micros(1772326800000000)', "timestamp>'2026-03-01 01"],
    ['one beside other conditions', `id = 'a' and ${since}`, "timestamp>'2026-03-01 01:00:00+00'"],
  ])('%s', async (_title, where, window) => {
    const scan = await scanOf(`select count(*) as n from web where ${where}`);
    expect(scan).toContain(window.replaceAll(' ', ''));
  });

  test('no condition that could fail', async () => {
    const scan = await scanOf(
      `select id from web where ${since} and cast(id as int64) = 1 and timestamp > cast(id as timestamp)`,
    );
    expect(scan).not.toMatch(/CAST|FILTER|string_to/);
  });
});

describe('a time window that was asked inside the fence', () => {
  const until = "'2026-03-02 00:00:00Z'";

  test.each([
    ['is asked once', `select id from web where timestamp < ${until} and id > ''`, 1],
    ['alone', `select count(*) as n from web where timestamp < ${until}`, 1],
    [
      'below a list of records',
      `select i.name from web cross join unnest(items) as i where timestamp < ${until}`,
      1,
    ],
    [
      'below a list that may be empty',
      `select i.name from web left join unnest(items) as i where timestamp < ${until}`,
      1,
    ],
    // An outer join makes rows that the fence has not seen.
    [
      'is asked again over a join',
      `select a.id from web as a left join web as b on a.id = b.id and b.id > 'b'
        where b.timestamp < ${until} and a.timestamp < ${until}`,
      4,
    ],
    // What may fail is NULL inside, and fails outside.
    [
      'is asked again where it may fail',
      `select id from web where id > '' and timestamp < timestamp_add(timestamp ${until}, interval 1 day)`,
      3,
    ],
  ])('%s', async (_title, sql, times) => {
    const caller = statementOf(over, { language: 'sql', text: sql });
    expect(caller.sql.split('2026-03-02').length - 1).toBe(times);
    const without = sql.replaceAll('web', '`logs.web`');
    expect(await answer(over, { language: 'sql', text: sql })).toBe(await answer(stored(without)));
  });
});
