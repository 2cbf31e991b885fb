import { sliceJson } from './slice-json.js';

/**
 * Reads a JSON array of strings, numbers and booleans as strings: `[1, "a", true]` -> `1`, `a`, `true`. Numbers keep
 * all their digits. Undefined for any other string, and for an array with other elements.
 */
export function readJsonList(text: string): readonly string[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const raws = sliceJson(text).map(({ raw }) => raw);
    // Refuse these before JSON.parse, which is slow on thousands of brackets.
    if (raws.some((raw) => /^[{[n]/.test(raw))) return undefined;
    JSON.parse(text);
    return raws.map((raw) => (raw.startsWith('"') ? JSON.parse(raw) : raw));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
