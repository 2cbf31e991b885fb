import { describe, expect, test } from 'vitest';
import { type Fault, ServiceError, shorten, shortName } from '../../src/errors/errors.js';
import { QueryFault, toServiceError } from '../../src/errors/query-fault.js';
import { errorResponse } from '../../src/http/error-response.js';
import { errorOf } from '../support/app-fixture.js';

const fault = (message: string, location = 'x'): Fault => ({
  reason: 'invalid',
  message,
  location,
});

/** The parts of an error that a caller sees. */
async function printed(error: ServiceError) {
  const { message, errors } = await errorOf(errorResponse(error, 'id'));
  return { message, faults: errors as readonly Partial<Fault>[] };
}

describe('the length of an error is limited', () => {
  test('a message has at most 500 characters, a location 100', async () => {
    const error = new ServiceError('invalid', 'm'.repeat(501), { location: 'l'.repeat(101) });
    const { message, faults } = await printed(error);
    expect(message).toBe(`${'m'.repeat(499)}…`);
    expect(faults).toEqual([fault(message, `${'l'.repeat(99)}…`)]);
  });

  test('nothing is truncated at the limit', async () => {
    const error = new ServiceError('invalid', 'm'.repeat(500), { location: 'l'.repeat(100) });
    expect((await printed(error)).faults).toEqual([fault('m'.repeat(500), 'l'.repeat(100))]);
  });

  test('at most ten faults are listed, and the message counts the others', async () => {
    const many = Array.from({ length: 89 }, (_, n) => fault(`${n} ${'m'.repeat(1_000)}`));
    const { message, faults } = await printed(ServiceError.of([fault('first'), ...many]));
    expect(faults).toHaveLength(10);
    expect(faults.map((one) => one.message?.length)).toEqual([5, ...Array(9).fill(500)]);
    expect(message).toHaveLength(500);
    expect(message).toMatch(/^first; 0 m+…; and 80 more$/);
  });

  test('ten faults are all listed', async () => {
    const nine = Array.from({ length: 9 }, (_, n) => fault(`${n}`));
    const { message, faults } = await printed(ServiceError.of([fault('first'), ...nine]));
    expect(faults).toHaveLength(10);
    expect(message).toBe('first; 0; 1; 2; 3; 4; 5; 6; 7; 8');
  });

  test('a truncated message keeps its position', () => {
    const { message } = toServiceError(new QueryFault('m'.repeat(1_000), 2), 'a\nb');
    expect(message).toHaveLength(500);
    expect(message).toMatch(/m… at \[2:1\]$/);
  });
});

test('a text is never truncated inside a character', () => {
  expect(shorten('ab\u{1f600}cd', 4)).toBe('ab…');
  expect(shorten('ab\u{1f600}cd', 5)).toBe('ab\u{1f600}…');
  expect(shortName('x'.repeat(100))).toBe('x'.repeat(100));
});
