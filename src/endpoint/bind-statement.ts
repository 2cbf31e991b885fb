import type { Statement } from '../engine/engine.js';
import type { CompiledQuery } from '../query/compiled-query.js';
import type { Bindings } from './endpoint.js';

/** What beside its values a statement runs with. */
export interface BindOptions {
  readonly maxRows: number;
  readonly now: string;
  readonly redact?: boolean;
}

/**
 * A compiled query with its values: a parameter `x` is bound as `p_x`, the request's instant as `now`,
 * each only where the text reads it.
 */
export function bindStatement(
  query: CompiledQuery,
  bindings: Bindings,
  { maxRows, now, redact = false }: BindOptions,
): Statement {
  const parameters = query.parameters.map((name) => [`p_${name}`, bindings[name] ?? null] as const);
  const clock = query.readsClock ? [['now', now] as const] : [];
  const values = Object.fromEntries([...parameters, ...clock]);
  const { sql, tables, isFenced } = query;
  return { sql, tables, isFenced, values, maxRows, redact };
}

/** The same statement at another instant. */
export function rebindClock(statement: Statement, now: string): Statement {
  const { values } = statement;
  return 'now' in values ? { ...statement, values: { ...values, now } } : statement;
}
