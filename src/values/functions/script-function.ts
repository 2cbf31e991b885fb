import { LRUCache } from 'lru-cache';

/**
 * A function in JavaScript that statements may call, for what DuckDB and macros cannot compute. The
 * same arguments always give the same result.
 */
export type ScriptFunction = TextFunction | BytesFunction;

/** A function of one or more strings; each may be NULL. */
export interface TextFunction {
  readonly input: 'texts';
  readonly name: string;
  readonly result: 'VARCHAR' | 'BOOLEAN';
  /** @throws ValueFault if BigQuery's function fails */
  readonly call: (args: readonly Text[]) => Text | boolean;
}

/** A string, or NULL. */
export type Text = string | null;

/** A function of one value of bytes. NULL gives NULL without a call. */
export interface BytesFunction {
  readonly input: 'bytes';
  readonly name: string;
  readonly result: 'BIGINT' | 'BLOB';
  readonly call: (bytes: Uint8Array) => bigint | Uint8Array;
}

/** The maximum number of remembered results; a statement has far fewer constants. */
const maxRemembered = 100;

/** Remembers results: a query's constant arguments are parsed once, not for each row. */
export function remember<T extends object>(read: (text: string) => T): (text: string) => T {
  const results = new LRUCache<string, T>({ max: maxRemembered, memoMethod: (text) => read(text) });
  return (text) => results.memo(text);
}
