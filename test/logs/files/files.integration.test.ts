import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { loadFolder, makeFolder, storedFields } from '../../support/load-logs.js';
import { sample } from '../../support/nightly.js';
import { inScratch } from '../../support/scratch-database.js';

const lines = Array.from({ length: 50 }, (_, index) => ({
  id: `${index + 10}`,
  timestamp: new Date(Date.UTC(2026, 2, 10) + index * 1000).toISOString(),
  event_message: `message ${index}`,
  project: index % 2 === 0 ? 'acme' : null,
  metadata: { request: { path: `/${index}`, cf: { asn: index, city: 'पुणे' } } },
}));
type Line = (typeof lines)[number];
const text = lines.map((line) => JSON.stringify(line)).join('\n');
const inArrays = ({ metadata, ...line }: Line) => ({
  ...line,
  metadata: [{ request: [{ ...metadata.request, cf: [metadata.request.cf] }] }],
});

/** Lets DuckDB write a file; its query reads the lines above as `t`. */
async function makeFile(query: string, format: string): Promise<Buffer> {
  const folder = makeFolder({ 'lines.ndjson': text });
  const sql = `copy (with t as (from read_json('${folder}/lines.ndjson',
    columns = {id: 'varchar', timestamp: 'varchar', event_message: 'varchar', project: 'varchar',
      metadata: 'struct(request struct(path varchar, cf struct(asn bigint, city varchar)))'}))
    ${query}) to '${folder}/made' (${format})`;
  await inScratch((connection) => connection.run(sql));
  return readFileSync(join(folder, 'made'));
}

const makeParquet = (query: string) => makeFile(query, 'format parquet');

function makeZstd(content: string): Promise<Buffer> {
  const format = "format csv, header false, quote '', escape '', delim e'\\x01', compression zstd";
  return makeFile(`select unnest(string_split('${content}', e'\\n'))`, format);
}

type Files = Readonly<Record<string, string | Uint8Array>>;

describe('the same records in any format give the same table', () => {
  const arrays = lines.map((line) => JSON.stringify(inArrays(line))).join('\n');
  const halves = { 'edge_logs/a.ndjson': text.slice(0, text.indexOf('\n', 3000)) };
  const odd = "edge_logs/it's [1] * ?\\x.jsonl";
  const parquet = (metadata: string, timestamp = 'timestamp::timestamptz') =>
    makeParquet(`select * replace (${metadata} as metadata, ${timestamp} as timestamp) from t`);
  const forms: readonly (readonly [string, () => Promise<Files>])[] = [
    ['arrays', async () => ({ 'edge_logs.ndjson': arrays })],
    ['.jsonl', async () => ({ 'edge_logs.jsonl': text })],
    [
      '.json of one array',
      async () => ({ 'edge_logs.json': ` ${JSON.stringify(lines, null, 1)}` }),
    ],
    ['.json', async () => ({ 'edge_logs.json': text })],
    [
      'a byte order mark and CRLF',
      async () => ({
        'edge_logs.ndjson': `\ufeff${text.replaceAll('\n', '\r\n\r\n')}\r\n`,
      }),
    ],
    ['gzip', async () => ({ 'edge_logs.ndjson.gz': gzipSync(text) })],
    [
      'two files in a folder, objects and arrays',
      async () => ({
        ...halves,
        'edge_logs/b.ndjson.gz': gzipSync(
          arrays
            .split('\n')
            .slice(text.slice(0, text.indexOf('\n', 3000)).split('\n').length)
            .join('\n'),
        ),
      }),
    ],
    ['a name with glob characters', async () => ({ [odd]: text })],
    ['Parquet of structs', async () => ({ 'edge_logs.parquet': await parquet('metadata') })],
    [
      'Parquet without zone',
      async () => ({
        'edge_logs.parquet': await parquet('metadata', 'timestamp::timestamptz::timestamp_ns'),
      }),
    ],
    [
      'Parquet of lists',
      async () => ({
        'edge_logs.parquet': await parquet(
          '[{request: [{path: metadata.request.path, cf: [metadata.request.cf]}]}]',
        ),
      }),
    ],
    [
      'Parquet of JSON',
      async () => ({
        'edge_logs.parquet': await parquet('to_json(metadata)::varchar'),
      }),
    ],
    [
      'Parquet of lists of JSON',
      async () => ({
        'edge_logs.parquet': await parquet('[{request: [to_json(metadata.request)::varchar]}]'),
      }),
    ],
    ['zstd', async () => ({ 'edge_logs.ndjson.zst': await makeZstd(`\ufeff${text}`) })],
  ];
  test.each(sample(forms, 5))('%s', async (_name, files) => {
    const expected = await loadFolder(makeFolder({ 'edge_logs.ndjson': text }));
    const report = await loadFolder(makeFolder(await files()));
    expect(report.files.flatMap((file) => file.faults)).toEqual([]);
    expect(await report.rows('edge_logs')).toEqual(await expected.rows('edge_logs'));
    expect(storedFields(report, 'edge_logs')).toEqual(storedFields(expected, 'edge_logs'));
  });
});

