import { QueryFault } from '../../errors/query-fault.js';
import {
  arrayType,
  type StructType,
  scalar,
  structType,
  type Type,
  typeName,
} from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { coerce, coercionCost, plain } from '../bound/coerce.js';
import { checkValueSize } from '../bound/size.js';
import { readAsType, withSupertype } from '../functions/match-call.js';
import type { Expression, ExpressionOf } from '../syntax/tree.js';
import { resolveType } from './resolve-cast.js';
import { refuseParameters } from './type-parameters.js';

/** Resolves `[a, b]`; the elements are coerced to their supertype. */
export function resolveArray(
  node: ExpressionOf<'array'>,
  elements: readonly bound.Expression[],
): bound.Expression {
  if (node.type !== undefined) refuseParameters(node.type);
  const wanted = node.type && resolveType(node.type);
  const empty = elements.length === 0 ? scalar('INT64') : undefined;
  const common = wanted || empty ? undefined : withSupertype(elements);
  const element = wanted ?? empty ?? common?.type;
  if (element === undefined) {
    const types = [...new Set(elements.map(({ type }) => typeName(type)))].join(', ');
    const message = `Array elements of types {${types}} do not have a common supertype`;
    throw new QueryFault(message, node.at);
  }
  if (element.kind === 'ARRAY') {
    const message =
      'Cannot construct array with element type ARRAY because nested arrays are not supported';
    throw new QueryFault(message, node.at);
  }
  return {
    kind: 'array',
    ...(empty && !wanted && { isUntyped: true as const }),
    elements: (common?.values ?? elements).map((value) => coerceTo(value, element, node.at)),
    type: arrayType(element),
  };
}

/** Resolves `struct(a, b as c)`: the name of a field is its alias, or the name of its value. */
export function resolveStruct(
  node: ExpressionOf<'struct'>,
  fieldValues: readonly bound.Expression[],
): bound.Expression {
  if (node.type !== undefined) refuseParameters(node.type);
  const wanted = node.type && resolveType(node.type);
  if (wanted?.kind === 'STRUCT' && wanted.fields.length !== fieldValues.length) {
    const message = `STRUCT type has ${wanted.fields.length} fields but constructor call has ${fieldValues.length} fields`;
    throw new QueryFault(message, node.at);
  }
  const fields = wanted?.kind === 'STRUCT' ? wanted.fields : [];
  const values = fieldValues.map((value, i) => {
    const type = fields[i]?.type;
    return type === undefined ? plain(value) : coerceTo(value, type, node.at);
  });
  const names = node.fields.map(
    ({ value, alias }, i) =>
      fields[i]?.name ?? alias?.name ?? (node.isTuple ? '' : impliedName(value)),
  );
  const type: StructType = structType(
    values.map((value, i) => ({ name: names[i] ?? '', type: value.type })),
  );
  return checkValueSize({ kind: 'struct', values, type }, node.at);
}

/** The implied name of an expression: the last part of a path or a field; otherwise empty. */
export function impliedName(node: Expression): string {
  if (node.kind === 'path') return node.parts.at(-1)?.name ?? '';
  return node.kind === 'field' ? node.name.name : '';
}

function coerceTo(value: bound.Expression, type: Type, at: number): bound.Expression {
  const read = readAsType(value, type);
  if (coercionCost(read, type) !== undefined) return coerce(read, type, at);
  throw new QueryFault(`Expected ${typeName(type)} but got ${typeName(value.type)}`, at);
}
