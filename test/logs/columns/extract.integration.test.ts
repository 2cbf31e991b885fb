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