describe('faults', () => {
  test('bad lines are skipped, counted and reported', async () => {
    const deep = `{"timestamp":1,"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
    const just = (depth: number) => `{"timestamp":1,"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const bad = ['', '{"id":', '[1]', deep, 'null', just(64), '{"id":"a","timestamp":"2026'];
    const content = [text, '  ', ...bad.slice(0, 6), just(63), bad[6]].join('\n');
    const report = await loadFolder(makeFolder({ 'edge_logs.ndjson': content }));
    expect(report.files).toEqual([
      {
        source: 'edge_logs',
        file: 'edge_logs.ndjson',
        records: 51,
        badLines: 6,
        badFields: 0,
        readable: true,
        faults: [
          { file: 'edge_logs.ndjson', line: 53, message: 'not a JSON object' },
          { file: 'edge_logs.ndjson', line: 54, message: 'not a JSON object' },
          { file: 'edge_logs.ndjson', line: 55, message: 'nested deeper than 64 levels' },
          { file: 'edge_logs.ndjson', line: 56, message: 'not a JSON object' },
          { file: 'edge_logs.ndjson', line: 57, message: 'nested deeper than 64 levels' },
        ],
      },
    ]);
    expect(await report.rows('edge_logs', 'id')).toHaveLength(51);
  });

  test('faults in an array name the element', async () => {
    const array = '[{"timestamp":1},\n{"timestamp":"x"},\n3, {"timestamp":1}]';
    const report = await loadFolder(makeFolder({ 'edge_logs.json': array }));
    expect(report.files).toMatchObject([
      { records: 2, badLines: 2, faults: [{ line: 2 }, { line: 3 }] },
    ]);
  });

  test.each(['[1]', '[{"timestamp":1}', '[]'])(
    '%s is not taken for an array of the whole file',
    async (first) => {
      const report = await loadFolder(
        makeFolder({ 'edge_logs.json': `${first}\n{"timestamp":1}` }),
      );
      expect(report.files).toMatchObject([{ records: 1, badLines: 1, faults: [{ line: 1 }] }]);
    },
  );

  test('bytes that are not UTF-8 become U+FFFD', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"id":"\xff","timestamp":1}\n', 'latin1'),
      Buffer.from(text),
    ]);
    const report = await loadFolder(makeFolder({ 'edge_logs.ndjson': bytes }));
    expect(report.files).toMatchObject([{ records: 51, badLines: 0, faults: [] }]);
    expect(await report.rows('edge_logs', 'id')).toContainEqual({ id: '\ufffd' });
  });

  const gzip = gzipSync(text);
  const broken: readonly (readonly [string, string, () => Promise<Uint8Array> | Uint8Array])[] = [
    ['truncated gzip', 'edge_logs.ndjson.gz', () => gzip.subarray(0, gzip.length - 20)],
    ['not gzip', 'edge_logs.ndjson.gz', () => Buffer.from(text)],
    ['not zstd', 'edge_logs.ndjson.zst', () => Buffer.from(text)],
    ['truncated zstd', 'edge_logs.ndjson.zst', async () => (await makeZstd(text)).subarray(0, -9)],
    [
      'zstd truncated in its header',
      'edge_logs.ndjson.zst',
      async () => (await makeZstd(text)).subarray(0, 7),
    ],
    ['empty zstd', 'edge_logs.ndjson.zst', () => Buffer.alloc(0)],
    ['empty gzip', 'edge_logs.ndjson.gz', () => Buffer.alloc(0)],
    [
      'truncated Parquet',
      'edge_logs.parquet',
      async () => (await makeParquet('from t')).subarray(0, -30),
    ],
    ['not Parquet', 'edge_logs.parquet', () => Buffer.from('PAR1')],
  ];
  test.each(sample(broken, 4))(
    '%s: the file is skipped and named',
    async (_name, file, content) => {
      const whole = { 'edge_logs/good.ndjson': text, 'rest_logs.ndjson': '' };
      const bytes = await content();
      const report = await loadFolder(makeFolder({ ...whole, [file]: bytes }));
      const fault = report.files.find((each) => each.file === file);
      expect(fault).toMatchObject({ records: 0, readable: false, faults: [{ file }] });
      expect(fault?.faults[0]?.message).not.toContain('/tmp');
      expect(await report.rows('edge_logs', 'id')).toHaveLength(50);
      await expect(loadFolder(makeFolder({ [file]: bytes }))).rejects.toThrow(
        'no file can be read',
      );
    },
  );

  test('something that is not a file is reported and does not block', async () => {
    const folder = makeFolder({ 'edge_logs/a.ndjson': text });
    execFileSync('mkfifo', [join(folder, 'edge_logs/pipe.ndjson')]);
    symlinkSync('b.ndjson', join(folder, 'edge_logs/b.ndjson'));
    symlinkSync('nowhere', join(folder, 'edge_logs/c.ndjson'));
    symlinkSync('db_logs', join(folder, 'db_logs'));
    const report = await loadFolder(folder);
    expect(report.files.map(({ faults }) => faults[0]?.message)).toEqual([
      undefined,
      'cannot be read (ELOOP)',
      'cannot be read (ENOENT)',
      'not a regular file',
    ]);
    expect(await report.rows('edge_logs', 'id')).toHaveLength(50);
  });

  test('strict makes them fatal', async () => {
    const folder = makeFolder({ 'edge_logs.ndjson': `${text}\nnot json\n` });
    await expect(loadFolder(folder, { strict: true })).rejects.toMatchObject({
      lines: ['edge_logs.ndjson:51: not a JSON object'],
    });
  });

  test('a missing folder and a folder without sources', async () => {
    await expect(loadFolder('/nowhere')).rejects.toThrow('there is no such folder');
    const folder = makeFolder({ 'other.ndjson': text, 'edge_logs.txt': text });
    mkdirSync(join(folder, 'db_logs'));
    const report = await loadFolder(folder);
    expect(report.files).toEqual([]);
    expect(await report.rows('edge_logs')).toEqual([]);
    expect(storedFields(report, 'edge_logs')).toEqual([
      'id STRING',
      'timestamp TIMESTAMP',
      'event_message STRING',
      'project STRING',
    ]);
  });
});

test('a missing id is made from the record, in whatever file it is', async () => {
  const content =
    '{"timestamp":1}\n{"timestamp":1}\n{"timestamp":1,"id":"own"}\n{"timestamp":2,"id":{}}';
  const ids = async (file: string) =>
    (await loadFolder(makeFolder({ [file]: content }))).rows('edge_logs', 'id, timestamp');
  const [first, again] = [await ids('edge_logs.ndjson'), await ids('edge_logs.ndjson')];
  expect(first).toEqual(again);
  expect(new Set(first.map((row) => JSON.stringify(row))).size).toBe(3);
  expect(await ids('edge_logs.jsonl')).toEqual(first);
});
