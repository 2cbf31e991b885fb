import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type DeclaredSource, parseDeclaration } from '../../../src/logs/columns/declaration.js';
import { faultLines } from '../../../src/logs/load/report.js';
import { loadFolder, loadLines, makeFolder } from '../../support/load-logs.js';
import { latin, pino, plain, zstd } from '../../support/odd-logs.js';

describe('packed files', () => {
  const lines = '{"id":"a","timestamp":1}\n\n{"id":"b","timestamp":2}\n';
  const packs = [
    ['gz', gzipSync],
    ['zst', zstd],
  ] as const;
  const load = (name: string, bytes: Buffer) => loadFolder(makeFolder({ [name]: bytes }));

  describe.each(packs)('.%s', (suffix, pack) => {
    const packed = pack(Buffer.from(lines));
    test.each([
      ['zeros', Buffer.alloc(700), undefined],
      ['one zero', Buffer.alloc(1), undefined],
      ['a line break', Buffer.from('\n'), '1 bytes after the end'],
      ['garbage', Buffer.from('garbage'.repeat(50_000)), '350000 bytes after the end'],
      ['zeros and garbage', Buffer.from('\0\0\0\0x'), '5 bytes after the end'],
    ])('%s after the data', async (_name, more, message) => {
      const name = `edge_logs.ndjson.${suffix}`;
      const report = await load(name, Buffer.concat([packed, more]));
      expect(report.files).toMatchObject([{ records: 2, badLines: 0, readable: true }]);
      const faults = message === undefined ? [] : [{ message: expect.stringContaining(message) }];
      expect(report.files[0]?.faults).toMatchObject(faults);
      expect(faultLines(report.files)).toHaveLength(faults.length);
    });

    test('several members', async () => {
      const report = await load(`edge_logs.ndjson.${suffix}`, Buffer.concat([packed, packed]));
      expect(report.files).toMatchObject([{ records: 4, faults: [] }]);
    });

    test('UTF-16, with and without a byte order mark', async () => {
      for (const mark of ['', '\ufeff']) {
        const wide = Buffer.from(`${mark}${lines.replace('"a"', '"ä😀\ud83d"')}`, 'utf16le');
        for (const bytes of [wide, Buffer.from(wide).swap16()]) {
          const report = await load(`edge_logs.ndjson.${suffix}`, pack(bytes));
          expect(report.files).toMatchObject([{ records: 2, faults: [] }]);
          expect(await report.rows('edge_logs', 'id')).toEqual([{ id: 'b' }, { id: 'ä😀\ufffd' }]);
        }
      }
    });

    test('an array, and a name that does not tell', async () => {
      const array = pack(Buffer.from('[{"id":"a","timestamp":1}]'));
      expect((await load('edge_logs.json', array)).files).toMatchObject([{ records: 1 }]);
    });
  });

  test.each([4, 65_536, 200_001])('after %i zeros, which a truncation leaves', async (count) => {
    const bytes = Buffer.concat([Buffer.alloc(count), Buffer.from(`${lines}no\n`)]);
    const report = await load('edge_logs.ndjson', bytes);
    const faults = [{ line: 4, message: 'not a JSON object' }];
    expect(report.files).toMatchObject([{ records: 2, badLines: 1, faults }]);
    const wide = Buffer.concat([Buffer.alloc(count), Buffer.from(lines, 'utf16le')]);
    expect((await load('edge_logs.ndjson', wide)).files).toMatchObject([{ records: 2 }]);
    expect((await load('edge_logs.ndjson', Buffer.alloc(count))).files).toMatchObject([
      { records: 0, badLines: 0 },
    ]);
  });

  test('UTF-16, with and without a byte order mark', async () => {
    for (const mark of ['', '\ufeff']) {
      const text = Buffer.from(`${mark}${lines.replace('"a"', '"ä😀\ud83d"')}`, 'utf16le');
      for (const bytes of [text, Buffer.from(text).swap16()]) {
        const report = await load('edge_logs.ndjson', bytes);
        expect(report.files).toMatchObject([{ records: 2, faults: [] }]);
        expect(await report.rows('edge_logs', 'id')).toEqual([{ id: 'b' }, { id: 'ä😀\ufffd' }]);
      }
    }
  });
});

