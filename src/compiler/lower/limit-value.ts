import { type StructType, storedNames, type Type } from '../../types/types.js';
import type { TypeLimits } from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { letOnce } from '../duckdb-sql/let.js';
import { storedFields } from '../duckdb-sql/plain.js';
import { convertList, convertStruct } from './lower-cast.js';

/**
 * Applies the parameters of a type to a value: a string that is too long fails; a number is rounded to
 * the scale, and fails if it has too many digits. If `safe`, the whole value is NULL if a part of it would fail.
 */
export function limitValue(
  value: DuckExpression,
  type: Type,
  limits: TypeLimits,
  safe: boolean,
): DuckExpression {
  switch (limits.kind) {
    case 'length':
      return limitedBy(value, type, [d.integer(limits.length)]);
    case 'decimal':
      return limitDecimal(value, type, limits);
    case 'element': {
      if (type.kind !== 'ARRAY') return value;
      const { element } = type;
      return convertList(value, (one) => limitValue(one, element, limits.element, safe), safe);
    }
    case 'fields':
      return type.kind === 'STRUCT' ? limitFields(value, type, limits.fields, safe) : value;
  }
}

function limitFields(
  value: DuckExpression,
  type: StructType,
  limits: readonly (TypeLimits | undefined)[],
  safe: boolean,
): DuckExpression {
  const names = storedNames(type);
  return letOnce([value], ([one = value]) => {
    const fields = storedFields(one, type).map(([field, inner], index) => {
      const [limit, name = ''] = [limits[index], names[index]];
      const limited = limit === undefined ? inner : limitValue(inner, field.type, limit, safe);
      return { name, from: name, value: limited };
    });
    return convertStruct(one, fields, safe);
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
  const rounded = d.castTo(d.call('round', value, d.integer(places)), duckType(type));
  const whole = '9'.repeat(precision - scale) || '0';
  if (whole.length + stored > 38) return rounded;
  const most = places === 0 ? whole : `${whole}.${'9'.repeat(places)}`;
  const name = `${type.kind}(${scale === 0 ? precision : `${precision}, ${scale}`})`;
  const message = `${name} has precision ${precision} and scale ${scale} but got a value that is not in range of [-${most}, ${most}]`;
  const limit: DuckExpression = { kind: 'number', digits: most };
  return limitedBy(rounded, type, [limit, d.text(message)]);
}

function limitedBy(value: DuckExpression, { kind }: Type, limit: readonly DuckExpression[]) {
  const name = `limit_${kind.toLowerCase()}`;
  return letOnce([value], ([one = value]) => d.macro(name, one, ...limit));
}
