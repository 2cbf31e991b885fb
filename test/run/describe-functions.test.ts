import { expect, test } from 'vitest';
import { functionNames } from '../../src/compiler/functions/functions.js';
import { describeFunctions, readDescriptions } from '../../src/run/describe-functions.js';

const functions = describeFunctions();

test('each function is described once, and nothing else', () => {
  const names = functions.map(({ name }) => name.toLowerCase());
  expect(names.toSorted()).toEqual(functionNames().toSorted());
  expect(Object.keys(readDescriptions()).toSorted()).toEqual(names.toSorted());
});

test('each description is one short sentence', () => {
  const faults = functions.filter(({ description }) => !/^[A-Z01e-].{8,89}\.$/.test(description));
  expect(faults).toEqual([]);
});

test('signatures are as in messages', () => {
  expect(functions.find(({ name }) => name === 'LPAD')).toEqual({
    name: 'LPAD',
    family: 'Strings',
    signatures: ['LPAD(STRING, INT64, [STRING])', 'LPAD(BYTES, INT64, [BYTES])'],
    description: 'The text filled up on the left to a length, or cut to it.',
  });
  expect(functions.every(({ signatures }) => signatures.length > 0)).toBe(true);
});
