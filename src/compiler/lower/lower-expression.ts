import { storedNames } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { fingerprint } from '../bound/fingerprint.js';
import { isRedaction } from '../bound/redact-matches.js';
import { printedSize } from '../bound/size.js';
import { checkMin } from '../duckdb-sql/check-count.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckType, typedNull } from '../duckdb-sql/duckdb-type.js';
import { letOnce } from '../duckdb-sql/let.js';
import { unlessPlanned } from '../duckdb-sql/may-fail.js';
import { lowerPlain, plainList } from '../duckdb-sql/plain.js';
import { redactDuckValue } from '../duckdb-sql/redact-value.js';
import { totalForm } from '../duckdb-sql/total-form.js';
import { castScalar } from '../functions/cast-scalar.js';
import type { Clauses } from '../functions/definition.js';
import { callDefinition } from '../functions/functions.js';
import { nanKeys } from '../functions/nan.js';
import { limitValue } from './limit-value.js';
import { convertDeep } from './lower-cast.js';
import { isLongChain, lowerChain, type Write } from './lower-chain.js';
import { lowerLiteral } from './lower-literal.js';
import { lowerLogical } from './lower-logical.js';
import type { Lowering } from './lowering.js';
import { choiceValue, tieValue } from './tie-value.js';

type Kind = bound.Expression['kind'];

type Lowerers = {
  readonly [K in Kind]: (node: bound.ExpressionOf<K>, lowering: Lowering) => d.DuckExpression;
};

/** Lowers an expression to a DuckDB expression with the same value, over the stored layout. */
export function lowerExpression<K extends Kind>(
  node: bound.ExpressionOf<K>,
  lowering: Lowering,
): d.DuckExpression {
  lowering.countWritten(writtenParts(node));
  return lowerers[node.kind](node, lowering);
}

/** The size of an expression in the statement: whole records are written field by field. */
export function writtenParts(node: bound.Expression): number {
  if (node.kind === 'plain' && node.keepsElements) return 1;
  if (node.kind === 'plain' || node.kind === 'cast') return printedSize(node.of.type);
  if (node.kind !== 'call') return 1;
  return node.args.reduce((sum, { type }) => sum + printedSize(type) - 1, 1);
}

const lowerers: Lowerers = {
  column: ({ column }, { columns }) => columnExpression(column, columns),
  literal: ({ value, type }) => lowerLiteral(value, type),
  parameter: ({ name, type }) => {
    const given: d.DuckExpression = { kind: 'parameter', name: `p_${name}` };
    // An array is bound as a JSON array of strings.
    const value = type.kind === 'ARRAY' ? d.castTo(d.castTo(given, 'JSON'), 'VARCHAR[]') : given;
    return d.castTo(value, duckType(type));
  },
  part: ({ part }) => d.text(part),
  field: ({ of, name, stored, type }, lowering) =>
    stored ? { kind: 'field', of: lowerExpression(of, lowering), name } : typedNull(type),
  plain: ({ of, owner, keepsElements }, lowering) => {
    const convert = (stored: d.DuckExpression) =>
      keepsElements ? plainList(stored, of.type) : lowerPlain(stored, of.type);
    if (owner === undefined) return convert(lowerExpression(of, lowering));
    const isField = of.kind === 'field' && of.of === owner && of.stored;
    return letOnce([lowerExpression(owner, lowering)], ([one = d.nullValue]) => {
      const stored = isField ? d.fieldValue(one, of.name) : lowerExpression(of, lowering);
      return d.choose(d.isNull(one), d.nullValue, convert(stored));
    });
  },
  only: ({ of }, lowering) => {
    const value = lowerExpression(of, lowering);
    const isList = of.type.kind === 'ARRAY' && of.type.layout === 'list';
    return isList ? d.call('list_extract', value, d.integer(1)) : value;
  },
  inlined: ({ of }, lowering) => lowerExpression(of, lowering),
  cast: lowerCast,
  'is-null': ({ of }, lowering) => d.isNull(lowerExpression(of, lowering)),
  call: lowerCall,
  case: ({ operand, whens, otherwise }, lowering) => {
    const lower = (part: bound.Expression) => lowerExpression(part, lowering);
    return {
      kind: 'case',
      ...(operand && { operand: lower(operand) }),
      whens: whens.map(({ when, result }) => ({
        when: operand ? lower(when) : unlessPlanned(lower(when)),
        result: lower(result),
      })),
      otherwise: lower(otherwise),
    };
  },
  array: ({ elements, type }, lowering) => {
    const list: d.DuckExpression = {
      kind: 'list',
      elements: elements.map((element) => lowerExpression(element, lowering)),
    };
    return d.castTo(list, duckType(type));
  },
  struct: lowerStruct,
  subquery: ({ form, operand, query }, lowering) => {
    const test = form === 'EXISTS' ? lowering.lowerExists(query, lowering) : undefined;
    if (test !== undefined) return test;
    if (form === 'ARRAY') return lowerArray(query, lowering);
    const value = operand && lowerExpression(operand, lowering);
    const inner = lowering.lowerQuery(query, lowering);
    return { kind: 'subquery', form, ...(value && { operand: value }), query: inner };
  },
};

