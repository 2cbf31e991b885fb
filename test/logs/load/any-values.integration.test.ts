import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { DeclaredSource } from '../../../src/logs/columns/declaration.js';
import { loadFolder, loadLines, makeFolder, storedFields } from '../../support/load-logs.js';
import { nightly } from '../../support/nightly.js';
import { latin, pino, plain, zstd } from '../../support/odd-logs.js';
import { randomFrom } from '../../support/random.js';
import { createRefreshFixture } from '../../support/refresh-fixture.js';
import { inScratch } from '../../support/scratch-database.js';

const typeOf = async (numbers: readonly string[]) => {
  const lines = numbers.map(
    (n, index) => `{"id":"${index}","timestamp":1,"metadata":{"n":${n},"l":{"d":[[],[${n}]]}}}`,
  );
  const report = await loadLines(lines);
  const rows = await report.rows('edge_logs', 'metadata.n::varchar as n');
  const [type] = storedFields(report, 'edge_logs').filter((each) => each.startsWith('metadata.n '));
  return { type, rows: rows.map((row) => (row as { readonly n: string }).n) };
};

const big = '18446744073709551615';

describe('an undeclared number gets a type that holds all its values', () => {
  test.each([
    [['1', '-9223372036854775808', '9223372036854775807'], 'INT64'],
    [['1', '0.1', '1.10', '1e3', '1.7976931348623157e308', '5e-324'], 'FLOAT64'],
    [['9007199254740992', '1.5', '1e22'], 'FLOAT64'],
    [['9007199254740993', '1.5'], 'NUMERIC'],
    [['9223372036854775807', '-0.000000001'], 'NUMERIC'],
    [[big], 'NUMERIC'],
    [['99999999999999999999999999999.999999999', '1'], 'NUMERIC'],
    [['9007199254740993', '0.1234567891'], 'STRING'],
    [['100000000000000000000000000001', '1'], 'STRING'],
    [['1e400', '1'], 'STRING'],
    [['1.00000000000000000000001', '1.10'], 'STRING'],
    [['-0', '1'], 'FLOAT64'],
  ])('%j as %s', async (numbers, expected) => {
    const { type, rows } = await typeOf(numbers);
    expect(type).toBe(`metadata.n ${expected}`);
    if (expected === 'STRING') expect(rows).toEqual(numbers);
    else expect(rows.map(decimalOf)).toEqual(numbers.map(decimalOf));
  });

  test('in lists, at every depth', async () => {
    const lists = [`[${big},1]`, '[9007199254740993]', '[0.5,null]'];
    const report = await loadLines(
      lists.map(
        (l, id) => `{"id":"${id}","timestamp":1,"metadata":{"a":{"l":${l},"x":[{"l":${l}},{}]}}}`,
      ),
    );
    expect(storedFields(report, 'edge_logs')).toEqual(
      expect.arrayContaining(['metadata.a.l NUMERIC[]', 'metadata.a.x.l NUMERIC[]']),
    );
    expect(await report.rows('edge_logs', 'metadata.a.l, metadata.a.x[1].l as x')).toEqual(
      [[`${big}.000000000`, '1.000000000'], ['9007199254740993.000000000'], ['0.500000000']].map(
        (l) => ({ l, x: l }),
      ),
    );
  });

  test('declared numbers without a value, as nginx writes them, are NULL', async () => {
    const lines = ['""', '"-"', '"x"', '"7"'].map(
      (n, id) => `{"id":"${id}","timestamp":1,"metadata":{"response":{"status_code":${n}}}}`,
    );
    const report = await loadLines(lines);
    expect(report.files).toMatchObject([{ badFields: 1, faults: [{ line: 3 }] }]);
    expect(await report.rows('edge_logs', 'metadata.response.status_code as n')).toEqual(
      [null, null, null, '7'].map((n) => ({ n })),
    );
  });
});

/** A number as digits without zeros at the ends, and a power of ten. */
function decimalOf(text: string): string {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  if (short === '') return '0';
  return `${sign}${short}e${Number(power) - fraction.length + digits.length - short.length}`;
}

interface Drawn {
  /** The line as bytes, one character each. */
  readonly line: string;
  readonly numbers: readonly (string | undefined)[];
  readonly text: string;
}

const columns = 6;

