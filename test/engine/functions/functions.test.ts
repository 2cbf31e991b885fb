import { expect, test } from 'vitest';
import { scriptFunctions } from '../../../src/engine/functions/functions.js';
import { allowedFunctions } from '../../../src/engine/verify/allow-list.js';

test('statements may call the functions in JavaScript, and no other of their names', () => {
  const names = scriptFunctions.map(({ name }) => name).sort();
  expect(names.filter((name) => !name.startsWith('js_'))).toEqual([]);
  expect([...allowedFunctions].filter((name) => name.startsWith('js_')).sort()).toEqual(names);
});