/**
 * `array(select …)`. The engine reads only rows of a SELECT, in any order unless it has an ORDER BY:
 * `array(a union all b)` -> `array(a) || array(b)`, `array(a union distinct b)` ->
 * `array(select … from (a union b))`
 */
function lowerArray(query: bound.Query, lowering: Lowering): d.DuckExpression {
  const { body, ctes, orderBy, limit } = query;
  const isBare = ctes.length === 0 && orderBy.length === 0 && limit === undefined;
  if (isBare && body.kind === 'set-operation' && body.operator === 'UNION' && !body.distinct) {
    return d.infix('||', ...body.operands.map((operand) => lowerArray(operand, lowering)));
  }
  const items = query.columns.map((column) => ({ column, value: bound.columnValue(column) }));
  const block = body.kind === 'select' ? query : bound.overRows(query, items);
  return { kind: 'subquery', form: 'ARRAY', query: lowering.lowerQuery(block, lowering) };
}

function columnExpression(column: bound.Column, columns: Lowering['columns']): d.DuckExpression {
  const expression = columns.get(column.id);
  if (expression === undefined) throw new Error(`column ${column.name} is out of scope`);
  return expression;
}

/** A struct of values; without fields, it is TRUE. */
function lowerStruct(
  { values, type }: bound.ExpressionOf<'struct'>,
  lowering: Lowering,
): d.DuckExpression {
  const names = storedNames(type);
  const fields = values.flatMap((value, i): readonly d.DuckItem[] =>
    type.fields[i]?.stored
      ? [{ name: names[i] ?? '', value: lowerExpression(value, lowering) }]
      : [],
  );
  if (fields.length > 0) return { kind: 'struct', fields };
  return type.fields.length === 0
    ? d.castTo({ kind: 'number', digits: '1' }, 'BOOLEAN')
    : d.nullValue;
}

function lowerCall(node: bound.Call, lowering: Lowering): d.DuckExpression {
  const lower = (part: bound.Expression) => lowerExpression(part, lowering);
  const [redacted] = isRedaction(node) ? node.args : [];
  if (redacted !== undefined) return redactDuckValue(lower(redacted), node.type);
  if (isLongChain(node)) {
    const write: Write = (link, args) => lowerCallOn(link, args, lowering);
    return lowerChain(node, { lower, write, lowering });
  }
  return lowerLogical(node, lower) ?? writeCall(node, node.args.map(lower), lowering);
}

/** Lowers a call, given its lowered arguments. */
export function writeCall(
  node: bound.Call,
  lowered: readonly d.DuckExpression[],
  lowering: Lowering,
): d.DuckExpression {
  const write = node.safe ? lowerSafeCall : lowerCallOn;
  return write(node, lowered, lowering);
}

/**
 * Lowers a SAFE call, which is NULL if it fails. SAFE covers `INTERVAL n DAY` in `DATE_ADD(d, INTERVAL n DAY)`, but not
 * `n`.
 */
function lowerSafeCall(
  node: bound.Call,
  args: readonly d.DuckExpression[],
  lowering: Lowering,
): d.DuckExpression {
  const amounts = node.args.map((arg) =>
    isIntervalCall(arg) ? arg.args.map((one) => lowerExpression(one, lowering)) : undefined,
  );
  const values = node.args.map((arg, index) => {
    const amount = amounts[index];
    const value = args[index] ?? d.nullValue;
    return isIntervalCall(arg) && amount !== undefined ? lowerCallOn(arg, amount, lowering) : value;
  });
  const parts = args.flatMap((arg, index) => amounts[index] ?? [arg]);
  return totalForm(lowerCallOn(node, values, lowering), parts);
}

