import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../support/ask-service.js';
import { fixtures } from '../support/paths.js';
import { type Service, startService } from '../support/start-service.js';

// pandas reads each format that it knows: values and types. Other readers: arrow-readers.nightly.test.ts.

/** The first Python with these modules; undefined if there is none. */
function pythonWith(...modules: readonly string[]): string | undefined {
  const candidates = [process.env['PYTHON'] ?? 'python3', '/usr/bin/python3'];
  const script = `import ${modules.join(', ')}`;
  return candidates.find((python) => spawnSync(python, ['-c', script]).status === 0);
}

const python = pythonWith('pandas');
const pythonOfParquet = pythonWith('pandas', 'fastparquet');
if (python === undefined) console.warn('SKIPPED: pandas is missing: it reads no CSV and no NDJSON');
if (pythonOfParquet === undefined) {
  console.warn('SKIPPED: pandas with fastparquet is missing: it reads no Parquet');
}

const none = 'select cast(null as bignumeric) as b, [1] as l, timestamp(null) as ts limit 0';
/** Other readers of Arrow and Parquet: what they read, and a statement that prints it. */
const others = [
  [
    'pandas',
    none,
    'parquet',
    'fastparquet, pandas',
    'print(pandas.read_parquet(path, engine="fastparquet").shape)',
    '(0, 3)',
  ],
] as const;

const sql = String.raw`
  select 9007199254740993 as i, 1.5 as f, true as t, timestamp '2026-03-10 12:00:00.123456+00' as ts,
    datetime '2026-03-10T12:00:00.5' as dt, date '2026-03-10' as d, 'a,"b"\r\né from 10.1.2.3' as s
  union all select -1, -0.25, false, timestamp '1999-12-31 23:59:59.5+00', null, null, ''
  order by 1 desc`;

/** Prints types and rows of the frame `rows`. */
const print = `
import json, sys, pandas
path = sys.argv[1]
READ
values = rows.astype(object).where(rows.notna(), None)
print(json.dumps({"types": [str(one) for one in rows.dtypes], "rows": values.values.tolist()}, default=str))`;

describe('Python', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pandas-'));
  let service: Service;
  beforeAll(async () => {
    service = await startService(['--data', fixtures, '--now', '2026-03-10T12:00:00Z']);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  async function save(query: string, format: string, redact = '') {
    const headers = { 'svc-endpoint-redact-pii': redact };
    const response = await ask(service, { sql: query, format }, { headers });
    const path = join(folder, `rows${Math.random()}.${format}`);
    writeFileSync(path, Buffer.from(await response.arrayBuffer()));
    return path;
  }

  /** Saves the rows in a format, and reads them in Python with a statement that sets `rows`. */
  async function readWith(program: string | undefined, format: string, read: string, redact = '') {
    const path = await save(sql, format, redact);
    const script = print.replace('READ', () => read);
    const { stdout, stderr } = spawnSync(program ?? '', ['-c', script, path], { encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout.replaceAll('9007199254740993', '"9007199254740993"'));
  }

  describe.each(others)('%s', (reader, query, format, modules, read, printed) => {
    const program = pythonWith(modules);
    if (program === undefined)
      console.warn(`SKIPPED: ${modules} is missing: ${reader} reads no ${format}`);
    test.skipIf(program === undefined)(`reads ${format}: ${query}`, async () => {
      const script = `import sys, ${modules}\npath = sys.argv[1]\n${read}`;
      const path = await save(query, format);
      const { stdout, stderr } = spawnSync(program ?? '', ['-c', script, path], {
        encoding: 'utf8',
      });
      expect(stdout || stderr).toBe(`${printed}\n`);
    });
  });

  const times = ['datetime64[ns, UTC]', 'datetime64[ns]', 'datetime64[ns]'];
  const rows = (text: string) => [
    [
      ...['9007199254740993', 1.5, true, '2026-03-10 12:00:00.123456+00:00'],
      ...['2026-03-10 12:00:00.500000', '2026-03-10 00:00:00', text],
    ],
    [-1, -0.25, false, '1999-12-31 23:59:59.500000+00:00', null, null, ''],
  ];
  const readers = [
    [
      'csv',
      python,
      'rows = pandas.read_csv(path, parse_dates=["ts", "dt", "d"], keep_default_na=False)',
    ],
    [
      'ndjson',
      python,
      `rows = pandas.read_json(path, lines=True, dtype=False, convert_dates=["dt", "d"])
rows["ts"] = pandas.to_datetime(rows["ts"], unit="us", utc=True)`,
    ],
    [
      'parquet',
      pythonOfParquet,
      // fastparquet leaves out the zone.
      `rows = pandas.read_parquet(path, engine="fastparquet")
rows["ts"] = rows["ts"].dt.tz_localize("UTC")`,
    ],
  ] as const;

  describe.each(readers)('%s', (format, program, read) => {
    test.skipIf(program === undefined)('has values and types', async () => {
      expect(await readWith(program, format, read)).toEqual({
        types: ['int64', 'float64', 'bool', ...times, 'object'],
        rows: rows('a,"b"\r\né from 10.1.2.3'),
      });
    });

    test.skipIf(program === undefined)('is redacted where redaction is on', async () => {
      const redacted = await readWith(program, format, read, 'true');
      expect(redacted.rows).toEqual(rows('a,"b"\r\né from REDACTED'));
    });
  });
});
