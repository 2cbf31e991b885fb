import { afterAll, beforeAll, expect, test } from 'vitest';
import { nightly } from '../support/nightly.js';
import { randomFrom } from '../support/random.js';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';

// Casts, arithmetic and FORMAT give the digits that exact arithmetic gives, whatever the number is.

const rounds = nightly(20, 2);
/** The number of values in a query. */
const together = 100;
const next = randomFrom(2026);
let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner();
});
afterAll(() => runner.close());

/** An exact number: `units / 10 ** scale`. */
interface Exact {
  readonly units: bigint;
  readonly scale: number;
}

function pick<T>(items: readonly T[]): T {
  return items[next() % items.length] as T;
}

function randomDigits(count: number): string {
  return Array.from({ length: count }, () => next() % 10).join('');
}

/** A number as people write it: `-12.50e+3`. */
function randomNumber(): string {
  const whole = randomDigits(pick([1, 2, 12, 28, 31]));
  const part = randomDigits(pick([0, 1, 3, 9, 15]));
  const digits = pick([`${whole}.${part}`, part === '' ? whole : `.${part}`]);
  const power = `${pick(['e', 'E'])}${pick(['', '-', '+'])}${pick([0, 1, 3, 8, 9, 11, 20, 28, 40])}`;
  return pick(['', '-', '+']) + digits + pick([power, power, '']);
}

/** A string that is a NUMERIC. */
function randomNumeric(): string {
  const whole = randomDigits(pick([1, 2, 3, 6, 12, 19, 20, 28]));
  return `${pick(['', '-'])}${whole}.${randomDigits(pick([1, 2, 5, 8]))}${pick(['', '5'])}`;
}

function parse(text: string): Exact {
  const [, sign, whole = '', part = '', power = '0'] =
    /^([-+]?)(\d*)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  const units = BigInt(whole + part) * (sign === '-' ? -1n : 1n);
  const scale = part.length - Number(power);
  return scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale };
}

/** The quotient, rounded half away from zero. */
function divide(units: bigint, by: bigint): bigint {
  const [size, divisor] = [units < 0n ? -units : units, by < 0n ? -by : by];
  const quotient = (2n * size + divisor) / (2n * divisor);
  return units < 0n === by < 0n ? quotient : -quotient;
}

/** The units of the nearest number with this many decimals. */
function round({ units, scale }: Exact, decimals: number): bigint {
  const more = decimals - scale;
  return more >= 0 ? units * 10n ** BigInt(more) : divide(units, 10n ** BigInt(-more));
}

/** The units as a string without useless zeros; null if there are more than that many digits. */
function print(units: bigint, scale: number, digits = 38): string | null {
  if (String(units).replace('-', '').length > digits) return null;
  const text = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const [whole, part] = [text.slice(0, text.length - scale), text.slice(text.length - scale)];
  const shown = `${whole}.${part}`.replace(/\.?0+$/, '');
  return units < 0n ? `-${shown}` : shown;
}

const asNumeric = (value: Exact) => print(round(value, 9), 9);

/** Here, a BIGNUMERIC has 8 decimals, and a number that needs more is refused. */
function asBigNumeric(value: Exact): string | null {
  const units = round(value, 8);
  return units * 10n ** BigInt(Math.max(value.scale - 8, 0)) ===
    value.units * 10n ** BigInt(Math.max(8 - value.scale, 0))
    ? print(units, 8)
    : null;
}

function asInt64(value: Exact): string | null {
  const units = round(value, 0);
  return BigInt.asIntN(64, units) === units ? String(units) : null;
}

/** Checks expressions of `r` over random values, in one query; each has a function that computes its string. */
async function expectExact<T>(
  values: readonly T[],
  row: (value: T) => string,
  columns: Readonly<Record<string, readonly [sql: string, exact: (value: T) => string | null]>>,
): Promise<void> {
  const items = Object.entries(columns).map(([name, [sql]]) => `cast(${sql} as string) as ${name}`);
  const rows = await runner.run(
    `select ${items.join(', ')} from unnest([${values.map(row).join(', ')}]) as r with offset as o order by o`,
  );
  const expected = values.map((value) =>
    Object.fromEntries(Object.entries(columns).map(([name, [, exact]]) => [name, exact(value)])),
  );
  const wrong = rows.flatMap((found, index) =>
    JSON.stringify(found) === JSON.stringify(expected[index])
      ? []
      : [{ value: values[index], found, expected: expected[index] }],
  );
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(rows).toHaveLength(values.length);
}

