import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { loadFolder, makeFolder } from '../../support/load-logs.js';

const numbers = ['1.10', '1e3', '-0', '-0.0', '12345678901234567890123', '1E-400', '7', '2.0'];

/** Each number where the schema has a STRING, and where it has an INT64. */
const metadata = (number: string) =>
  `[{"request":[{"path":${number},"port":2.0}],"response":{"status_code":2.0},
    "mixed":{"b":[ ${number}],"c":"\\u00e9"}, "list":["x",${number},[ ]]}]`.replace(/\n\s*/, '');

const records = numbers.map((number, index) => ({
  id: String(index),
  event_message: number,
  metadata: metadata(number),
}));

const lineOf = ({ id, event_message, metadata }: (typeof records)[number]) =>
  `{"id":"${id}","timestamp":1,"event_message":${event_message},"metadata":${metadata}}`;

const others = [
  '{"id":"8","timestamp":1,"event_message":"m","metadata":{"request":{"path":"x"},"mixed":"t","list":["x"]}}',
];

const lines = [...records.map(lineOf), ...others].join('\n');

const columns = `event_message as m, metadata.request.path as p, metadata.response.status_code as s,
  metadata.mixed as x`;

const expected = [
  ...numbers.map((n) => ({ m: n, p: n, s: '2', x: `{"b":[${n}],"c":"é"}` })),
  { m: 'm', p: 'x', s: null, x: 't' },
];

test('numbers in STRING fields are kept as they are written', async () => {
  const report = await loadFolder(makeFolder({ 'edge_logs.ndjson': lines }));
  expect(await report.rows('edge_logs', columns)).toEqual(expected);
  expect(report.warnings).toEqual([]);
});

test('in Parquet, likewise in texts of JSON', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'load-test-')), 'a.parquet');
  const connection = await (await DuckDBInstance.create()).connect();
  const folder = makeFolder({ 'lines.ndjson': lines });
  await connection.run(`copy (
    select json ->> 'id' as id, 1::bigint as "timestamp", json ->> 'event_message' as event_message,
      (regexp_extract(json::varchar, '"metadata":(.*)}$', 1)) as metadata
    from read_json_objects('${join(folder, 'lines.ndjson')}')) to '${file}' (format parquet)`);
  const report = await loadFolder(makeFolder({ 'edge_logs.parquet': readFileSync(file) }));
  const rows = await report.rows('edge_logs', columns);
  expect(rows.map((row) => ({ ...(row as object), m: '' }))).toEqual(
    expected.map((row) => ({ ...row, m: '' })),
  );
});

test('with two spellings of a key, in lists, and without an id', async () => {
  const report = await loadFolder(
    makeFolder({
      'edge_logs.ndjson': [
        '{"timestamp":1,"metadata":[{"request":{"Path":1.10}},{"request":{"path":2.50}}]}',
        '{"timestamp":2,"metadata":{"request":{"p\\u0061th":3.70,"path":1}}}',
      ].join('\n'),
    }),
  );
  const paths = await report.rows(
    'edge_logs',
    'list_transform(metadata, m -> m.request.path) as p',
  );
  expect(paths).toEqual(expect.arrayContaining([{ p: ['1.10', '2.50'] }, { p: ['3.70'] }]));
});
