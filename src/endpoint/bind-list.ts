import { readJsonList } from '../values/json-list.js';
import { type Given, textsOf } from './given.js';

/** The largest number of values of one parameter. */
export const maxListValues = 10_000;

/** The form of a list, for messages. */
export const listForm =
  'a list: values separated by commas, or a JSON array of strings, numbers or booleans such as ["a","b"]';

/**
 * The texts of a list parameter. Outside of a JSON array each text may have several, separated by commas, or be a JSON array
 * itself; spaces around them are removed, and empty ones left out.
 * @returns undefined if a text begins as a JSON array and is none
 */
export function listOf(given: Given): readonly string[] | undefined {
  if (typeof given !== 'string' && given.kind === 'array') return given.texts;
  const lists = textsOf(given).map(readList);
  return lists.some((list) => list === undefined) ? undefined : lists.flatMap((list) => list ?? []);
}

function readList(text: string): readonly string[] | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) return readJsonList(trimmed);
  return trimmed
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
