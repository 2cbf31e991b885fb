import { afterAll, beforeAll, expect, test } from 'vitest';
import { printRefusal } from '../support/answers.js';
import {
  openQueryRunner,
  openQueryRunnerOverParts,
  type QueryRunner,
} from '../support/run-query.js';

// Others decide in which layout a record is stored, and a stored array may be NULL where it is empty: neither may
// show, however a query makes a value of records, and whatever reads it.
let runners: readonly QueryRunner[];

beforeAll(async () => {
  runners = [
    await openQueryRunner({ layout: 'struct' }),
    await openQueryRunner({ layout: 'list' }),
    await openQueryRunnerOverParts('struct', 'mixed'),
    await openQueryRunnerOverParts('list', 'mixed'),
  ];
});
afterAll(() => Promise.all(runners.map((runner) => runner.close())));

/** Values of a row `t` of the source, and of a record `m` of its `metadata`; those of the second list are aggregates. */
const values = [
  't',
  't.metadata',
  't.items',
  't.tags',
  'm',
  'm.request',
  '(m.request, t.tags)',
  '[m]',
  '[t]',
  'struct(t.metadata as a, t.tags as b)',
  'struct(t.metadata as a, array(select x from unnest(t.tags) x) as b)',
  'struct(t as a, m as b)',
  'if(t.id < "c", t, null)',
  'if(t.id < "c", t.metadata, null)',
  'case when t.id = "a" then m end',
  'coalesce(m, (select as struct "none" as level, 1 as status, cast(null as string) as absent, m.request))',
  'ifnull(t.metadata, [])',
  'array(select y from unnest(t.metadata) y)',
  'array(select as struct y.*, t.tags from unnest(t.metadata) y)',
  'array(select y from unnest(t.metadata) y order by y.level)',
  'array(select y from unnest(t.metadata) as x, unnest([x]) as y order by array_length(y.request), y.level limit 2)',
  'array(select y from unnest(t.metadata) y union all select z from unnest(t.metadata) z)',
  'array(select as struct y, o from unnest(t.metadata) y with offset o)',
  '(select w.metadata from `logs.web` w where w.id = t.id)',
  '(select w.metadata from `logs.web` w where w.id = "none")',
  '(select w from `logs.web` w where w.id = t.id)',
  '(select any_value(y) from unnest(t.metadata) y)',
  '(select array_agg(y order by y.level) from unnest(t.metadata) y)',
  'with(a as t.metadata, b as t, struct(a, b))',
  'array_reverse(t.metadata)',
  'array_concat(t.metadata, t.metadata)',
  '(select y from unnest(t.metadata) y)',
  '(select as struct t.*)',
  '(select as value t)',
  '(select t)',
  't.metadata[safe_offset(0)]',
  't.metadata[safe_offset(0)].request',
  'first_value(t.metadata) over (order by t.id desc)',
  'lag(t) over (order by t.id)',
  'max_by(t, t.id) over ()',
];
const aggregates = [
  'any_value(t)',
  'any_value(t.metadata)',
  'any_value(m)',
  'any_value(t having max t.id)',
  'array_agg(t)',
  'array_agg(m ignore nulls)',
  'array_agg(t order by t.id desc limit 1)[offset(0)]',
  'array_agg(struct(t.tags, m))',
  'array_concat_agg(t.metadata)',
  'min_by(t.items, t.id)',
  'max_by(t, t.id).metadata',
];

const from = 'from `logs.web` t left join unnest(t.metadata) m';

/** Queries of a value: as it is, printed, read twice, through other queries, and tested for NULL. */
const queries: readonly ((value: string) => string)[] = [
  (value) => `select t.id, ${value} as v ${from}`,
  (value) => `select to_json_string(${value}) as v ${from}`,
  (value) =>
    `select t.id, ${value} as v, ${value} as w, length(to_json_string(${value})) as n ${from}`,
  (value) =>
    `select ${value} as v ${from} order by length(to_json_string(v)), to_json_string(v) limit 3`,
  (value) =>
    `select t.id, ${value} as v ${from} qualify row_number() over (order by to_json_string(v), t.id) < 3`,
  (value) => `select to_json(${value}) as v ${from}`,
  (value) => `select format('%T', ${value}) as v ${from}`,
  (value) => `select ${value} is null as v ${from}`,
  ...[
    'select to_json_string(v) as v from x',
    'select v, v is null as n from x',
    'select to_json_string(x) as v from x',
    `select format('%t', any_value(v)) as v from x`,
    'select to_json_string(array_agg(x)) as v from x',
    'select to_json_string(e) as v, e.f is null as n from x, unnest([struct(x.v as f)]) e',
    'select to_json_string(e) as v from x, unnest(array(select as struct y.* from (select x.v) y)) e',
    'from x |> extend x.v as w |> as a |> select to_json_string(a) as v',
    'select to_json_string(v) as v from x order by to_json_string(x) limit 2',
    'select to_json_string(max_by(v, to_json_string(v))) as v from x',
    'select to_json_string((select v)) as v from x',
    'select to_json_string(array(select as struct x.v)) as v from x',
    'select to_json_string(b) as v from (select 1 as one) a left join x b on a.one = 1',
    'select to_json_string(b.v) as v, b.v is null as n from (select 1 as one) a left join x b on a.one = 2',
    'select v from (select v from x union all select v from x)',
    'select to_json_string(v) as v from (select v from x union all select v from x)',
    'select array_agg(v) as v, count(v) as n, any_value(v) as w from (select struct(v) as v from x)',
  ].map((query) => (value: string) => `with x as (select ${value} as v ${from}) ${query}`),
];

async function answer(runner: QueryRunner, sql: string): Promise<string> {
  const rows = (text: string) =>
    JSON.stringify((JSON.parse(text) as object[]).map((row) => JSON.stringify(row)).sort());
  return runner.runText(sql).then(rows, printRefusal);
}

const cases = [
  ...values.map((value) => [value, false] as const),
  ...aggregates.map((value) => [value, true] as const),
];

test.each(cases)('%s', async (value, isAggregate) => {
  const wrong: string[] = [];
  let withRows = 0;
  for (const query of queries) {
    const sql = isAggregate ? query(value).replace('select t.id, ', 'select ') : query(value);
    const answers = await Promise.all(runners.map((runner) => answer(runner, sql)));
    const [one = ''] = answers;
    if (one.startsWith('[')) withRows++;
    const isWrong = new Set(answers).size > 1 || one.includes('Internal');
    if (isWrong) wrong.push([sql, ...answers].join('\n  '));
  }
  expect(wrong).toEqual([]);
  expect(withRows).toBeGreaterThan(16);
});
