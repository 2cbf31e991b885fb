import { afterAll, beforeAll, expect, test } from 'vitest';
import { printRefusal } from '../support/answers.js';
import { nightly } from '../support/nightly.js';
import { randomFrom } from '../support/random.js';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';

// An expression that fails on some strings does not fail if a query removed them before, in whatever way.
const rounds = nightly(300, 6);
const next = randomFrom(2026);
let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner({ threads: 2 });
});
afterAll(() => runner.close());

type Rows = readonly string[];

/** A query over rows `r` with one column, and what it does to them. */
interface Step {
  readonly sql: string;
  readonly change: (rows: Rows) => Rows;
}

const good = ['1', '2', '3'];
const texts = [...good, 'x', '', '2', 'é'];
const onlyGood = (rows: Rows): Rows => rows.filter((one) => good.includes(one));
const distinct = (rows: Rows): Rows => [...new Set(rows)];
const same = (rows: Rows): Rows => rows;

/** Each removes the texts that are no numbers. */
const guards: readonly Step[] = [
  { sql: 'select s from r where exists (select 1 from good g where g.s = r.s)', change: onlyGood },
  {
    sql: 'select s from r where not exists (select 1 from bad where bad.s = r.s)',
    change: onlyGood,
  },
  { sql: 'select s from r where s in (select s from good)', change: onlyGood },
  { sql: 'select s from r where s not in (select s from bad)', change: onlyGood },
  { sql: 'select r.s from r join good on r.s = good.s', change: onlyGood },
  { sql: 'select s from good right join r using (s) where good.s is not null', change: onlyGood },
  { sql: 'select s from r where safe_cast(s as int64) is not null', change: onlyGood },
  { sql: 'from r |> where (select count(*) from good where good.s = r.s) = 1', change: onlyGood },
  {
    sql: 'select s from r where s in (select s from good) and 1 / cast(s as int64) > 0',
    change: onlyGood,
  },
  {
    sql: 'select r.s from r join good on r.s = good.s and mod(6, cast(r.s as int64)) = 0',
    change: onlyGood,
  },
  {
    sql: "select r.s from r left join good on r.s = good.s where good.s > '' and cast(r.s as int64) < 9",
    change: onlyGood,
  },
  {
    sql: 'select s from r intersect distinct select s from good',
    change: (rows) => distinct(onlyGood(rows)),
  },
  {
    sql: 'select s from r except distinct select s from bad',
    change: (rows) => distinct(onlyGood(rows)),
  },
];

/** Each keeps the texts that are numbers, or some of them. */
const others: readonly Step[] = [
  { sql: 'select s from r', change: same },
  { sql: 'select distinct s from r', change: distinct },
  { sql: 'select s from r group by s having count(*) > 0', change: distinct },
  { sql: 'select s from r order by s limit 100', change: same },
  { sql: 'from r |> extend length(s) as l |> select s', change: same },
  {
    sql: "select s from r where s <> '1'",
    change: (rows) => rows.filter((one) => one !== '1'),
  },
  { sql: 'select s from r union all select s from r', change: (rows) => [...rows, ...rows] },
  {
    sql: 'select s from r where true qualify row_number() over (partition by s) = 1',
    change: distinct,
  },
];

/** Each fails on the texts that are no numbers. */
const failing: readonly string[] = [
  'cast(s as int64)',
  'cast(cast(s as float64) as int64)',
  'cast(cast(s as numeric) as int64)',
  'div(cast(s as int64) * 6, 6)',
  "int64(parse_json(if(s = '', '{', s)))",
  'ascii(s) - 48',
  'if(safe_cast(s as int64) is null, cast(s as int64), cast(s as int64))',
];

function pick<T>(items: readonly T[]): T {
  const item = items[next() % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** Some other steps, a guard, some other steps, what fails, a filter on it. */
function randomQuery(): { readonly sql: string; readonly rows: readonly number[] } {
  const some = () => Array.from({ length: next() % 3 }, () => pick(others));
  const steps = [...some(), pick(guards), ...some()];
  const ctes = steps.map(
    ({ sql }, index) => `s${index + 1} as (${sql.replaceAll(/\br\b/g, `s${index}`)})`,
  );
  const lists = `s0 as (select s from unnest(${JSON.stringify(texts)}) s), good as (select s from unnest(${JSON.stringify(good)}) s), bad as (select s from unnest(['x', '', 'é']) s)`;
  const value = pick(failing);
  const last = pick([
    `select n from (select ${value} as n from s${steps.length}) where n > 1`,
    `select n from (select ${value} as n, count(*) over (partition by s) as c from s${steps.length}) where n > 1 and c > 0`,
    `from s${steps.length} |> extend ${value} as n |> where n > 1 |> select n`,
    `select ${value} as n from s${steps.length} where ${value} > 1`,
    `select q.n from (select s, ${value} as n from s${steps.length}) q group by q.s, q.n having q.n > 1`,
  ]);
  const before = steps.reduce((rows, { change }) => change(rows), texts as Rows);
  const kept = last.startsWith('select q.n') ? distinct(before) : before;
  const rows = kept.map(Number).filter((one) => one > 1);
  return {
    sql: `with ${[lists, ...ctes].join(', ')} ${last}`,
    rows: rows.toSorted((a, b) => a - b),
  };
}

test(`${rounds} random queries that remove what would fail`, async () => {
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const { sql, rows } = randomQuery();
    const found = await runner
      .run(sql, { mayQuoteValues: true })
      .then(
        (answer) => JSON.stringify(answer.map(({ n }) => Number(n)).toSorted((a, b) => a - b)),
        printRefusal,
      );
    if (found !== JSON.stringify(rows))
      wrong.push(`${sql}\n  ${found}, not ${JSON.stringify(rows)}`);
  }
  wrong.sort((a, b) => a.length - b.length);
  expect(wrong.slice(0, 4)).toEqual([]);
});
