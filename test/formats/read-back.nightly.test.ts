import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from '@uwdata/flechette';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../support/ask-service.js';
import { fixtures } from '../support/paths.js';
import { type Service, startService } from '../support/start-service.js';

// Other programs read each format: values and types.

const folder = mkdtempSync(join(tmpdir(), 'formats-'));
let service: Service;
let duckdb: DuckDBInstance;
beforeAll(async () => {
  service = await startService(['--data', fixtures, '--now', '2026-03-10T12:00:00Z']);
  duckdb = await DuckDBInstance.create();
});
afterAll(async () => {
  await service.stop();
  duckdb.closeSync();
  rmSync(folder, { recursive: true });
});

/** Values at the ends of each type, a row of NULLs, and values that are easily taken for something else. */
const values = String.raw`
  select 9007199254740993 as i, cast('nan' as float64) as f, numeric '1.5' as n,
    bignumeric '-12345678901234567890.12345678' as b, true as t, timestamp '0001-01-01 00:00:00+00' as ts,
    datetime '9999-12-31T23:59:59.999999' as dt, date '0001-01-01' as d, time '12:34:56.5' as tm, b'\x00\xff' as y,
    'a,"b"\r\né' as s, json '{"a":1.5}' as j, interval 1 day as v, range(date '0001-01-01', null) as r,
    struct(1, [timestamp '2026-03-10 12:00:00.123456+00'] as times) as st, [struct('x' as k, cast(null as int64) as v)] as l
  union all select null, null, null, null, null, null, null, null, null, null, null, null, null, null,
    cast(null as struct<int64, array<timestamp>>), cast(null as array<struct<string, int64>>)
  union all select -9223372036854775808, cast('-inf' as float64), numeric '-0.000000001', bignumeric '0', false,
    timestamp '9999-12-31 23:59:59.999999+00', datetime '1969-12-31T23:59:59.5', date '9999-12-31', time '00:00:00',
    b'', '', json 'null', interval 0 day, range<date> '[UNBOUNDED, UNBOUNDED)', struct(cast(null as int64), cast([] as array<timestamp>)),
    cast([] as array<struct<string, int64>>)`;

async function fetchRows(sql: string, format: string, redact = 'false'): Promise<Buffer> {
  const headers = { 'svc-endpoint-redact-pii': redact };
  const response = await ask(service, { sql, format }, { headers });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(body.toString());
  return body;
}

/** Writes the rows into a file and gives its path. */
async function saveRows(sql: string, format: string, redact?: string): Promise<string> {
  const path = join(folder, `rows-${Math.random()}.${format}`);
  writeFileSync(path, await fetchRows(sql, format, redact));
  return path;
}

async function readWith(sql: string): Promise<readonly (readonly unknown[])[]> {
  const connection = await duckdb.connect();
  const reader = await connection.runAndReadAll(sql);
  return reader.getRowsJson();
}

const duckdbTypes = [
  ...['BIGINT', 'DOUBLE', 'DECIMAL(38,9)', 'DECIMAL(38,8)', 'BOOLEAN', 'TIMESTAMP WITH TIME ZONE'],
  ...['TIMESTAMP', 'DATE', 'TIME', 'BLOB', 'VARCHAR', 'VARCHAR', 'VARCHAR', 'VARCHAR'],
  ...['STRUCT(_field_1 BIGINT, times TIMESTAMP WITH TIME ZONE[])', 'STRUCT(k VARCHAR, v BIGINT)[]'],
];

