import { expect, test } from 'vitest';
import { createBigQueryTarget } from '../../../src/bigquery/target/target.js';
import { createCompiler } from '../../../src/compiler/compile.js';
import { webSource } from '../../support/web-source.js';

const target = createBigQueryTarget({ tables: 'logs.{source}', sandbox: true });
const compiler = createCompiler([webSource('struct')], { target });
const parameters = [
  { name: 'start', type: 'timestamp' },
  { name: 'project', type: 'string' },
] as const;

function windowOf(sql: string) {
  return compiler.compile({ name: 'web', sql, maxRows: 100, parameters }).window;
}

const web = '`logs.web` as t';

test.each([
  `select count(*) from ${web} where t.timestamp > @start`,
  `select count(*) from ${web} where @start <= t.timestamp and t.id = 'a'`,
  `select count(*) from ${web} where t.timestamp between @start and current_timestamp()`,
  `with c as (select timestamp from ${web}) select count(*) from c where timestamp >= @start`,
  `with c as (select @start as s) select count(*) from ${web} cross join c where t.timestamp > c.s`,
  `select count(*) from ${web} cross join unnest(t.metadata) as m where t.timestamp > @start`,
  `select count(*) from ${web} where timestamp_trunc(t.timestamp, hour) >= @start`,
  `select count(*) from ${web} join \`logs.web\` as u on t.id = u.id and u.timestamp > @start where t.timestamp > @start`,
])('a start that is a parameter: %s', (sql) => {
  expect(windowOf(sql)).toMatchObject({
    kind: 'bounded',
    starts: expect.arrayContaining([[{ base: { parameter: 'start' }, msBefore: 0 }]]),
  });
});

test.each([
  [
    "timestamp '2026-03-10 00:00:00+00'",
    [{ base: { time: '2026-03-10 00:00:00.000000+00:00' }, msBefore: 0 }],
  ],
  ['current_timestamp()', [{ base: 'now', msBefore: 0 }]],
  ['timestamp_sub(current_timestamp(), interval 1 hour)', [{ base: 'now', msBefore: 3_600_000 }]],
  ['current_timestamp() - interval 90 minute', [{ base: 'now', msBefore: 5_400_000 }]],
  [
    'timestamp_add(timestamp_sub(current_timestamp(), interval 2 day), interval 1 second)',
    [{ base: 'now', msBefore: 172_799_000 }],
  ],
  ['timestamp_sub(@start, interval 1 second)', [{ base: { parameter: 'start' }, msBefore: 1000 }]],
  ['timestamp_trunc(current_timestamp(), day)', [{ base: 'now', msBefore: 86_400_000 }]],
  [
    'timestamp(date_sub(current_date(), interval 1 day))',
    [{ base: 'now', msBefore: 2 * 86_400_000 }],
  ],
  [
    'timestamp(date_trunc(date(@start), week(monday)))',
    [{ base: { parameter: 'start' }, msBefore: 8 * 86_400_000 }],
  ],
  [
    "timestamp(date(datetime '2026-03-10 12:00:00'))",
    [{ base: { time: '2026-03-10 12:00:00.000000' }, msBefore: 86_400_000 }],
  ],
  ['cast(@project as timestamp)', [{ base: { parameter: 'project' }, msBefore: 0 }]],
  ["'2026-03-10'", [{ base: { time: '2026-03-10 00:00:00.000000+00:00' }, msBefore: 0 }]],
])('a start that is known: %s', (start, known) => {
  const sql = `select count(*) from ${web} where t.timestamp > ${start}`;
  expect(windowOf(sql)).toEqual({ kind: 'bounded', starts: [known] });
});

test.each(['date(t.timestamp)', 'cast(t.timestamp as date)', 'extract(date from t.timestamp)'])(
  'a day: %s',
  (day) => {
    const sql = `select count(*) from ${web} where ${day} = '2026-03-10'`;
    expect(windowOf(sql)).toEqual({
      kind: 'bounded',
      starts: [[{ base: { time: '2026-03-10' }, msBefore: 0 }]],
    });
  },
);

test.each([
  `t.timestamp > timestamp_seconds(0)`,
  `t.timestamp > timestamp_add(@start, interval 1 second) + make_interval(1)`,
  `t.timestamp > timestamp_trunc(@start, day, 'Asia/Tokyo')`,
  `date(t.timestamp) > date_add(date(@start), interval 1 month)`,
])('a start that only BigQuery knows: %s', (start) => {
  expect(windowOf(`select count(*) from ${web} where ${start}`)).toEqual({
    kind: 'bounded',
    starts: [[]],
  });
});

test('a statement that reads no table needs no start', () => {
  expect(windowOf('select 1')).toEqual({ kind: 'bounded', starts: [] });
});

test('a start of another column is none of the table', () => {
  const sql = `select count(*) from ${web}, unnest([@start]) as other
    where t.timestamp > timestamp '2026-03-10 00:00:00+00' and other > @start`;
  const time = '2026-03-10 00:00:00.000000+00:00';
  expect(windowOf(sql)).toEqual({ kind: 'bounded', starts: [[{ base: { time }, msBefore: 0 }]] });
});