describe('a comma after the last item makes a bad line', () => {
  const good = '{"id":"a","timestamp":1,"s":", ]"}';
  const bad = ['{"id":"b","timestamp":1,}', '{"id":"b","timestamp":1,"l":[1, ]}'];
  test.each(bad)('%s', async (line) => {
    const text = `${good}\n${line}\n`;
    const long = `{"id":"c","timestamp":1,"s":"${'x'.repeat(9_000_000)}"}\n`;
    const array = `[${good},${line}]`;
    const inputs: readonly (readonly [string, string | Buffer, number, DeclaredSource])[] = [
      ['app.ndjson', text, 1, plain],
      ['app.ndjson', `${text}${long}`, 2, plain],
      ['app.ndjson.gz', gzipSync(text), 1, plain],
      ['app.ndjson.zst', zstd(Buffer.from(text)), 1, plain],
      ['app.json', array, 1, plain],
      ['app.ndjson', text.replaceAll('timestamp', 'time'), 1, pino],
      ['app.json', array.replaceAll('timestamp', 'time'), 1, pino],
    ];
    for (const [name, content, records, source] of inputs) {
      const report = await loadFolder(makeFolder({ [name]: content }), { declared: [source] });
      const faults = [{ line: 2, message: 'not a JSON object' }];
      expect(report.files).toMatchObject([{ records, badLines: 1, faults }]);
    }
  });

  test('after a line with several records', async () => {
    const several = parseDeclaration(
      'app',
      '{"records":["all"],"timestamp":"time","project":{"constant":"p"}}',
    );
    const text = '{"all":[{"time":1773144000},{"time":1773144000},7]}';
    const report = await loadFolder(makeFolder({ 'app.ndjson': `${text}\n\nno\n${text}\n` }), {
      declared: [several],
    });
    const faults = [1, 3, 4].map((line) => ({ line, message: 'not a JSON object' }));
    expect(report.files).toMatchObject([{ records: 4, badLines: 3, faults }]);
  });

  test('of an array', async () => {
    const report = await loadFolder(makeFolder({ 'app.json': `[${good},]` }), {
      declared: [plain],
    });
    expect(report.files).toMatchObject([{ records: 1, badLines: 1, faults: [{ line: 2 }] }]);
  });
});

describe('a line that DuckDB would read in its own way', () => {
  const good = '{"id":"a","timestamp":1}';
  const deep = `{"timestamp":1,"a":${'['.repeat(64)}${']'.repeat(64)}}`;
  const tooDeep = 'nested deeper than 64 levels';

  test('nested too deeply, in packed files too', async () => {
    const text = `${good}\n${deep}\n${good}\nno\n`;
    const files = {
      'app.ndjson': text,
      'app.ndjson.gz': gzipSync(text),
      'app.ndjson.zst': zstd(Buffer.from(text)),
      'app.json': `[${good},\n${deep},${good},\n7]`,
    };
    for (const [name, content] of Object.entries(files)) {
      const report = await loadFolder(makeFolder({ [name]: content }), { declared: [plain] });
      const faults = [{ message: tooDeep }, { message: 'not a JSON object' }];
      expect(report.files).toMatchObject([{ records: 2, badLines: 2, faults }]);
    }
  });

  test('nested too deeply, the second record of a line', async () => {
    const several = parseDeclaration(
      'app',
      '{"records":["all"],"timestamp":"time","project":{"constant":"p"}}',
    );
    const lists = `${'['.repeat(63)}${']'.repeat(63)}`;
    const text = `{"all":[{"time":1773144000},{"time":1773144000,"a":${lists}}]}\nno\n`;
    const report = await loadFolder(makeFolder({ 'app.ndjson': text }), { declared: [several] });
    const faults = [
      { line: 1, message: tooDeep },
      { line: 2, message: 'not a JSON object' },
    ];
    expect(report.files).toMatchObject([{ records: 1, badLines: 2, faults }]);
  });

  test('with a form feed, beside carriage returns that JSON allows', async () => {
    const lines = [`${good}\r\r`, '\f', `\f${deep}`, `\r${good}`, 'no', `${good}\f`];
    const report = await loadFolder(makeFolder({ 'app.ndjson': `${lines.join('\n')}\n` }), {
      declared: [plain],
    });
    const faults = [2, 3, 5, 6].map((line) => ({ line, message: 'not a JSON object' }));
    expect(report.files).toMatchObject([{ records: 2, badLines: 4, faults }]);
  });
});

test('odd keys: half a surrogate pair, bytes that are not UTF-8, and escapes', async () => {
  const keys = ['\\ud83d', 'a\xff', '\\u0062\\"', '\\u00e9'];
  const fields = keys.map((key, n) => `"${key}":${n}`).join(',');
  const bytes = latin(`{"id":"a","timestamp":1,"metadata":{${fields}}}\n`);
  const report = await loadFolder(makeFolder({ 'edge_logs.ndjson': bytes }));
  expect(report.files).toMatchObject([{ records: 1, faults: [] }]);
  expect(await report.rows('edge_logs', 'metadata')).toEqual([
    { metadata: { '\ufffd': '0', 'a\ufffd': '1', 'b"': '2', é: '3' } },
  ]);
});

test('each kind of fault has an example, and so has their number', async () => {
  const bad = Array.from({ length: 6 }, () => 'x');
  const lines = '{"timestamp":1,"id":"a","metadata":{"response":{"status_code":"x"}}}';
  const report = await loadLines([...bad, lines]);
  expect(report.files).toMatchObject([{ badLines: 6, badFields: 1 }]);
  const printed = faultLines(report.files);
  expect(printed).toHaveLength(6);
  expect(printed.at(-2)).toBe('edge_logs.ndjson:7: metadata.response.status_code: not INT64');
  expect(printed.at(-1)).toMatch(/^edge_logs.ndjson: 2 more like line 7: /);
});
