import { afterAll, expect, test } from 'vitest';
import { planFields } from '../../../src/logs/columns/columns.js';
import { columnsQuery } from '../../../src/logs/columns/extract.js';
import { emptyShape, type ScalarKind } from '../../../src/logs/columns/shape.js';
import { loadLines } from '../../support/load-logs.js';
import { openLoadScratch } from '../../support/scratch-database.js';

const { connection, close } = await openLoadScratch();
afterAll(close);

/** The microseconds of a decimal number whose unit is told by its magnitude, rounded down. */
function microsOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace(/^[+-]/, '').split('.');
  const nanos = BigInt(whole + fraction.padEnd(9, '0')) * (text.startsWith('-') ? -1n : 1n);
  const size = BigInt(whole);
  const unit = size < 10n ** 11n ? 10n ** 6n : size < 10n ** 14n ? 10n ** 3n : 1n;
  const divisor = size < 10n ** 17n ? 10n ** 9n : 10n ** 12n;
  const scaled = nanos * unit;
  const floor = scaled / divisor;
  return scaled < 0n && scaled % divisor !== 0n ? floor - 1n : floor;
}

async function ask(texts: readonly string[]): Promise<readonly unknown[]> {
  const list = texts.map((text) => `'${text}'`).join(', ');
  const query = `select epoch_us(log_timestamp(t))::varchar from (select unnest([${list}]) as t)`;
  return (await connection.runAndReadAll(query)).getRowsJson().map(([micros]) => micros);
}

/** The SQL that reads the lines of a file with these kinds of timestamps. */
function columnsQueryOf(scalars: ReadonlySet<ScalarKind>): string {
  const timestamp = { ...emptyShape(), scalars: new Set(scalars) };
  const declaredFields = [
    { name: 'timestamp', type: { kind: 'TIMESTAMP' }, stored: true },
  ] as const;
  const record = { ...emptyShape(), fields: new Map([['timestamp', timestamp]]) };
  const fields = planFields(declaredFields, record);
  return columnsQuery(fields, [], { name: 'edge_logs' });
}

const numbers = [
  ...['0', '-0', '1', '-1', '+5', '00012', '1773144896', '99999999999', '100000000000'],
  ...['99999999999999', '100000000000000', '99999999999999999', '100000000000000000'],
  ...['-99999999999', '-100000000000', '-100000000000000', '-100000000000000000', '-62135596800'],
  ...['1773144896123', '1773144896123456', '1773144896123456789', '-1773144896123456789'],
  ...['0.5', '-0.5', '-1.5', '1.000001', '-1.000001', '1773144896.123', '1773144896.123456'],
  ...['1.9999999', '-0.0000005', '1773144896123.4567', '1773144896123456.7', '-1773144896123.4567'],
  ...['9223372036854775807', '-9223372036854775808', '9223372036854775808'],
].filter((text) => {
  const micros = microsOf(text);
  return micros >= -62_135_596_800_000_000n && micros <= 253_402_300_799_999_999n;
});

test('unix times in any unit, with and without a fraction', async () => {
  expect(await ask(numbers)).toEqual(numbers.map((text) => String(microsOf(text))));
  expect(numbers.length).toBeGreaterThan(30);
});

test('numbers before the year 1, and other texts, are no times', async () => {
  const texts = ['-62135596801', '-62135596800.000001', '1_000', '', '+', '1.5.2'];
  expect(await ask([...texts, '12.3.4', 'inf', 'NaN', '0x10'])).toEqual(
    Array.from({ length: texts.length + 4 }, () => null),
  );
});

const integers = numbers.filter((text) => /^(-?[1-9][0-9]*|0)$/.test(text));

/** The stored microseconds of lines with these timestamps, written as numbers. */
async function load(texts: readonly string[]): Promise<readonly unknown[]> {
  const lines = texts.map((text, at) => `{"id":"${100 + at}","timestamp":${text}}`);
  const { rows } = await loadLines(lines);
  const stored = await rows('edge_logs', 'epoch_us("timestamp")::varchar as micros');
  return stored.map((row) => (row as { readonly micros: string }).micros);
}

test.each([
  ['integers', integers.filter((text) => text !== '9223372036854775808')],
  ['positive integers', integers.filter((text) => BigInt(text) >= 0n && BigInt(text) < 2n ** 63n)],
  ['integers, one beyond INT64', integers],
  ['integers and a fraction', [...integers, '1773144896.123456']],
])('lines with %s as timestamps', async (_title, texts) => {
  expect(await load(texts)).toEqual(texts.map((text) => String(microsOf(text))));
  expect(texts.length).toBeGreaterThan(10);
});

test('integers are read as such, without the way over a text', async () => {
  const query = columnsQueryOf(new Set(['BIGINT', 'UBIGINT']));
  expect(query).not.toContain('log_timestamp');
  expect(columnsQueryOf(new Set(['UBIGINT', 'VARCHAR']))).toContain('log_timestamp');
});

const lists = [
  ...['["x", null, "1"]', '[]', '[null]', '[1, -9007199254740993]', '[0.1, -0.0, 1e300, 5e-324]'],
  ...['[true, null, false]', '["2026-03-10", ""]'],
];

/** Lists of each type of element in a record and in records of a list, which have each `times` times. */
async function loadLists(times: number): Promise<readonly unknown[]> {
  const fields = Array.from({ length: times }, (_, n) =>
    lists.map((list, at) => `"f${at}x${n}":${list}`),
  );
  const record = `{${fields.flat().join()}}`;
  const { rows } = await loadLines([
    `{"id":"a","timestamp":1773144896,"metadata":{"one":${record},"many":[${record},{"f0x0":["y"]}]}}`,
    '{"id":"b","timestamp":1773144896,"metadata":{"many":[]}}',
  ]);
  const columns = [0, 3, 4, 5, 6].map(
    (at) => `metadata.one.f${at}x0::varchar as one${at},
      list_transform(metadata.many, lambda m: m.f${at}x0)::varchar as many${at}`,
  );
  return rows('edge_logs', columns.join());
}

test('lists of a record that has many are stored as those of one that has few', async () => {
  const few = await loadLists(1);
  expect(await loadLists(50)).toEqual(few);
  expect(JSON.stringify(few)).toContain('[0.1, -0.0, 1e+300, 5e-324]');
});

test('many lists of a record share a lambda', () => {
  const lambdas = (length: number) => {
    const texts = { ...emptyShape(), scalars: new Set(['VARCHAR'] as const) };
    const list = { ...emptyShape(), elements: texts };
    const fields = new Map(Array.from({ length }, (_, n) => [`f${n}`, list]));
    const record = {
      ...emptyShape(),
      fields: new Map([['metadata', { ...emptyShape(), fields }]]),
    };
    return columnsQuery(planFields([], record), [], { name: 'edge_logs' }).split('lambda').length;
  };
  expect(lambdas(1_000)).toBe(lambdas(300));
});
