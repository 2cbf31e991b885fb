import { QueryFault } from '../../errors/query-fault.js';
import { isOpen, isPlain, shortTypeName } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { keepElements, plain } from '../bound/coerce.js';
import { boundLiteral } from '../bound/literal.js';
import { callByName, partOfText } from '../functions/match-call.js';
import { asInteger } from '../functions/read-open.js';
import type { Expression, ExpressionOf } from '../syntax/tree.js';
import { fieldAt, resolvePart, type Scope } from './scope.js';

/** The functions of a subscript; an index without one counts from 0, like OFFSET. */
const positions = ['offset', 'ordinal', 'safe_offset', 'safe_ordinal'] as const;

/**
 * Resolves `array[offset(0)]`, `json['key']` and `struct[0]`.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#array_subscript_operator
 */
export function resolveIndex(node: ExpressionOf<'index'>, scope: Scope): bound.Expression {
  const of = resolvePart(node.of, scope);
  const { position, inner } = readPosition(node.index);
  const subscript = { position, index: resolvePart(inner, scope), at: node.at };
  if (of.type.kind === 'ARRAY') return elementAt(of, subscript);
  if (of.type.kind === 'STRUCT') return structAt(of, subscript);
  if (isOpen(of.type)) return partAt(of, subscript);
  if (of.type.kind === 'JSON') return callByName('$json_at', [of, subscript.index], node.at);
  const message = `Element access using [] is not supported on values of type ${shortTypeName(of.type)}`;
  throw new QueryFault(message, node.at);
}

interface Subscript {
  readonly position: (typeof positions)[number];
  readonly index: bound.Expression;
  readonly at: number;
}

function readPosition(
  node: Expression,
): Pick<Subscript, 'position'> & { readonly inner: Expression } {
  const [argument] = node.kind === 'call' ? node.arguments : [];
  const [name] = node.kind === 'call' ? node.path : [];
  const position = positions.find((word) => word === name?.name.toLowerCase());
  if (position === undefined || argument === undefined) return { position: 'offset', inner: node };
  return { position, inner: argument.value };
}

function elementAt(of: bound.Expression, { position, index, at }: Subscript): bound.Expression {
  const { type } = of;
  const first = position.endsWith('ordinal') ? '1' : '0';
  const isFirst = index.kind === 'literal' && index.value === first;
  const isSafe = position.startsWith('safe');
  // Keeps the stored layout: the plain type would lose declared fields that are not stored.
  if (type.kind === 'ARRAY' && !isPlain(type) && isFirst && isSafe) {
    return { kind: 'only', of, type: type.element };
  }
  const array = plain(of);
  const call = callByName(`$${position}`, [array, index], at);
  const kept = keepElements(array);
  if (kept === array || call.kind !== 'call' || kept.type.kind !== 'ARRAY') return call;
  return { ...call, args: [kept, ...call.args.slice(1)], type: kept.type.element };
}

/** An element of a list in an open string; NULL if there is none. An object is its own first element. */
function partAt(of: bound.Expression, { position, index: given, at }: Subscript): bound.Expression {
  const index = asInteger(given);
  if (position.endsWith('offset')) return partOfText(of, index, at);
  return partOfText(of, callByName('$-', [index, boundLiteral('INT64', '1')], at), at);
}

function structAt(of: bound.Expression, { position, index, at }: Subscript): bound.Expression {
  const count = of.type.kind === 'STRUCT' ? of.type.fields.length : 0;
  const number = index.kind === 'literal' ? Number(index.value) : Number.NaN;
  const fieldIndex = position.endsWith('ordinal') ? number - 1 : number;
  const isValid = Number.isInteger(fieldIndex) && fieldIndex >= 0 && fieldIndex < count;
  if (isValid) return fieldAt(of, fieldIndex);
  const message =
    'The STRUCT has no field at this position: read a field by its name, as in value.field';
  throw new QueryFault(message, at);
}
