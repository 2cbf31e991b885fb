import { expect, test } from 'vitest';
import { scriptFunctions } from '../../../src/engine/functions/functions.js';
import type { TextFunction } from '../../../src/engine/functions/script-function.js';
import { allowedFunctions } from '../../../src/engine/verify/allow-list.js';

test('statements may call the functions in JavaScript, and no other of their names', () => {
  const names = scriptFunctions.map(({ name }) => name).sort();
  expect(names.filter((name) => !name.startsWith('js_'))).toEqual([]);
  expect([...allowedFunctions].filter((name) => name.startsWith('js_')).sort()).toEqual(names);
});

test('JSON nulls are removed from an array of 300,000 elements', () => {
  const strip = scriptFunctions.find(({ name }) => name === 'js_json_strip_nulls');
  const kept = '1,'.repeat(300_000);
  const call = strip?.call as TextFunction['call'];
  expect(call([`[${kept}null,2]`, '$', 'true', 'false']) === `[${kept}2]`).toBe(true);
});