/** Lines whose fields `n0` to `n5` have numbers of ever odder kinds, and `s` odd strings. */
function drawLines(seed: number, count: number, isText: boolean): readonly Drawn[] {
  const random = randomFrom(seed);
  const below = (limit: number) => random() % limit;
  const digits = (length: number) => Array.from({ length }, () => below(10)).join('');
  const whole = (length: number) => `${below(2) ? '-' : ''}${1 + below(9)}${digits(length)}`;
  const kinds = [
    () => whole(below(5)),
    () => whole(below(19)),
    () => (below(2) ? whole(below(4)) : `${whole(below(4))}.${digits(1 + below(4))}`),
    () => (below(2) ? whole(16) : `${whole(below(17))}.${digits(1 + below(9))}`),
    () => `${below(2) ? '' : '-'}0.${digits(1 + below(20))}`,
    () =>
      `${whole(below(25))}${below(2) ? '' : `.${digits(1 + below(12))}`}${['', 'e5', 'E-3', 'e+300', 'e400'][below(5)]}`,
  ];
  const pieces = [
    ...['a', 'é', '\\n', '\\u00e9', '\\ud83d\\ude00', '\\ud83d', '\\uDE00', '\\\\ud83d', '\\"'],
    ...['\\u0000', ', ]', ',}', '\\\\', '😀', 'NaN', '\\/'],
    ...(isText ? [] : ['\xff', '\xf0\x9f', '\xc3', '\xed\xa0\xbd']),
  ];
  const latin = (text: string) =>
    [...text].some((letter) => letter > '\xff') || /^[é😀]$/u.test(text)
      ? Buffer.from(text).toString('latin1')
      : text;
  return Array.from({ length: count }, (_, id) => {
    const numbers = Array.from({ length: columns }, (_, column) =>
      below(4) ? kinds[column]?.() : undefined,
    );
    const written = Array.from({ length: below(4) }, () =>
      latin(pieces[below(pieces.length)] ?? ''),
    ).join('');
    const fields = numbers.flatMap((n, column) => (n === undefined ? [] : [`"n${column}": ${n}`]));
    const line = `{"id":"${1e6 + id}","time":${1e9 + id},"msg":"m","level":30,${[...fields, `"s":"${written}"`].join(',')}}`;
    const value = JSON.parse(new TextDecoder().decode(Buffer.from(line, 'latin1')));
    return { line, numbers, text: wellFormed(value.s) };
  });
}

/** `toWellFormed` of newer versions of JavaScript. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** As a line with the columns of a source. */
function asRecord(line: string): string {
  return line
    .replace('"time":', '"timestamp":')
    .replace('"msg":"m","level":30,', '"event_message":"m","metadata":{"level":30,')
    .replace(/$/, '}');
}

async function makeParquet(lines: readonly Drawn[]): Promise<Buffer> {
  const folder = makeFolder({ a: '' });
  const rows = lines.map(({ line }) => {
    const json = asRecord(line).replaceAll("'", "''");
    return `('${json}')`;
  });
  await inScratch((connection) =>
    connection.run(`copy (select json ->> 'id' as id, (json ->> 'timestamp')::bigint as "timestamp",
      'm' as event_message, regexp_extract(json, '"metadata":(.*)}$', 1) as metadata
      from (values ${rows.join(', ')}) as t(json)) to '${folder}/a' (format parquet)`),
  );
  return readFileSync(join(folder, 'a'));
}

const joined = (lines: readonly Drawn[], map = (line: string) => line) =>
  latin(lines.map(({ line }) => `${map(line)}\n`).join(''));
const utf16 = (lines: readonly Drawn[]) => Buffer.from(joined(lines).toString(), 'utf16le');

interface Form {
  readonly name: string;
  readonly source: DeclaredSource;
  readonly make: (lines: readonly Drawn[]) => Buffer | Promise<Buffer>;
  readonly isText?: boolean;
}

const array = (lines: readonly Drawn[], map: (line: string) => string) =>
  latin(`[${lines.map(({ line }) => map(line)).join(',\n ')}]`);

const forms: readonly Form[] = [
  { name: 'app.ndjson', source: plain, make: (lines) => joined(lines, asRecord) },
  { name: 'app.ndjson', source: pino, make: (lines) => joined(lines) },
  { name: 'app.ndjson.gz', source: plain, make: (lines) => gzipSync(joined(lines, asRecord)) },
  {
    name: 'app.ndjson.gz',
    source: pino,
    make: (lines) => Buffer.concat([gzipSync(joined(lines)), Buffer.alloc(512)]),
  },
  { name: 'app.ndjson', source: plain, make: (lines) => gzipSync(joined(lines, asRecord)) },
  { name: 'app.ndjson.zst', source: plain, make: (lines) => zstd(joined(lines, asRecord)) },
  { name: 'app.ndjson.zst', source: pino, make: (lines) => zstd(joined(lines)) },
  { name: 'app.json', source: plain, make: (lines) => array(lines, asRecord) },
  { name: 'app.json', source: pino, make: (lines) => array(lines, (line) => line) },
  {
    name: 'app.ndjson',
    source: plain,
    make: (lines) => Buffer.concat([Buffer.from('\ufeff'), joined(lines, asRecord)]),
  },
  { name: 'app.ndjson', source: pino, make: (lines) => utf16(lines), isText: true },
  {
    name: 'app.ndjson',
    source: pino,
    make: (lines) => Buffer.concat([Buffer.from('\ufeff', 'utf16le'), utf16(lines)]).swap16(),
    isText: true,
  },
];

