import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadFolder, makeFolder, storedFields } from '../../support/load-logs.js';
import { sample } from '../../support/nightly.js';
import { inScratch } from '../../support/scratch-database.js';

const rows = 50;
const columns = `'i' || lpad(i::varchar, 2, '0') as id,
  timestamptz '2026-01-01 00:00:00+00' + to_seconds((i * 7919) % 1000) as timestamp`;
const request = `{path: '/' || i, method: case when i % 2 = 0 then 'GET' end,
  cf: case when i % 5 <> 0 then {asn: i, city: 'पुणे'} end}`;
const nested = `{request: ${request}, response: {status_code: 200 + i % 3, headers: {cf_ray: 'r'}}}`;

/** The rows of a query as a Parquet file with several row groups, and as lines of JSON. */
async function makeBoth(query: string): Promise<{ parquet: Buffer; lines: string }> {
  const folder = makeFolder({});
  const reader = await inScratch(async (connection) => {
    await connection.run(`create table t as ${query}`);
    await connection.run(`copy t to '${folder}/t.parquet' (format parquet, row_group_size 20)`);
    return connection.runAndReadAll('select to_json(t)::varchar from t');
  });
  const lines = reader.getRowsJson().map(([line]) => String(line));
  return { parquet: readFileSync(join(folder, 't.parquet')), lines: lines.join('\n') };
}

const forms: readonly (readonly [string, string])[] = [
  ['structs', `${nested} as metadata`],
  [
    'lists of one',
    `[{request: [{path: 'a', cf: [{asn: i}]}], response: [{status_code: 5}]}] as metadata`,
  ],
  [
    'lists that are NULL, empty, or contain NULL',
    `case i % 4 when 0 then null when 1 then [] when 2 then [null, {request: {path: 'a'}}]
      else [{request: {path: 'b'}}, null] end as metadata`,
  ],
  [
    'several within one',
    `[{request: case when i % 4 = 0 then [{path: 'a', n: [1, null]}]
      else [{path: 'b', n: null}, {path: 'c', n: []}] end}] as metadata`,
  ],
  ['several around one', `[{request: [{path: 'a', cf: [{asn: 1}]}]}, {request: []}] as metadata`],
  [
    'several within several',
    `[{request: [{path: 'a', cf: [{asn: 1}, {asn: 2}]}]}, {request: [{path: 'b', cf: null}]}] as metadata`,
  ],
  [
    'types that differ from the declared ones',
    `{request: {path: i, method: i % 2 = 0, host: 1.5::double, search: date '2026-01-01'},
      response: {status_code: i::utinyint, origin_time: case when i % 2 = 0 then i else i + 0.5 end}} as metadata`,
  ],
  [
    'values that cannot be stored',
    `{request: i, response: [{status_code: case when i % 3 = 0 then 'x' else '7' end}]} as metadata`,
  ],
  [
    'undeclared columns',
    `1::utinyint as a, i::float as b, i::double as c, 1.25::decimal(9, 2) as d, null::int as e,
      null::int[] as f, []::int[] as g, [null, i] as h, [[i]] as j, [[{a: i}]] as k,
      null::struct(a int) as l, {a: null::int} as m, [null::struct(a int)] as n, i % 2 = 0 as o,
      18446744073709551615::ubigint as p, uuid '11111111-1111-1111-1111-111111111111' as q,
      'b'::blob as r, time '10:00:00' as s, {"a.b": i, "it's": {"x ""y""": i}} as "file"`,
  ],
  [
    'a record without values',
    `{request: null::struct(path varchar), response: {status_code: null::int}} as metadata`,
  ],
];

test.each(sample(forms, 3))('%s: like the same records in JSON', async (_name, form) => {
  const { parquet, lines } = await makeBoth(`select ${columns}, ${form} from range(${rows}) t(i)`);
  const typed = await loadFolder(makeFolder({ 'edge_logs.parquet': parquet }));
  const read = await loadFolder(makeFolder({ 'edge_logs.ndjson': lines }));
  expect(await typed.rows('edge_logs')).toEqual(await read.rows('edge_logs'));
  expect(typed.sources).toEqual(read.sources);
  const countsOf = ({ files }: typeof read) =>
    files.map(({ file: _, faults, ...counts }) => [counts, faults.map(({ message }) => message)]);
  expect(countsOf(typed)).toEqual(countsOf(read));
});

test.each(sample(forms, 6))('%s: together with lines of another form', async (_name, form) => {
  const { parquet, lines } = await makeBoth(`select ${columns}, ${form} from range(${rows}) t(i)`);
  const other = [
    { id: 'x', timestamp: 1, metadata: { request: { path: 'a' } }, a: 'text', c: {}, m: 3 },
    { id: 'y', timestamp: 2, metadata: [{ request: [{ path: 'a' }, { n: [7] }] }], l: { b: 1 } },
  ];
  const text = other.map((line) => JSON.stringify(line)).join('\n');
  const typed = await loadFolder(
    makeFolder({ 'edge_logs/a.parquet': parquet, 'edge_logs/b.ndjson': text }),
  );
  const read = await loadFolder(makeFolder({ 'edge_logs.ndjson': `${lines}\n${text}` }));
  expect(await typed.rows('edge_logs')).toEqual(await read.rows('edge_logs'));
  // Undeclared fields are in the order of the files.
  const stored = [typed, read].map((each) => storedFields(each, 'edge_logs').toSorted());
  expect(stored[0]).toEqual(stored[1]);
});

