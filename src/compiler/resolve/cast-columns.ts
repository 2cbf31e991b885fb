import { isPlain, sameLayout, scalar, type Type, typeName } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { coerce, isUntypedArray, plain } from '../bound/coerce.js';
import { readAsType } from '../functions/match-call.js';
import type { StatementScope } from './scope.js';

/**
 * Converts the columns of a query to these types, by wrapping it in a SELECT if necessary.
 * @throws QueryFault at `at` if a value cannot be converted
 */
export function castColumns(
  operand: bound.Query,
  types: readonly Type[],
  { newColumn, at }: Pick<StatementScope, 'newColumn'> & { readonly at: number },
): bound.Query {
  // A type that is not plain is that of a log's field, which needs no conversion.
  const keepsLayout = operand.columns.map(
    ({ type }, i) => !isPlain(type) && sameLayout(type, types[i] ?? type),
  );
  const fits = operand.columns.every((column, i) => {
    const isSame = typeName(column.type) === typeName(types[i] ?? scalar('STRING'));
    return keepsLayout[i] || (isSame && plain(bound.columnValue(column)).kind === 'column');
  });
  if (fits) return operand;
  const columns = operand.columns.map(({ name, type, isLogField }) =>
    newColumn(name, type, isLogField),
  );
  const items = columns.map((column, i): bound.Item => {
    const source = literalAt(operand, i) ?? bound.columnValue(column);
    const type = types[i] ?? column.type;
    const value = keepsLayout[i] ? source : coerce(readAsType(source, type), type, at);
    return { column: newColumn(column.name, value.type, keepsLayout[i]), value };
  });
  const from = { kind: 'derived', query: operand, columns } as const;
  return { ...bound.selectQuery(items, from, { at }), isValue: operand.isValue };
}

/** The value of a query's column: a literal converts to more types than a column does. */
export function outputValue(query: bound.Query, index: number): bound.Expression | undefined {
  const column = query.columns[index];
  return literalAt(query, index) ?? (column && bound.columnValue(column));
}

function literalAt({ body }: bound.Query, index: number): bound.Expression | undefined {
  const item = body.kind === 'select' ? body.items[index]?.value : undefined;
  return item && (item.kind === 'literal' || isUntypedArray(item)) ? item : undefined;
}