const fields = [
  ...Array.from({ length: columns }, (_, column) => `metadata.n${column}::varchar as n${column}`),
  'metadata.s as s',
].join(', ');

function expectKept(rows: readonly unknown[], drawn: readonly Drawn[], types: readonly string[]) {
  const isText = (column: number) => types.includes(`metadata.n${column} STRING`);
  const shown = (n: string | null | undefined, column: number) =>
    n === null || n === undefined || isText(column) ? (n ?? null) : decimalOf(n);
  const names = Array.from({ length: columns }, (_, column) => `n${column}`);
  const found = rows.map((row) => {
    const values = row as Readonly<Record<string, string | null>>;
    return [...names.map((name, column) => shown(values[name], column)), values['s']];
  });
  expect(found).toEqual(drawn.map(({ numbers, text }) => [...numbers.map(shown), text]));
}

const seeds = Array.from({ length: nightly(8, 2) }, (_, seed) => seed);

describe.each(seeds)('all values survive, seed %d', (seed) => {
  test.each(forms)('$name, form %#', async ({ name, source, make, isText = false }) => {
    const drawn = drawLines(seed, 40, isText);
    const folder = makeFolder({ [name]: await make(drawn) });
    const report = await loadFolder(folder, { declared: [source] });
    expect(report.files).toMatchObject([{ records: 40, badLines: 0, badFields: 0, faults: [] }]);
    expectKept(await report.rows('app', fields), drawn, storedFields(report, 'app'));
  });

  test('JSON in Parquet', async () => {
    // DuckDB's own strings have only text.
    const drawn = drawLines(seed, 40, true).filter(({ line }) => !/\\u[dD]/.test(line));
    const text = drawn.map((each) => ({ ...each, line: latin(each.line).toString() }));
    const folder = makeFolder({ 'app.parquet': await makeParquet(text) });
    const report = await loadFolder(folder, { declared: [plain] });
    expectKept(await report.rows('app', fields), drawn, storedFields(report, 'app'));
  });

  test('lines that are appended', async () => {
    const drawn = drawLines(seed, 30, false);
    const name = 'edge_logs/a.ndjson';
    const fixture = createRefreshFixture({ [name]: '' });
    for (let from = 0; from < drawn.length; from += 10) {
      appendFileSync(fixture.path(name), joined(drawn.slice(from, from + 10), asRecord));
      await fixture.refresh();
    }
    const reloaded = await fixture.reload();
    expect(fixture.manifest().schemas).toEqual(reloaded.schemas);
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(reloaded));
    fixture.remove();
  });
});

describe('what Parquet holds is kept', () => {
  const rows = async (select: string) => {
    const folder = makeFolder({ a: '' });
    await inScratch((connection) =>
      connection.run(`copy (select 'a' as id, 1::bigint as "timestamp", 1::bigint as time, 'm' as msg,
        ${select}) to '${folder}/a' (format parquet)`),
    );
    return readFileSync(join(folder, 'a'));
  };
  const select = `'nan'::double as x, {n: 'nan'::double, i: '-inf'::double, l: ['inf'::double],
    u: 18446744073709551615::ubigint, h: 123456789012345678901::decimal(30, 0), d: 1.10::decimal(9, 2)} as o`;
  const columns = ['x', 'o.n', 'o.i', 'o.l', 'o.u', 'o.h', 'o.d'];
  const expected = ['nan', 'nan', '-inf', '[inf]', big, '123456789012345678901', '1.1'];

  test.each([
    ['with its columns', plain, ''],
    ['of a shape', pino, 'metadata.'],
  ] as const)('%s', async (_name, source, prefix) => {
    const folder = makeFolder({ 'app.parquet': await rows(select) });
    const report = await loadFolder(folder, { declared: [source] });
    expect(report.files).toMatchObject([{ records: 1, badFields: 0 }]);
    const [row] = await report.rows(
      'app',
      columns.map((name, n) => `${prefix}${name}::varchar as c${n}`).join(', '),
    );
    const found = Object.values(row as object).map((text) =>
      text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''),
    );
    expect(found).toEqual(expected);
  });

  test('whole numbers beside fractions are FLOAT64 if it holds them', async () => {
    const types = async (n: string) => {
      const files = { 'app/a.parquet': await rows(`${n}::bigint as n`) };
      const lines = '{"id":"b","timestamp":2,"n":1.5}';
      const folder = makeFolder({ ...files, 'app/b.ndjson': lines });
      return storedFields(await loadFolder(folder, { declared: [plain] }), 'app').at(-1);
    };
    expect(await types('9007199254740992')).toBe('n FLOAT64');
    expect(await types('9007199254740993')).toBe('n NUMERIC');
  });
});
