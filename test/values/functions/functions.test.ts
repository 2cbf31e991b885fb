import { expect, test } from 'vitest';
import { allowedFunctions } from '../../../src/engine/verify/allow-list.js';
import { scriptFunctions } from '../../../src/values/functions/functions.js';
import type { TextFunction } from '../../../src/values/functions/script-function.js';

test('statements may call the functions in JavaScript, and no other of their names', () => {
  const names = scriptFunctions.map(({ name }) => name).sort();
  expect(names.filter((name) => !name.startsWith('js_'))).toEqual([]);
  expect([...allowedFunctions].filter((name) => name.startsWith('js_')).sort()).toEqual(names);
});

/** Calls a function of texts. */
function call(name: string, ...args: readonly (string | null)[]) {
  const found = scriptFunctions.find((one) => one.name === name) as TextFunction;
  return found.call(args);
}

test('JSON nulls are removed from an array of 300,000 elements', () => {
  const kept = '1,'.repeat(300_000);
  const stripped = call('js_json_strip_nulls', `[${kept}null,2]`, '$', 'true', 'false');
  expect(stripped === `[${kept}2]`).toBe(true);
});

test('a path makes JSON as deep as in BigQuery, and no deeper', () => {
  const set = (steps: number) =>
    call('js_json_set', 'null', 'true', `$${'[0]'.repeat(steps)}`, '1');
  expect(set(500)).toBe(`${'['.repeat(500)}1${']'.repeat(500)}`);
  expect(() => set(501)).toThrow('JSONPath has more than 500 steps');
});