const day = '2026-01-01 00:00:00';
test.each(
  sample(
    [
      ["timestamp_ns '1960-01-01 00:00:00.123456789'", '1960-01-01 00:00:00.123456+00'],
      ["timestamp_ns '2026-01-01 00:00:00.123456999'", `${day}.123456+00`],
      [`timestamp_ms '${day}.5'`, `${day}.5+00`],
      [`timestamp_s '${day}'`, `${day}+00`],
      [`timestamp '${day}'`, `${day}+00`],
      [`timestamptz '${day}+02'`, '2025-12-31 22:00:00+00'],
      ["date '2026-01-01'", `${day}+00`],
      ['1767225600', `${day}+00`],
      ['1767225600.25::double', `${day}.25+00`],
      ["'2026-01-01T02:00:00+02:00'", `${day}+00`],
      ["'infinity'::timestamp", undefined],
      ["'0044-01-01 (BC)'::timestamp", undefined],
      ['null::timestamp', undefined],
    ],
    5,
  ),
)('the time %s', async (time, expected) => {
  const query = `select i as id, case when i = 1 then ${time} end as timestamp from range(2) t(i)`;
  const { parquet } = await makeBoth(query);
  const report = await loadFolder(
    makeFolder({
      'edge_logs/a.parquet': parquet,
      'edge_logs/b.ndjson': '{"id":"9","timestamp":0}',
    }),
  );
  const times = await report.rows('edge_logs', 'timestamp::varchar as t');
  const epoch = { t: '1970-01-01 00:00:00+00' };
  expect(times).toEqual(expected === undefined ? [epoch] : [{ t: expected }, epoch]);
  expect(report.files[0]).toMatchObject({ badLines: expected === undefined ? 2 : 1 });
});

test('a missing id is made from the row', async () => {
  const query = `select case when i % 2 = 0 then i end as id, i as timestamp from range(4) t(i)`;
  const { parquet } = await makeBoth(query);
  const ids = async (file: string) =>
    (await loadFolder(makeFolder({ [file]: parquet }))).rows('edge_logs', 'id, timestamp');
  const first = await ids('edge_logs.parquet');
  expect(first).toEqual(await ids('edge_logs.parquet'));
  expect(new Set(first.map((row) => JSON.stringify(row))).size).toBe(4);
  expect(await ids('edge_logs/a.parquet')).toEqual(first);
});

test('rows without an id keep every value, whatever NULLs and strings stand beside it', async () => {
  const text = `'{,"a":null,[,"b":NaN,-Infinity \\ " ' || i`;
  const record = `{a: case when i = 1 then 1 end, b: {c: null::int, d: ${text}, e: i},
    f: case when i > 1 then 'x' end, g: ['', null, '{,']}`;
  const { parquet, lines } = await makeBoth(
    `select to_timestamp(i) as timestamp, ${text} as event_message, ${record} as r from range(4) t(i)`,
  );
  const asked = 'id is not null as has_id, timestamp, event_message, r.b.d, r.b.e, r.a, r.f, r.g';
  const sorted = async (file: Readonly<Record<string, string | Buffer>>) => {
    const { rows, files } = await loadFolder(makeFolder(file));
    expect(files[0]).toMatchObject({ records: 4, badLines: 0 });
    return (await rows('edge_logs', asked)).map((row) => JSON.stringify(row)).toSorted();
  };
  const found = await sorted({ 'edge_logs.parquet': parquet });
  expect(found).toEqual(await sorted({ 'edge_logs.ndjson': lines }));
  expect(found[0]).toContain('"has_id":true');
});

test('rows without an id may have records that are JSON in a string beside others', async () => {
  const metadata = `{response: {status_code: 200}, request: '{"path":"/x"}'}`;
  const { parquet } = await makeBoth(
    `select to_timestamp(i) as timestamp, ${metadata} as metadata from range(2) t(i)`,
  );
  const { rows, files } = await loadFolder(makeFolder({ 'edge_logs.parquet': parquet }));
  expect(files[0]).toMatchObject({ records: 2, badLines: 0 });
  const [row] = await rows('edge_logs', 'metadata.request.path as path');
  expect(row).toEqual({ path: '/x' });
});

test('a record of 1,800 undeclared fields', { timeout: 300_000 }, async () => {
  const fields = Array.from({ length: 1800 }, (_, index) => `f${index}: i + ${index}`);
  const { parquet, lines } = await makeBoth(
    `select ${columns}, {${fields.join(', ')}} as wide from range(1000) t(i)`,
  );
  const typed = await loadFolder(makeFolder({ 'edge_logs.parquet': parquet }));
  const read = await loadFolder(makeFolder({ 'edge_logs.ndjson': lines }));
  expect(typed.sources).toEqual(read.sources);
  expect(await typed.rows('edge_logs')).toEqual(await read.rows('edge_logs'));
});

test('a Parquet file with damaged data is skipped and reported', async () => {
  const { parquet, lines } = await makeBoth(
    `select ${columns}, ${nested} as metadata from range(${rows}) t(i)`,
  );
  const damaged = Buffer.from(parquet).fill(0xff, 4, parquet.length >> 2);
  const report = await loadFolder(
    makeFolder({
      'edge_logs/a.parquet': damaged,
      'edge_logs/b.ndjson': lines,
      'edge_logs/c.parquet': damaged,
    }),
  );
  expect(report.files).toMatchObject([
    { file: 'edge_logs/a.parquet', records: 0, readable: false },
    { file: 'edge_logs/b.ndjson', records: rows, readable: true },
    { file: 'edge_logs/c.parquet', records: 0, readable: false },
  ]);
  expect(report.files[0]?.faults[0]?.message).not.toContain('/tmp');
  expect(await report.rows('edge_logs', 'id')).toHaveLength(rows);
});
