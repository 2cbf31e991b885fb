import { QueryFault } from '../../errors/query-fault.js';
import { sameLayout, type Type, typeName } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { notComparable } from '../bound/comparable.js';
import { withSupertype } from '../functions/match-call.js';
import type { SetOperation } from '../syntax/tree.js';
import { castColumns, outputValue } from './cast-columns.js';
import { matchColumns } from './match-columns.js';
import type { StatementScope } from './scope.js';

/**
 * Combines the operands of a set operation, converting their columns to common types.
 * @throws QueryFault if the operands differ in the number of columns, or have incompatible types
 */
export function combineOperands(
  node: SetOperation,
  resolved: readonly bound.Query[],
  newColumn: StatementScope['newColumn'],
): bound.SetOperation {
  const operands = matchColumns(node, resolved, newColumn);
  const [first] = operands;
  if (first === undefined) throw new Error('a set operation without operands');
  checkValueTables(node, operands);
  checkColumnCounts(node, operands, first.columns.length);
  const types = first.columns.map((_, index) => commonType(operands, index, node));
  const columns = first.columns.map((column, index) =>
    newColumn(
      column.name,
      types[index] ?? column.type,
      operands.every((operand) => operand.columns[index]?.isLogField),
    ),
  );
  const { operator, distinct, at } = node;
  const typed = operands.map((operand) => castColumns(operand, types, { newColumn, at }));
  return { kind: 'set-operation', operator, distinct, operands: typed, columns };
}

function checkValueTables(node: SetOperation, operands: readonly bound.Query[]): void {
  const index = operands.findIndex(({ isValue }) => isValue !== operands[0]?.isValue);
  if (index < 0) return;
  const message = `Queries in ${node.operator} must all use SELECT AS STRUCT or AS VALUE, or none of them`;
  throw new QueryFault(message, node.operands[index]?.at ?? node.at);
}

function checkColumnCounts(
  { operator, operands: nodes, at }: SetOperation,
  operands: readonly bound.Query[],
  count: number,
): void {
  for (const [i, { columns }] of operands.entries()) {
    if (columns.length === count) continue;
    const message = `Queries in ${operator} have mismatched column count; query 1 has ${count} column(s), query ${i + 1} has ${columns.length} column(s)`;
    throw new QueryFault(message, nodes[i]?.at ?? at);
  }
}

/** The common type of a column. If each operand of a UNION ALL has the same field of a log there, it keeps its layout. */
function commonType(operands: readonly bound.Query[], index: number, node: SetOperation): Type {
  const columns = operands.flatMap((operand) => operand.columns[index] ?? []);
  const [layout] = columns.map(({ type }) => type);
  const isOfLog = ({ type, isLogField, nullWith }: bound.Column) =>
    isLogField && nullWith === undefined && sameLayout(type, layout ?? type);
  const isAll = node.operator === 'UNION' && !node.distinct;
  if (layout && isAll && columns.length > 1 && columns.every(isOfLog)) return layout;
  const values = operands.flatMap((operand) => outputValue(operand, index) ?? []);
  const type = withSupertype(values)?.type;
  if (type === undefined) {
    const types = values.map((value) => typeName(value.type)).join(', ');
    const message = `Column ${index + 1} in ${node.operator} has incompatible types: ${types}`;
    throw new QueryFault(message, node.at);
  }
  const part = node.distinct ? notComparable(type) : undefined;
  if (part === undefined) return type;
  const message = `Column ${index + 1} in ${node.operator} DISTINCT has type that does not support set operation comparisons: ${part}`;
  throw new QueryFault(message, node.at);
}
