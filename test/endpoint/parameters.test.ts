import { expect, test } from 'vitest';
import type { Parameter } from '../../src/endpoint/endpoint.js';
import { bindParameters } from '../../src/endpoint/parameters.js';
import { ServiceError } from '../../src/errors/errors.js';

const parameter = (more: Partial<Parameter>): Parameter => ({
  name: 'x',
  type: 'string',
  required: false,
  ...more,
});

function faultsOf(parameters: readonly Parameter[], given: Readonly<Record<string, string>>) {
  try {
    bindParameters(parameters, new Map(Object.entries(given)));
  } catch (error) {
    if (error instanceof ServiceError) return error.faults;
    throw error;
  }
  throw new Error('nothing was refused');
}

test.each<[Partial<Parameter>, string, string | null]>([
  [{}, '', null],
  [{ default: 'd' }, '', 'd'],
  [{}, 'a\u0000b', 'a\u0000b'],
  [{}, 'a\ud800b', 'a\ufffdb'],
  [{}, '\u{1f600}', '\u{1f600}'],
  [{}, "'; drop table x --", "'; drop table x --"],
  [{}, 'x'.repeat(60_000), 'x'.repeat(60_000)],
  [{ oneOf: ['a', 'b'] }, 'b', 'b'],
  [{ type: 'integer' }, '9223372036854775807', '9223372036854775807'],
  [{ type: 'integer' }, '-9223372036854775808', '-9223372036854775808'],
  [{ type: 'integer' }, '+007', '7'],
  [{ type: 'number' }, '-1.5e3', '-1.5e3'],
  [{ type: 'number' }, '.5', '.5'],
  [{ type: 'boolean' }, 'TRUE', 'true'],
  [{ type: 'timestamp' }, '2026-03-10 13:00:00+01:00', '2026-03-10T12:00:00.000000+00:00'],
  [{ type: 'date' }, '2026-02-28', '2026-02-28'],
  [{ type: 'regexp' }, '(', '('],
])('%o binds %j as %j', (more, text, expected) => {
  expect(bindParameters([parameter(more)], new Map([['x', text]]))).toEqual({ x: expected });
});

test.each<[Partial<Parameter>, string, string, string]>([
  [{ required: true }, '', 'required', 'x'],
  [{ required: true, oneOf: ['a', 'b'] }, '', 'required', 'a, b'],
  [{ oneOf: ['a', 'b'] }, 'A', 'invalid', 'a, b'],
  [{ type: 'integer' }, '9223372036854775808', 'invalid', 'integer'],
  [{ type: 'integer' }, '1.0', 'invalid', 'integer'],
  [{ type: 'integer' }, '1 ', 'invalid', 'integer'],
  [{ type: 'number' }, 'NaN', 'invalid', 'number'],
  [{ type: 'number' }, '1e999', 'invalid', 'number'],
  [{ type: 'number' }, '0x10', 'invalid', 'number'],
  [{ type: 'boolean' }, 'yes', 'invalid', 'true or false'],
  [{ type: 'timestamp' }, '2026-02-30', 'invalid', 'ISO 8601'],
  [{ type: 'date' }, '2026-02-30', 'invalid', 'a date such as'],
  [{ type: 'date' }, '2026-02-28T00:00:00Z', 'invalid', 'a date such as'],
])('%o refuses %j as %s', (more, text, reason, words) => {
  const [fault, ...others] = faultsOf([parameter(more)], { x: text });
  expect(fault).toMatchObject({ reason, location: 'x' });
  expect(fault?.message).toContain(words);
  expect(others).toEqual([]);
});

test('every fault is reported, and undeclared names are ignored', () => {
  const parameters = [
    parameter({ name: 'a', required: true }),
    parameter({ name: 'b', type: 'integer' }),
    parameter({ name: 'c' }),
  ];
  const faults = faultsOf(parameters, { b: 'x', c: 'fine', toString: 'x', __proto__: 'x' });
  expect(faults.map(({ reason, location }) => [reason, location])).toEqual([
    ['required', 'a'],
    ['invalid', 'b'],
  ]);
});

test('a parameter may be called __proto__ or constructor', () => {
  const names = ['__proto__', 'constructor', 'toString'];
  const bound = bindParameters(
    names.map((name) => parameter({ name })),
    new Map([['__proto__', 'v']]),
  );
  expect(Object.entries(bound)).toEqual([
    ['__proto__', 'v'],
    ['constructor', null],
    ['toString', null],
  ]);
});
