import { readJsonList } from '../values/json-list.js';
import { type Given, givenTexts } from './given.js';

/** The maximum number of values of one parameter. */
export const maxListValues = 10_000;

/** The form of a list, for messages. */
export const listForm =
  'a list: values separated by commas, or a JSON array of strings, numbers or booleans such as ["a","b"]';

/**
 * The values of a list parameter. Outside of a JSON array, each string may contain several values, separated by commas,
 * or be a JSON array itself; spaces around values are removed, and empty values are omitted.
 * @returns undefined if a string begins like a JSON array but is not one
 */
export function boundList(given: Given): readonly string[] | undefined {
  if (typeof given !== 'string' && given.kind === 'array') return given.texts;
  const lists = givenTexts(given).map(readList);
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