function isIntervalCall(arg: bound.Expression): arg is bound.Call {
  return arg.kind === 'call' && arg.function.name === '$interval';
}

/** Emits a call over these values, without SAFE. */
function lowerCallOn(
  node: bound.Call,
  args: readonly d.DuckExpression[],
  lowering: Lowering,
): d.DuckExpression {
  return callDefinition(node).emit(args, node, lowerClauses(node, args, lowering));
}

function lowerClauses(
  { clauses, args }: bound.Call,
  lowered: readonly d.DuckExpression[],
  lowering: Lowering,
): Clauses {
  if (clauses === undefined) return bound.noClauses;
  const { distinct, ignoreNulls, respectNulls, orderBy, limit, having, over } = clauses;
  const lowerOne = (value: bound.Expression) => lowerExpression(value, lowering);
  const keys = orderBy.filter(({ value }) => !isLiteral(value));
  const prints = distinct ? args.map(fingerprint) : [];
  // DISTINCT can order only by its unchanged arguments.
  const ordered = distinct
    ? plainKeys(keys, (key) => lowered[prints.indexOf(fingerprint(key))] ?? lowerOne(key))
    : lowerKeys(keys, lowering, choiceValue);
  return {
    distinct,
    ignoreNulls,
    respectNulls,
    // A constant key has no effect, and the engine refuses it.
    orderBy: ordered.filter(({ value }) => !d.isConstantKey(value)),
    ...(limit && { limit: lowerOne(limit) }),
    ...(having && { having: { kind: having.kind, value: lowerOne(having.value) } }),
    ...(over && { over: lowerWindow(over, lowering) }),
  };
}

function isLiteral(value: bound.Expression): boolean {
  return value.kind === 'inlined' ? isLiteral(value.of) : value.kind === 'literal';
}

function lowerKeys(
  orderBy: readonly bound.Order[],
  lowering: Lowering,
  decide = tieValue,
): readonly d.DuckOrder[] {
  const lower = (value: bound.Expression) => lowerExpression(value, lowering);
  return orderBy.flatMap((item) => {
    const { value, descending, nulls, isTieBreaker } = item;
    const key = { value: lower(value), descending, ...(nulls && { nulls }) };
    if (!isTieBreaker) return [...nanKeys(item, value, lower), key];
    return [{ ...key, value: decide(key.value, value.type, lowering) }];
  });
}

/** Lowers each key to a single key, without the extra key that sorts NaN. */
function plainKeys(
  orderBy: readonly bound.Order[],
  lower: (key: bound.Expression) => d.DuckExpression,
): readonly d.DuckOrder[] {
  return orderBy.map((item) => ({ ...item, value: lower(item.value) }));
}

const badOffset = 'The offset of a window frame must not be NULL or negative';

function lowerWindow(
  { partitionBy, orderBy, frame }: bound.Window,
  lowering: Lowering,
): d.DuckWindow {
  const lower = (key: bound.Expression) => lowerExpression(key, lowering);
  const lowerBound = ({ kind, offset }: bound.FrameBound): d.DuckBound => ({
    kind,
    ...(offset && { offset: checkMin(0, lower(offset), badOffset) }),
  });
  const hasOffset = frame?.unit === 'RANGE' && (frame.start.offset ?? frame.end.offset);
  return {
    partitionBy: partitionBy.map(lower),
    // RANGE with an offset can order only by one number.
    orderBy: hasOffset ? plainKeys(orderBy, lower) : lowerKeys(orderBy, lowering),
    ...(frame && {
      frame: { unit: frame.unit, start: lowerBound(frame.start), end: lowerBound(frame.end) },
    }),
  };
}

function lowerCast(
  { of, type, safe, limits }: bound.ExpressionOf<'cast'>,
  lowering: Lowering,
): d.DuckExpression {
  const value = lowerExpression(of, lowering);
  const converted = convertDeep(castScalar, safe)(value, of.type, type);
  const limited = limits === undefined ? converted : limitValue(converted, type, limits, safe);
  return safe ? totalForm(limited, [value]) : limited;
}
