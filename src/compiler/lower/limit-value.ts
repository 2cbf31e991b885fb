import { type StructType, storedNames, type Type } from '../../types/types.js';
import type { TypeLimits } from '../bound/type-limits.js';
import {
  call,
  castTo,
  choose,
  type DuckExpression,
  duckNull,
  integer,
  isNull,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { letOnce } from '../duckdb-sql/let.js';
import { mapList, storedFields } from '../duckdb-sql/plain.js';

/**
 * Applies the parameters of a type to a value: a text that is too long fails; a number is rounded to
 * the scale, and fails if it has too many digits.
 */
export function limitValue(value: DuckExpression, type: Type, limits: TypeLimits): DuckExpression {
  switch (limits.kind) {
    case 'length':
      return limitedBy(value, type, [integer(limits.length)]);
    case 'decimal':
      return limitDecimal(value, type, limits);
    case 'element': {
      if (type.kind !== 'ARRAY') return value;
      return mapList(value, (element) => limitValue(element, type.element, limits.element));
    }
    case 'fields':
      return type.kind === 'STRUCT' ? limitFields(value, type, limits.fields) : value;
  }
}

function limitFields(
  value: DuckExpression,
  type: StructType,
  limits: readonly (TypeLimits | undefined)[],
): DuckExpression {
  const names = storedNames(type);
  return letOnce([value], ([one = value]) => {
    const fields = storedFields(one, type).map(([field, inner], index) => {
      const limit = limits[index];
      const limited = limit === undefined ? inner : limitValue(inner, field.type, limit);
      return { name: names[index] ?? '', value: limited };
    });
    return choose(isNull(one), duckNull, { kind: 'struct', fields });
  });
}

/** The digits after the point that DuckDB stores: a BIGNUMERIC has fewer here than in BigQuery. */
const storedScales: Readonly<Record<string, number>> = { NUMERIC: 9, BIGNUMERIC: 8 };

function limitDecimal(
  value: DuckExpression,
  type: Type,
  { precision, scale }: Extract<TypeLimits, { kind: 'decimal' }>,
): DuckExpression {
  const stored = storedScales[type.kind] ?? 0;
  const places = Math.min(scale, stored);
  const rounded = castTo(call('round', value, integer(places)), duckType(type));
  const whole = '9'.repeat(precision - scale) || '0';
  if (whole.length + stored > 38) return rounded;
  const most = places === 0 ? whole : `${whole}.${'9'.repeat(places)}`;
  const name = `${type.kind}(${scale === 0 ? precision : `${precision}, ${scale}`})`;
  const message = `${name} has precision ${precision} and scale ${scale} but got a value that is not in range of [-${most}, ${most}]`;
  const limit: DuckExpression = { kind: 'number', digits: most };
  return limitedBy(rounded, type, [limit, text(message)]);
}

function limitedBy(value: DuckExpression, { kind }: Type, limit: readonly DuckExpression[]) {
  const name = `limit_${kind.toLowerCase()}`;
  return letOnce([value], ([one = value]) => macro(name, one, ...limit));
}
