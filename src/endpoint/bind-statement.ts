import type { Statement } from '../engine/engine.js';
import type { CompiledQuery } from '../query/compiled-query.js';
import type { Bindings } from './endpoint.js';

/**
 * A compiled query with its values: a parameter `x` is bound as `p_x`, the request's instant as `now`,
 * each only where the text reads it.
 */
export function bindStatement(
  query: CompiledQuery,
  bindings: Bindings,
  { maxRows, now }: { readonly maxRows: number; readonly now: string },
): Statement {
  const parameters = query.parameters.map((name) => [`p_${name}`, bindings[name] ?? null] as const);
  const clock = query.readsClock ? [['now', now] as const] : [];
  const values = Object.fromEntries([...parameters, ...clock]);
  return { sql: query.sql, tables: query.tables, values, maxRows };
}
