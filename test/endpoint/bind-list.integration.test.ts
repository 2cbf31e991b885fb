import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StoredQuery } from '../../src/compiler/compile.js';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';

let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner();
});
afterAll(() => runner.close());

const list = (name: string, type: StoredQuery['parameters'][number]['type']) =>
  ({ name, type, isList: true }) as const;

const parameters = [
  ...[list('names', 'string'), list('none', 'string'), list('ids', 'integer')],
  ...[list('numbers', 'number'), list('days', 'date'), list('times', 'timestamp')],
  list('flags', 'boolean'),
];

const bindings = {
  names: '["a","x,y","\\"\\\\\\n\\u0000é"]',
  none: null,
  ids: '["9007199254740993","-5","5"]',
  numbers: '["+.5","1e3","007"]',
  days: '["2026-03-10"]',
  times: '["2026-03-10T12:00:00.123456+00:00"]',
  flags: '["true","false"]',
};

/** An expression, and BigQuery's value as JSON. */
const cases: readonly (readonly [string, string])[] = [
  ['@names', '["a","x,y","\\"\\\\\\n\\u0000é"]'],
  ["'x,y' in unnest(@names)", 'true'],
  ["'x' in unnest(@names)", 'false'],
  ["'x' not in unnest(@names)", 'true'],
  ["'x' in unnest(@none)", 'false'],
  ["'x' not in unnest(@none)", 'true'],
  ['cast(null as string) in unnest(@names)', 'null'],
  ['cast(null as string) in unnest(@none)', 'false'],
  ['array_length(@names)', '3'],
  ['array_length(@none)', 'null'],
  ['@none is null', 'true'],
  ['@names is null', 'false'],
  ['@none', 'null'],
  ['@ids', '[9007199254740993,-5,5]'],
  ['@ids[offset(0)] + 1', '9007199254740994'],
  ['@ids[safe_offset(7)]', 'null'],
  ['9007199254740993 in unnest(@ids)', 'true'],
  ["'2026-03-10' in unnest(@days)", 'true'],
  ['5 in unnest([@ids[offset(2)]])', 'true'],
  ['array_to_string(@names, "|")', '"a|x,y|\\"\\\\\\n\\u0000é"'],
  ['(select sum(n) from unnest(@ids) as n where n < 10)', '0'],
  ['(select max(i) from unnest(@names) as n with offset as i)', '2'],
  ['array_concat(@ids, [1])', '[9007199254740993,-5,5,1]'],
  ['@numbers', '[0.5,1000.0,7.0]'],
  ['@days', '["2026-03-10"]'],
  ['@times', '[1773144000123456]'],
  ['@flags', '[true,false]'],
  ["(select as struct @names as n).n[ordinal(1)] = 'a'", 'true'],
];

test('lists are arrays of their type', async () => {
  const columns = cases.map(([sql], index) => `${sql} as c${index}`).join(', ');
  const text = await runner.runText(`select ${columns}`, { parameters, bindings });
  const expected = cases.map(([, value], index) => `"c${index}":${value}`).join(',');
  expect(text).toBe(`[{${expected}}]`);
});

test('records are selected by a list, in a stored query and in a caller’s', async () => {
  const stored =
    'with w as (select id from `logs.web` where id in unnest(@ids)) select id from w order by id';
  const [{ n } = {}] = await runner.run('select max(id) as n from `logs.web`');
  const ids = JSON.stringify([n, 'none']);
  const options = { parameters: [list('ids', 'string')], bindings: { ids } };
  expect(await runner.run(stored, options)).toEqual([{ id: n }]);
  const caller = 'select id, array_length(@ids) as n from w where id in unnest(@ids)';
  expect(await runner.run(stored, { ...options, caller })).toEqual([{ id: n, n: 2 }]);
});

describe('a list is refused where BigQuery takes no array', () => {
  test.each([
    ["select 'a' in (@names) as x", 'ARRAY<STRING>'],
    ["select 'a' = @names as x", 'ARRAY<STRING>'],
    ['select 1 in unnest(@names) as x', 'STRING'],
    ['select lower(@names) as x', 'ARRAY<STRING>'],
    ['select id from `logs.web` where id = @names', 'STRING, ARRAY<STRING>'],
    ['select id from `logs.web` where id in (@ids)', 'STRING, ARRAY<INT64>'],
    ["select id from `logs.web` where id between @names and 'z'", 'ARRAY<STRING>'],
    ["select id from `logs.web` where id = b'a'", 'STRING, BYTES'],
  ])('%s', async (sql, words) => {
    const refused = async () => runner.runText(sql, { parameters, bindings });
    await expect(refused()).rejects.toThrow(words);
  });
});

test.each(['rows', 'range'])(
  'a parameter is an offset of %s, neither NULL nor negative',
  async (unit) => {
    const sql = `select sum(x) over (order by x ${unit} @n preceding) as s from unnest([1, 2]) as x`;
    const over = (n: string | null) =>
      runner.run(sql, { parameters: [{ name: 'n', type: 'integer' }], bindings: { n } });
    expect(await over('1')).toEqual([{ s: 1 }, { s: 3 }]);
    const message = 'The offset of a window frame must not be NULL or negative';
    await expect(over('-1')).rejects.toMatchObject({ message });
    await expect(over(null)).rejects.toMatchObject({ message });
  },
);