test('DuckDB reads Parquet', async () => {
  const path = await saveRows(values, 'parquet');
  const types = await readWith(`describe select * from read_parquet('${path}')`);
  expect(types.map(([, type]) => type)).toEqual(duckdbTypes);
  await readWith("set global timezone = 'UTC'");
  expect(await readWith(`select * from read_parquet('${path}')`)).toEqual([
    [
      ...['9007199254740993', 'NaN', '1.500000000', '-12345678901234567890.12345678', true],
      ...['0001-01-01 00:00:00+00', '9999-12-31 23:59:59.999999', '0001-01-01', '12:34:56.5'],
      ...['\\x00\\xFF', 'a,"b"\r\né', '{"a":1.5}', '0-0 1 0:0:0', '[0001-01-01, UNBOUNDED)'],
      { _field_1: '1', times: ['2026-03-10 12:00:00.123456+00'] },
      [{ k: 'x', v: null }],
    ],
    Array.from({ length: 16 }, () => null),
    [
      ...['-9223372036854775808', '-Infinity', '-0.000000001', '0.00000000', false],
      ...['9999-12-31 23:59:59.999999+00', '1969-12-31 23:59:59.5', '9999-12-31', '00:00:00'],
      ...['', '', 'null', '0-0 0 0:0:0', '[UNBOUNDED, UNBOUNDED)'],
      { _field_1: null, times: null },
      null,
    ],
  ]);
});

test('flechette reads Arrow', async () => {
  const options = { useBigInt: true, useBigIntTimestamp: true, useDecimalInt: true };
  const table = tableFromIPC(await fetchRows(values, 'arrow'), options);
  const bytes = (...of: readonly number[]) => Buffer.from(of);
  const rows = table.toArray().map((row) => ({ ...row, y: row['y'] && Buffer.from(row['y']) }));
  expect(rows).toEqual([
    {
      ...{ i: 9007199254740993n, f: Number.NaN, n: 1_500_000_000n, t: true },
      b: -1_234_567_890_123_456_789_012_345_678n,
      ...{ ts: -62_135_596_800_000_000n, dt: 253_402_300_799_999_999n, tm: 45_296_500_000n },
      ...{ d: -62_135_596_800_000, y: bytes(0, 255), s: 'a,"b"\r\né', j: '{"a":1.5}' },
      ...{ v: '0-0 1 0:0:0', r: '[0001-01-01, UNBOUNDED)' },
      st: { _field_1: 1n, times: BigInt64Array.of(1_773_144_000_123_456n) },
      l: [{ k: 'x', v: null }],
    },
    Object.fromEntries(table.names.map((name) => [name, null])),
    {
      ...{ i: -9223372036854775808n, f: Number.NEGATIVE_INFINITY, n: -1n, b: 0n, t: false },
      ...{ ts: 253_402_300_799_999_999n, dt: -500_000n, tm: 0n, d: 253_402_214_400_000 },
      ...{ y: bytes(), s: '', j: 'null', v: '0-0 0 0:0:0', r: '[UNBOUNDED, UNBOUNDED)' },
      ...{ st: { _field_1: null, times: null }, l: null },
    },
  ]);
});

