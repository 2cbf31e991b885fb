import { hash } from 'node:crypto';
import type { Statement } from '../engine/engine.js';

/** The parts of a cache key besides the statement. */
export interface KeyOptions {
  /** Endpoints do not share results, even for equal statements. */
  readonly endpoint: string;
  /** Whether the request's clock was set; its time is then part of the key. */
  readonly clockFixed: boolean;
  readonly dataVersion: string;
  /** Scopes do not share results: the age of a result would reveal when another caller asked. */
  readonly scope: string;
}

/** Returns a digest of everything that the rows depend on. */
export function cacheKey(statement: Statement, options: KeyOptions): string {
  const { steps = [], maxRows, redact = false, readsOwnRows = false, format } = statement;
  const { endpoint, clockFixed, dataVersion, scope } = options;
  const texts = [...steps, { table: '', ...statement }].map(({ table, sql, values }) => {
    const { now, ...given } = values;
    return [table, sql, Object.entries(given), clockFixed ? now : null];
  });
  const parts = [endpoint, texts, maxRows, redact, readsOwnRows, dataVersion, scope, format];
  return hash('sha256', JSON.stringify(parts), 'base64');
}
