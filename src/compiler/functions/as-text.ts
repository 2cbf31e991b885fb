import type { Type } from '../../types/types.js';
import { castTo, type DuckExpression, macro } from '../duckdb-sql/duckdb-sql.js';

const macros: ReadonlySet<string> = new Set([
  'BIGNUMERIC',
  'BYTES',
  'DATETIME',
  'FLOAT64',
  'INTERVAL',
  'NUMERIC',
  'TIME',
  'TIMESTAMP',
]);

/** The text of a scalar value, as `CAST(… AS STRING)` returns it. */
export function asText(value: DuckExpression, { kind }: Type): DuckExpression {
  if (kind === 'STRING') return value;
  if (macros.has(kind)) return macro(`${kind.toLowerCase()}_to_string`, value);
  return castTo(value, 'VARCHAR');
}
