import { parseNumberFormat } from '../../values/cast-number-format.js';
import type * as bound from '../bound/bound.js';
import { constantText } from '../bound/constant-text.js';
import { call, castTo, type DuckExpression, nullValue, text } from '../duckdb-sql/duckdb-sql.js';
import { faultsAt } from './format-faults.js';

/**
 * `CAST(n AS STRING FORMAT '999.99')`; `src/values/functions` prints the number.
 * @throws QueryFault if the compiler knows the format and it is invalid
 */
export function castNumberToText(
  [value = nullValue, format = nullValue]: readonly DuckExpression[],
  node: bound.Call,
): DuckExpression {
  const known = constantText(node.args[1]);
  if (typeof known === 'string') faultsAt(node.at, () => parseNumberFormat(known));
  const kind = text(node.args[0]?.type.kind ?? '');
  return call('js_cast_number', castTo(value, 'VARCHAR'), kind, castTo(format, 'VARCHAR'));
}