test('DuckDB reads CSV', async () => {
  const path = await saveRows(values, 'csv');
  const columns = "columns = {i: 'BIGINT', f: 'DOUBLE', n: 'DECIMAL(38,9)', b: 'DECIMAL(38,8)',";
  const others =
    "t: 'BOOL', ts: 'TIMESTAMPTZ', dt: 'TIMESTAMP', d: 'DATE', tm: 'TIME', y: 'VARCHAR',";
  const texts = "s: 'VARCHAR', j: 'JSON', v: 'VARCHAR', r: 'VARCHAR', st: 'JSON', l: 'JSON'}";
  const read = `read_csv('${path}', header = true, nullstr = '', allow_quoted_nulls = false, new_line = '\\r\\n', ${columns} ${others} ${texts})`;
  const [first, second, third] = await readWith(`select * from ${read}`);
  expect(first?.slice(0, 9)).toEqual([
    ...['9007199254740993', 'NaN', '1.500000000', '-12345678901234567890.12345678', true],
    ...['0001-01-01 00:00:00+00', '9999-12-31 23:59:59.999999', '0001-01-01', '12:34:56.5'],
  ]);
  expect(first?.slice(9)).toEqual([
    ...['AP8=', 'a,"b"\r\né', '{"a":1.5}', '0-0 1 0:0:0', '[0001-01-01, UNBOUNDED)'],
    ...['{"_field_1":1,"times":["2026-03-10T12:00:00.123456Z"]}', '[{"k":"x","v":null}]'],
  ]);
  expect(second).toEqual(Array.from({ length: 16 }, () => null));
  expect(third?.slice(9)).toEqual([
    '',
    '',
    'null',
    '0-0 0 0:0:0',
    '[UNBOUNDED, UNBOUNDED)',
    '{"_field_1":null,"times":null}',
    null,
  ]);
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('python3 is missing: CSV is not read by Python');

test.runIf(hasPython)("Python's csv module reads CSV", async () => {
  const path = await saveRows(values, 'csv');
  const script =
    'import csv, json, sys; print(json.dumps(list(csv.reader(open(sys.argv[1], newline=""), strict=True))))';
  const { stdout } = spawnSync('python3', ['-c', script, path], { encoding: 'utf8' });
  const [head, first, second] = JSON.parse(stdout);
  expect(head.join()).toBe('i,f,n,b,t,ts,dt,d,tm,y,s,j,v,r,st,l');
  expect(first[0]).toBe('9007199254740993');
  expect(first[10]).toBe('a,"b"\r\né');
  expect(JSON.parse(first[15])).toEqual([{ k: 'x', v: null }]);
  expect(second).toEqual(Array.from({ length: 16 }, () => ''));
});

test('no rows have their columns', async () => {
  const none = `select * from (${values}) where i = 0`;
  const path = await saveRows(none, 'parquet');
  const types = await readWith(`describe select * from read_parquet('${path}')`);
  expect(types.map(([, type]) => type)).toEqual(duckdbTypes);
  expect(await readWith(`select count(*) from read_parquet('${path}')`)).toEqual([['0']]);
  const table = tableFromIPC(await fetchRows(none, 'arrow'));
  expect([table.numRows, table.numCols]).toEqual([0, 16]);
});

test.each([
  ['json', (body: Buffer) => body.toString()],
  ['ndjson', (body: Buffer) => body.toString()],
  ['csv', (body: Buffer) => body.toString()],
  ['arrow', (body: Buffer) => JSON.stringify(tableFromIPC(body).toArray())],
  ['parquet', (body: Buffer) => body.toString('latin1')],
] as const)('%s is redacted', async (format, read) => {
  const sql = "select 'from 10.1.2.3' as a, ['x@example.com'] as b, struct('10.1.2.3' as c) as d";
  expect(read(await fetchRows(sql, format))).toMatch(/10\.1\.2\.3/);
  const redacted = read(await fetchRows(sql, format, 'true'));
  expect(redacted).toContain('from REDACTED');
  expect(redacted).not.toMatch(/10\.1\.2\.3|example\.com/);
});

test('every log record can be read in every format', async () => {
  const sql = 'select * from edge_logs order by timestamp limit 20';
  const json = JSON.parse((await fetchRows(sql, 'json')).toString()).result;
  const arrow = tableFromIPC(await fetchRows(sql, 'arrow'), { useBigIntTimestamp: true }).toArray();
  const path = await saveRows(sql, 'parquet');
  const [parquet] = await readWith(
    `select to_json(list(t.metadata)) from read_parquet('${path}') t`,
  );
  expect(JSON.parse(String(parquet?.[0]))).toEqual(json.map(({ metadata }: Row) => metadata));
  expect(arrow.map(({ metadata }) => metadata)).toEqual(json.map(({ metadata }: Row) => metadata));
  expect(arrow.map(({ timestamp }) => Number(timestamp))).toEqual(
    json.map(({ timestamp }: Row) => timestamp),
  );
});

interface Row {
  readonly timestamp: number;
  readonly metadata: unknown;
}
