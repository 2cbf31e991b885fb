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
  const { sql, values, maxRows, redact = false, isFenced = false } = statement;
  const { endpoint, clockFixed, dataVersion, scope } = options;
  const { now: instant, ...given } = values;
  const when = clockFixed ? instant : null;
  const how = [when, maxRows, redact, isFenced, dataVersion, scope];
  const asked = [endpoint, sql, Object.entries(given), ...how];
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64');
}