const few = <T>(make: () => T): readonly T[] => Array.from({ length: together }, make);
const all = Array.from({ length: rounds }, (_, index) => index);

test.each(all)('strings become numbers (%i)', async () => {
  await expectExact(few(randomNumber), (text) => `'${text}'`, {
    n: ['safe_cast(r as numeric)', (text) => asNumeric(parse(text))],
    b: ['safe_cast(r as bignumeric)', (text) => asBigNumeric(parse(text))],
    p: ['safe.parse_numeric(r)', (text) => asNumeric(parse(text))],
    i: ['lax_int64(to_json(r))', (text) => asInt64(parse(text))],
  });
});

test.each(all)('arithmetic of NUMERIC (%i)', async () => {
  const decimals = pick([-12, -3, -1, 0, 1, 4, 8]);
  type Pair = readonly [string, string];
  const exact =
    (compute: (a: bigint, b: bigint) => bigint | null) =>
    ([a, b]: Pair): string | null => {
      const units = compute(round(parse(a), 9), round(parse(b), 9));
      return units === null ? null : print(units, 9);
    };
  const unit = 10n ** 9n;
  const place = 10n ** BigInt(9 - decimals);
  await expectExact(
    few((): Pair => [randomNumeric(), randomNumeric()]),
    ([a, b]) => `struct(numeric '${a}' as a, numeric '${b}' as b)`,
    {
      plus: ['safe_add(r.a, r.b)', exact((a, b) => a + b)],
      minus: ['safe_subtract(r.a, r.b)', exact((a, b) => a - b)],
      times: ['safe_multiply(r.a, r.b)', exact((a, b) => divide(a * b, unit))],
      per: ['safe_divide(r.a, r.b)', exact((a, b) => (b === 0n ? null : divide(a * unit, b)))],
      rest: ['if(r.b = 0, null, mod(r.a, r.b))', exact((a, b) => (b === 0n ? null : a % b))],
      near: [`safe.round(r.a, ${decimals})`, exact((a) => divide(a, place) * place)],
      cut: [`trunc(r.a, ${decimals})`, exact((a) => (a / place) * place)],
    },
  );
});

test.each(all)('FORMAT and casts of FLOAT64 (%i)', async () => {
  const randomFloat = () =>
    (next() / 2 ** 32 + 0.1) * 10 ** pick([-8, -3, 0, 3, 9, 16, 21, 25, 85, 300]);
  /** The digits of a whole number that a FLOAT64 is. */
  const whole = (value: number) => String(BigInt(value));
  await expectExact(few(randomFloat), (value) => `cast('${value}' as float64)`, {
    f: ["format('%.2f', r)", (value) => (value < 1e16 ? fixed(value, 2) : `${whole(value)}.00`)],
    n: ['safe_cast(r as numeric)', (value) => asNumeric(exactFloat(value))],
  });
});

/** A FLOAT64 is a whole number of some power of two. */
function exactFloat(value: number): Exact {
  let [size, scale] = [value, 0];
  while (!Number.isInteger(size)) {
    size *= 2;
    scale += 1;
  }
  return { units: BigInt(size) * 5n ** BigInt(scale), scale };
}

/** The exact value with this many decimals, as C's printf rounds it: half to even. */
function fixed(value: number, decimals: number): string {
  const { units, scale } = exactFloat(value);
  const place = 10n ** BigInt(Math.max(scale - decimals, 0));
  const [quotient, rest] = [units / place, units % place];
  const isUp = 2n * rest > place || (2n * rest === place && quotient % 2n === 1n);
  const shown = (quotient + (isUp ? 1n : 0n)) * 10n ** BigInt(Math.max(decimals - scale, 0));
  const text = String(shown).padStart(decimals + 1, '0');
  return `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}