test.each([
  `select count(*) from ${web}`,
  `select count(*) from ${web} where t.timestamp < @start`,
  `select count(*) from ${web} where t.timestamp > @start or t.id = 'a'`,
  `select count(*) from ${web} where timestamp_add(t.timestamp, interval 1 hour) > @start`,
  `select count(*) from ${web} where date(t.timestamp, 'Asia/Tokyo') >= '2026-03-10'`,
  `select count(*) from ${web} where extract(year from t.timestamp) >= 2026`,
  `select count(*) from ${web} where t.timestamp > (select max(timestamp) from \`logs.web\`)`,
  `select count(*) from ${web} where t.timestamp > @start and t.id in (select id from \`logs.web\`)`,
  `select count(*) from (select timestamp from ${web} limit 9) where timestamp > @start`,
  `select count(*) from (select max(t.timestamp) as timestamp from ${web}) where timestamp > @start`,
  `select count(*) from ${web} left join \`logs.web\` as u on t.timestamp > @start`,
  `select count(*) from (select t.timestamp from ${web} where true qualify row_number() over (order by t.id) = 1) where timestamp > @start`,
  `with recursive r as (select timestamp, 1 as n from ${web} union all select timestamp, n + 1 from r where n < 3)
    select count(*) from r where timestamp > @start`,
])('no start: %s', (sql) => {
  expect(windowOf(sql)).toEqual({ kind: 'open' });
});

test.each([
  `select t.id, t.timestamp from ${web} where t.project = @project order by t.timestamp desc limit 9`,
  `with c as (select * from ${web}) select upper(id) from c order by timestamp desc, id limit 9`,
  `select m.status from ${web}, unnest(t.metadata) as m where m.status > 1 order by t.timestamp desc limit 9`,
  `select t.id from ${web} where exists (select 1 from unnest(t.metadata) as m where m.status = 1) order by t.timestamp desc limit 9`,
])('the newest rows have a start that the engine chooses: %s', (sql) => {
  const compiled = compiler.compile({ name: 'web', sql, maxRows: 100, parameters });
  expect(compiled).toMatchObject({ window: { kind: 'newest', rows: 9 }, readsClock: true });
  expect(compiled.sql).toContain('t1.`timestamp` >= @window_start');
});

test('the number of the newest rows may be a parameter, or be missing', () => {
  const count = { name: 'count', type: 'integer' } as const;
  const sql = `select t.id from ${web} order by t.timestamp desc`;
  const all = compiler.compile({ name: 'web', sql, maxRows: 100, parameters });
  expect(all.window).toEqual({ kind: 'newest', rows: undefined, ends: [] });
  const some = { name: 'web', sql: `${sql} limit @count`, maxRows: 100, parameters: [count] };
  expect(compiler.compile(some).window).toMatchObject({ rows: { parameter: 'count' } });
});

test('CTEs that double do not take long', () => {
  const doubles = Array.from(
    { length: 30 },
    (_, n) => `a${n + 1} as (select * from a${n} union all select * from a${n})`,
  );
  const sql = `with a0 as (select * from ${web}), ${doubles.join(', ')} select id from a30 where timestamp > @start`;
  expect(windowOf(sql)).toEqual({ kind: 'open' });
});

test.each([
  ['Timestamp', 'TIMESTAMP', 'bounded'],
  ['timestamp', 'DATETIME', 'open'],
] as const)('a table with a column %s %s', (name, kind, window) => {
  const source = webSource('struct');
  const columns = source.columns.map((column) =>
    column.name === 'timestamp' ? { ...column, name, type: { kind } } : column,
  );
  const own = createCompiler([{ ...source, columns }], { target });
  const sql = `select count(*) from ${web} where t.timestamp > '2026-03-10'`;
  const compiled = own.compile({ name: 'web', sql, maxRows: 100, parameters });
  expect(compiled.window?.kind).toBe(window);
});

test.each([
  [`select t.id from ${web} where t.timestamp <= @start order by t.timestamp desc`, 'start'],
  [`select t.id from ${web} where @start > t.timestamp order by t.timestamp desc`, 'start'],
  [
    `with c as (select * from ${web}) select id from c
      where timestamp between timestamp '0001-01-01' and @start or timestamp = @start and false
      order by timestamp desc`,
    undefined,
  ],
  [
    `with c as (select timestamp as s, id from ${web} where timestamp <= @start)
      select id from c, unnest([1]) order by s desc`,
    'start',
  ],
  [
    `select t.id from ${web}, unnest([@start]) as u where u <= @start order by t.timestamp desc`,
    undefined,
  ],
])('the newest rows up to an end: %s', (sql, parameter) => {
  const ends = parameter === undefined ? [] : [{ base: { parameter }, msBefore: 0 }];
  expect(windowOf(sql)).toMatchObject({ kind: 'newest', ends });
});

test.each([
  `select t.id from ${web} order by t.timestamp limit 9`,
  `select t.id from ${web} order by t.id desc limit 9`,
  `select t.id from ${web} order by t.timestamp desc limit 9 offset 1`,
  `select distinct t.timestamp from ${web} order by t.timestamp desc limit 9`,
  `select row_number() over (order by t.id), t.timestamp from ${web} order by t.timestamp desc limit 9`,
  `select max(t.timestamp) as m from ${web} group by t.id order by m desc limit 9`,
  `select t.id from ${web} where t.id in (select id from \`logs.web\`) order by t.timestamp desc limit 9`,
  `select t.id from (select * from ${web} limit 9) as t order by t.timestamp desc limit 9`,
  `select t.id from ${web}, unnest(array(select id from \`logs.web\`)) as other order by t.timestamp desc limit 9`,
  `select t.id from ${web} order by t.timestamp desc, row_number() over (order by t.id) limit 9`,
  `select t.id from ${web} order by t.timestamp desc, (select count(*) from \`logs.web\` as u where u.id > t.id) limit 9`,
  `select t.id from ${web} cross join \`logs.web\` as u order by t.timestamp desc limit 9`,
])('other rows have none: %s', (sql) => {
  expect(windowOf(sql)).toEqual({ kind: 'open' });
});
