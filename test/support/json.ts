import { parse } from 'lossless-json';

/** JSON with every digit kept: whole numbers are bigint, others number. */
export type Json = string | bigint | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** Reads JSON without rounding: 9007199254740993 stays 9007199254740993. */
export function parseJson(text: string): Json {
  return parse(text, null, (digits) =>
    /^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits),
  ) as Json;
}

/** Whether the value is an object and neither null nor an array. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as JSON text, for messages. */
export function printJson(value: Json | undefined): string {
  const print = (_key: string, part: unknown) => (typeof part === 'bigint' ? `${part}` : part);
  return value === undefined ? 'nothing' : JSON.stringify(value, print);
}
