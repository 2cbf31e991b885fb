import { describe, expect, test } from 'vitest';
import { loadFolder, loadLines, makeFolder, storedFields } from '../../support/load-logs.js';
import { isFullLength, sample } from '../../support/nightly.js';

const timestamp = '2026-03-10T12:00:00Z';

test.each(
  sample(
    [
      ['first', 'Second', [{ Word: 1 }, { word: 2 }, { word: 3 }], 'Word'],
      ['by its count', 'the other', [{ word: 1 }, { Word: 2 }, { Word: 3 }], 'word'],
    ],
    2,
  ),
)('the spelling that comes %s counts, not %s', async (_one, _other, words, expected) => {
  const report = await loadLines(
    words.map((word, index) => ({ id: `${index}`, timestamp, metadata: { word } })),
  );
  expect(storedFields(report, 'edge_logs')).toContain(`metadata.word.${expected} INT64`);
  const rows = await report.rows('edge_logs', 'metadata.word.word as w');
  expect(rows).toEqual([{ w: '1' }, { w: '2' }, { w: '3' }]);
});

test('keys that cannot be names are in one text', async () => {
  const report = await loadLines([{ id: 'a', timestamp, metadata: { '': 1, 'x\0y': 2, z: 3 } }]);
  const _other_fields = '{"":1,"x\\u0000y":2}';
  const metadata = { z: '3', _other_fields };
  expect(await report.rows('edge_logs', 'metadata')).toEqual([{ metadata }]);
  expect(report.warnings).toEqual([]);
});

test.each(sample(['', 'x\0y'], 2))(
  'any value under the key %j changes nothing else',
  async (key) => {
    // The exponent makes the scan defer the line to DuckDB.
    const text = JSON.stringify({ [key]: [1, 'a', { b: [{ c: 1 }, 2] }] });
    const report = await loadLines([
      `{"id":"a","timestamp":1e9,"metadata":${text},"extra":${text},${text.slice(1)}`,
      'no record',
    ]);
    expect(report.files).toMatchObject([{ records: 1, badLines: 1, badFields: 0 }]);
  },
);

test('a name with a dot is not a path', async () => {
  const metadata = { 'a.b': [{ c: 1 }, { c: 2 }], a: { b: { c: 3 } } };
  const report = await loadLines([{ id: 'a', timestamp, metadata }]);
  expect(await report.rows('edge_logs', 'metadata')).toEqual([
    { metadata: { 'a.b': [{ c: '1' }, { c: '2' }], a: { b: { c: '3' } } } },
  ]);
});

test.runIf(isFullLength)(
  "a line longer than DuckDB's default is read, or reported if memory does not allow it",
  async () => {
    const long = JSON.stringify({ id: 'b', timestamp, event_message: 'x'.repeat(40_000_000) });
    const short = JSON.stringify({ id: 'a', timestamp });
    const folder = makeFolder({ 'edge_logs.ndjson': `${short}\n${long}`, 'db_logs.ndjson': short });
    const report = await loadFolder(folder, { memoryLimit: '2GB' });
    expect(await report.rows('edge_logs', 'length(event_message) as n')).toEqual([
      { n: null },
      { n: '40000000' },
    ]);
    // With less memory it is read, or the file is reported.
    const small = await loadFolder(folder, { memoryLimit: '400MB' });
    const edge = small.files.find(({ source }) => source === 'edge_logs');
    if (edge?.readable === false) expect(edge.faults[0]?.message).toContain('memory');
    else expect(await small.rows('edge_logs', 'id')).toHaveLength(2);
  },
);

test('detects mixed values within one line', async () => {
  const report = await loadLines([
    {
      id: 'a',
      timestamp,
      metadata: { m: [{ q: { z: 1 } }, { q: [{ z: 2, w: [{}] }] }, { q: {} }] },
    },
    { id: 'b', timestamp, metadata: { m: {} } },
  ]);
  expect(storedFields(report, 'edge_logs')).toContain('metadata.m.q.z INT64');
  expect(await report.rows('edge_logs', 'metadata.m as m')).toEqual([
    {
      m: [{ q: { z: '1', w: null } }, { q: { z: '2', w: '[{}]' } }, { q: { z: null, w: null } }],
    },
    { m: [{ q: null }] },
  ]);
});

describe('one record with more fields than a scan remembers', () => {
  const request = [{ path: '/a' }];
  const usual = { own: { deep: 1 }, request };
  /** Keys of the record, or of records in it. */
  const wide = (levels: number) => {
    let value: unknown = Object.fromEntries(Array.from({ length: 25_000 }, (_, n) => [`k${n}`, n]));
    for (let level = 0; level < levels; level++) value = { [`in${level}`]: value };
    return value;
  };
  const record = (id: string, metadata: unknown) => ({ id, timestamp, metadata });

  test.each([0, 1])('declared fields that come later are read (%i levels down)', async (levels) => {
    const report = await loadLines([record('a', wide(levels)), record('b', usual)]);
    const rows = await report.rows('edge_logs', 'id, metadata.request.path');
    expect(rows).toEqual([
      { id: 'a', path: null },
      { id: 'b', path: '/a' },
    ]);
  });

  test('a field with a type is remembered in some spellings only', async () => {
    const spelled = Array.from({ length: 4_096 }, (_, bits) =>
      [...'request_body'].map((c, n) => ((bits >> n) & 1 ? c.toUpperCase() : c)).join(''),
    );
    const odd = Object.fromEntries([...new Set(spelled)].map((name, n) => [name, n]));
    const report = await loadLines([record('a', wide(0)), record('b', { request: odd })]);
    expect(report.warnings.join().length).toBeLessThan(2_000);
    expect(await report.rows('edge_logs', 'id')).toHaveLength(2);
  });

  test('other fields of less depth keep their types', async () => {
    const report = await loadLines([record('a', wide(5)), record('b', usual)]);
    expect(storedFields(report, 'edge_logs')).toContain('metadata.own.deep INT64');
  });

  test('declared fields of a file count beside such a record in another file', async () => {
    const folder = makeFolder({
      'edge_logs/a.ndjson': JSON.stringify(record('a', usual)),
      'edge_logs/b.ndjson': JSON.stringify(record('b', wide(0))),
      'edge_logs/c.ndjson': JSON.stringify(record('c', { request: [{ method: 'GET' }] })),
    });
    const report = await loadFolder(folder);
    const rows = await report.rows('edge_logs', 'metadata.request.path, metadata.request.method');
    expect(rows).toContainEqual({ path: '/a', method: null });
    expect(rows).toContainEqual({ path: null, method: 'GET' });
  });
});
