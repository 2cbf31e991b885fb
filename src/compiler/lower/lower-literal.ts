import { isRange } from '../../types/ranges.js';
import type { Type } from '../../types/types.js';
import { call, castTo, type DuckExpression, nullValue, text } from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';

/** Lowers a literal, whose value has the notation of `literal.ts`, to a DuckDB constant. */
export function lowerLiteral(value: string | null, type: Type): DuckExpression {
  if (value === null) return castTo(nullValue, duckType(type));
  switch (type.kind) {
    case 'STRING':
      return text(value);
    case 'BOOL':
      return { kind: 'word', word: value.toLowerCase() === 'true' ? 'TRUE' : 'FALSE' };
    case 'INT64':
      return castTo({ kind: 'number', digits: value }, 'BIGINT');
    case 'BYTES':
      return call('unhex', text(Buffer.from(value, 'latin1').toString('hex')));
    default: {
      const stored = isRange(type) ? rangeText(value) : value;
      return castTo(text(stored), duckType(type));
    }
  }
}

/** `[2026-03-01, UNBOUNDED)` as the text of a struct. */
function rangeText(value: string): string {
  const [start, stop] = value.slice(1, -1).split(', ');
  const shown = (bound: string | undefined, open: string) => (bound === 'UNBOUNDED' ? open : bound);
  return `{'start': '${shown(start, '-infinity')}', 'stop': '${shown(stop, 'infinity')}'}`;
}
