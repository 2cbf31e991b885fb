/** JSON with every digit kept: whole numbers are bigint, others number. */
export type Json = string | bigint | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** Reads JSON without rounding: 9007199254740993 stays 9007199254740993. */
export function parseJson(text: string): Json {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^-?\d+$/.test(token) ? JSON.stringify(mark + token) : token,
  );
  return JSON.parse(marked, (_key, value) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** Marks a whole number that is written as a string. */
const mark = '\u0001whole ';

/** Whether the value is an object and neither null nor an array. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as JSON text, for messages. */
export function printJson(value: Json | undefined): string {
  const print = (_key: string, part: unknown) => (typeof part === 'bigint' ? `${part}` : part);
  return value === undefined ? 'nothing' : JSON.stringify(value, print);
}
