import { scalar, type Type, typeName } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { coerce, isUntypedArray, plain } from '../bound/coerce.js';
import { readAsType } from '../functions/match-call.js';
import type { StatementScope } from './scope.js';

interface CastOptions {
  readonly newColumn: StatementScope['newColumn'];
  /** The offset of the error if a value cannot be converted. */
  readonly at: number;
}

/** Converts the columns of a query to these types, by wrapping it in a SELECT if necessary. */
export function castColumns(
  operand: bound.Query,
  types: readonly Type[],
  { newColumn, at }: CastOptions,
): bound.Query {
  const fits = operand.columns.every((column, i) => {
    const type = types[i] ?? scalar('STRING');
    return (
      typeName(column.type) === typeName(type) && plain(bound.columnValue(column)).kind === 'column'
    );
  });
  if (fits) return operand;
  const columns = operand.columns.map(({ name, type, isLogField }) =>
    newColumn(name, type, isLogField),
  );
  const items = columns.map((column, i): bound.Item => {
    const literal = operand.body.kind === 'select' ? operand.body.items[i]?.value : undefined;
    const source = literal && hasAnyType(literal) ? literal : bound.columnValue(column);
    const type = types[i] ?? column.type;
    const value = coerce(readAsType(source, type), type, at);
    return { column: newColumn(column.name, value.type), value };
  });
  const { isValue } = operand;
  return {
    ...bound.selectOf(items, { kind: 'derived', query: operand, columns }, { at }),
    isValue,
  };
}

/** Whether an item of a SELECT list keeps the conversions of a literal. */
export function hasAnyType(item: bound.Expression): boolean {
  return item.kind === 'literal' || isUntypedArray(item);
}
