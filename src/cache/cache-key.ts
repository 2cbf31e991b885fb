import { createHash } from 'node:crypto';
import type { Statement } from '../engine/engine.js';

/** What beside the statement tells one kept result from another. */
export interface KeyOptions {
  /** Of two endpoints that run the same, each keeps its own. */
  readonly endpoint: string;
  /** True where the request's instant was given: it is then part of what was asked. */
  readonly clockFixed: boolean;
  readonly dataVersion: string;
  /** Callers of different scopes share no result: its age tells when somebody asked for it. */
  readonly scope: string;
}

/** The key of what would run: no two statements whose rows may differ have one. */
export function keyOf(statement: Statement, options: KeyOptions): string {
  const { steps = [], maxRows, redact = false, readsOwnRows = false } = statement;
  const { endpoint, clockFixed, dataVersion, scope } = options;
  const texts = [...steps, { table: '', ...statement }].map(({ table, sql, values }) => {
    const { now, ...given } = values;
    return [table, sql, Object.entries(given), clockFixed ? now : null];
  });
  const asked = [endpoint, texts, maxRows, redact, readsOwnRows, dataVersion, scope];
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64');
}
