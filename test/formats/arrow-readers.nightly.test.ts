import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installTool } from '../../scripts/install-tool.js';
import { readers } from '../../scripts/testers/install.js';
import { ask } from '../support/ask-service.js';
import { fixtures } from '../support/paths.js';
import { type Service, startService } from '../support/start-service.js';

// pyarrow, polars and arrow-rs (as arro3) read Parquet and Arrow: values and types, also if there are no rows.

/** The folder of the readers, or the reason why they are not installed. */
const { folder: installed, missing } = await installTool(readers, 240_000).then(
  (folder) => ({ folder, missing: undefined }),
  (error: Error) => ({ folder: '', missing: `skipped, ${error.message.split('\n').at(-1)}` }),
);

const sql = `
  select 9007199254740993 as i, 1.5 as f, numeric '-1.5' as n, true as b, timestamp '2026-03-10 12:00:00.123456+00' as ts,
    datetime '2026-03-10T12:00:00.5' as dt, date '2026-03-10' as d, 'é' as s, b'\\x00\\xff' as y,
    struct(1 as k, ['x', 'y'] as l) as r, [struct(timestamp '1969-12-31 23:59:59+00' as w)] as l,
    bignumeric '-12345678901234567890.12345678' as g, time '23:59:59.5' as t, json '{"a":1}' as j
  union all select null, null, null, null, null, null, null, null, null, null, null, null, null, null
  order by i desc`;

const scripts: Readonly<Record<string, string>> = {
  pyarrow: `
import pyarrow, pyarrow.parquet
read = pyarrow.parquet.read_table if path.endswith("parquet") else lambda path: pyarrow.ipc.open_stream(path).read_all()
table = read(path)
types, rows = table.schema.types, table.to_pylist()`,
  'arrow-rs': `
import arro3.io, pyarrow
read = arro3.io.read_parquet if path.endswith("parquet") else arro3.io.read_ipc_stream
table = pyarrow.table(read(path).read_all())
types, rows = table.schema.types, table.to_pylist()`,
  polars: `
import polars
frame = (polars.read_parquet if path.endswith("parquet") else polars.read_ipc_stream)(path)
types, rows = frame.dtypes, frame.to_dicts()`,
};

const arrowTypes = [
  ...['int64', 'double', 'decimal128(38, 9)', 'bool', 'timestamp[us, tz=UTC]', 'timestamp[us]'],
  ...['date32[day]', 'string', 'binary', 'struct<k: int64, l: list<item: string>>'],
  'list<item: struct<w: timestamp[us, tz=UTC]>>',
  ...['decimal128(38, 8)', 'time64[us]', 'string'],
];

const typesOf: Readonly<Record<string, readonly string[]>> = {
  pyarrow: arrowTypes,
  'arrow-rs': arrowTypes,
  polars: [
    ...['Int64', 'Float64', 'Decimal(precision=38, scale=9)', 'Boolean'],
    "Datetime(time_unit='us', time_zone='UTC')",
    "Datetime(time_unit='us', time_zone=None)",
    ...['Date', 'String', 'Binary', "Struct({'k': Int64, 'l': List(String)})"],
    "List(Struct({'w': Datetime(time_unit='us', time_zone='UTC')}))",
    ...['Decimal(precision=38, scale=8)', 'Time', 'String'],
  ],
};

describe.skipIf(missing !== undefined)(
  `${readers.name} ${readers.version}${missing ? `: ${missing}` : ''}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'arrow-readers-'));
    let service: Service;
    beforeAll(async () => {
      service = await startService(['--data', fixtures, '--now', '2026-03-10T12:00:00Z']);
    });
    afterAll(async () => {
      await service.stop();
      rmSync(folder, { recursive: true });
    });

    async function read(reader: string, format: string, query: string) {
      const response = await ask(service, { sql: query, format });
      const path = join(folder, `rows-${Math.random()}.${format}`);
      const body = Buffer.from(await response.arrayBuffer());
      if (response.status !== 200) throw new Error(body.toString());
      writeFileSync(path, body);
      const print = 'print(json.dumps([[str(one) for one in types], rows], default=str))';
      const script = `import json, sys\npath = sys.argv[1]${scripts[reader]}\n${print}`;
      const python = join(installed, 'bin/python');
      const { stdout, stderr } = spawnSync(python, ['-c', script, path], { encoding: 'utf8' });
      if (stdout === '') throw new Error(stderr);
      // Parquet and Arrow have different names for the elements of a list.
      const text = stdout.replaceAll('list<element:', 'list<item:');
      return JSON.parse(text.replaceAll('9007199254740993', '"9007199254740993"'));
    }

    const cases = ['pyarrow', 'arrow-rs', 'polars'].flatMap((reader) =>
      ['parquet', 'arrow'].map((format) => [reader, format] as const),
    );

    test.each(cases)('%s reads %s', async (reader, format) => {
      expect(await read(reader, format, sql)).toEqual([
        typesOf[reader],
        [
          {
            ...{ i: '9007199254740993', f: 1.5, n: '-1.500000000', b: true },
            ...{ ts: '2026-03-10 12:00:00.123456+00:00', dt: '2026-03-10 12:00:00.500000' },
            ...{ d: '2026-03-10', s: 'é', y: String.raw`b'\x00\xff'` },
            ...{ r: { k: 1, l: ['x', 'y'] }, l: [{ w: '1969-12-31 23:59:59+00:00' }] },
            ...{ g: '-12345678901234567890.12345678', t: '23:59:59.500000', j: '{"a":1}' },
          },
          Object.fromEntries(
            'i f n b ts dt d s y r l g t j'.split(' ').map((name) => [name, null]),
          ),
        ],
      ]);
    });

    test.each(cases)('%s reads %s without rows', async (reader, format) => {
      expect(await read(reader, format, `select * from (${sql}) where i = 0`)).toEqual([
        typesOf[reader],
        [],
      ]);
    });
  },
);
