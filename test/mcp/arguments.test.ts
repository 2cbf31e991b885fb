import { expect, test } from 'vitest';
import { ServiceError } from '../../src/errors/errors.js';
import { type Arguments, readArguments } from '../../src/mcp/arguments.js';

/** That many unknown arguments. */
const unknown = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`projekt${n}`, n]));

function faultsOf(given: Arguments): ServiceError['faults'] {
  try {
    readArguments(given, ['project']);
  } catch (error) {
    if (error instanceof ServiceError) return error.faults;
  }
  throw new Error('not refused');
}

test('more than 100 arguments are refused before they are read', () => {
  expect(faultsOf(unknown(101))).toEqual([
    { reason: 'bodyTooLarge', message: 'The call has more than its limit of 100 arguments' },
  ]);
});

test('no more faults are made than an error lists', () => {
  const faults = faultsOf(unknown(100));
  expect(faults).toHaveLength(10);
  expect(faults[9]?.message).toBe('Unknown argument projekt9; did you mean project?');
});

test('an array has at most 10000 values', () => {
  const given = (count: number) => ({ project: Array.from({ length: count }, () => 1) });
  expect(readArguments(given(10_000), ['project']).size).toBe(1);
  expect(faultsOf(given(10_001))[0].message).toMatch(/or an array of at most 10000 of these$/);
});
