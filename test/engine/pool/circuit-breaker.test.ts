import { expect, test } from 'vitest';
import { createCircuitBreaker } from '../../../src/engine/pool/circuit-breaker.js';

const statement = (sql: string) => ({ sql, tables: [], values: {}, maxRows: 1 });

/** The outcome of a series of runs: `a1!` is caller a's statement 1 killing its process, `a1` not killing it. */
function tell(story: string) {
  let ms = 0;
  const guard = createCircuitBreaker(() => ms);
  for (const word of story.split(' ').filter(Boolean)) {
    const [caller = '', sql = '', killed] = word;
    guard.report(caller, statement(sql), killed === '!');
  }
  const isRefused = (caller: string, sql: string) => {
    try {
      guard.admit(caller, statement(sql));
      return false;
    } catch (error) {
      expect(String(error)).toContain('3 in a row that ended their engine process');
      return true;
    }
  };
  return { isRefused, wait: (by: number) => (ms += by) };
}

test.each([
  ['three of one statement', 'a1! a1! a1!', 'a1', true],
  ['two', 'a1! a1!', 'a1', false],
  ['three of a caller, the third statement', 'a1! a2! a3!', 'a3', true],
  ['three of a caller, not the first statement', 'a1! a2! a3!', 'a1', false],
  ['three of a statement, others between them', 'a1! a2 a1! a2 a1!', 'a1', true],
  ['three that are not in a row', 'a1! a1! a1 a1!', 'a1', false],
  ['three of different callers', 'a1! b1! c1!', 'c1', false],
  ['another caller with the same statement', 'a1! a1! a1!', 'b1', false],
  ['another statement of the caller', 'a1! a1! a1!', 'a2', false],
])('%s', (_what, story, [caller = '', sql = ''], refused) => {
  expect(tell(story).isRefused(caller, sql)).toBe(refused);
});

test('a refusal ends after a minute', () => {
  const { isRefused, wait } = tell('a1! a1! a1!');
  wait(59_999);
  expect(isRefused('a', '1')).toBe(true);
  wait(1);
  expect(isRefused('a', '1')).toBe(false);
});
