import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import type { SourceSchema } from '../../types/schema.js';
import { type Type, typeName } from '../../types/type.js';
import {
  type BoundCte,
  type BoundExpression,
  type BoundItem,
  type BoundOrder,
  type BoundQuery,
  type Column,
  columnValue,
} from '../bound/bound.js';
import { plain, supertype } from '../bound/coerce.js';
import { checkOrderKey, notGroupable } from '../bound/comparable.js';
import { fingerprint } from '../bound/fingerprint.js';
import { mapExpression, someExpression } from '../bound/map-expression.js';
import { columnCounter, repeatCounter, typeSize } from '../bound/size.js';
import type { Cte, Expression, OrderItem, Query, QueryBody, SetOperation } from '../syntax/tree.js';
import { castColumns } from './cast-columns.js';
import { countOf } from './resolve-aggregate.js';
import { resolveExpression } from './resolve-expression.js';
import { itemOf, type NamedItem } from './resolve-grouping.js';
import { resolveSelect } from './resolve-select.js';
import { emptyScope, type Scope, type Statement } from './scope.js';

/** What a statement may read. */
export interface Readable {
  /** By name; undefined in a caller's query, which reads only the CTEs. */
  readonly sources: ReadonlyMap<string, SourceSchema> | undefined;
  readonly parameters: ReadonlyMap<string, Type>;
  /** CTEs of the stored query, visible to a caller's query. */
  readonly ctes: readonly BoundCte[];
  /** The first free column id: lower ones belong to the columns of `ctes`. 1 by default. */
  readonly firstColumnId?: number;
}

/** A resolved statement. */
export interface Resolved {
  readonly query: BoundQuery;
  /** The first column id that the statement and its `ctes` do not use. */
  readonly nextColumnId: number;
}

/**
 * The third stage: resolves every name of a statement and determines every type.
 * @throws QueryFault at the offset of the fault, with the most similar name for an unknown one
 */
export function resolve(query: Query, readable: Readable): Resolved {
  let nextColumnId = readable.firstColumnId ?? 1;
  const countParts = columnCounter(query.at);
  const statement: Statement = {
    sources: readable.sources,
    parameters: readable.parameters,
    newColumn: (name, type, isLogField = false) => {
      countParts(typeSize(type));
      return { id: nextColumnId++, name, type, isLogField };
    },
    countRepeated: repeatCounter(query.at),
    resolveQuery,
  };
  const bound = resolveQuery(withColumns(query), emptyScope(statement, readable.ctes));
  return { query: bound, nextColumnId };
}

/** A SELECT AS STRUCT that is a whole statement returns the fields as columns. */
function withColumns(query: Query): Query {
  const { body } = query;
  if (body.kind !== 'select' || body.as !== 'STRUCT') return query;
  const { as: _, ...select } = body;
  return { ...query, body: select };
}

/** Resolves a query, which sees the CTEs before it and, if correlated, the scope around it. */
function resolveQuery(query: Query, around: Scope): BoundQuery {
  const ctes = resolveCtes(query.ctes, around);
  const scope: Scope = {
    ...emptyScope(around.statement, [...around.ctes, ...ctes]),
    ...(around.ranges.length > 0 || around.outer !== undefined ? { outer: around } : {}),
  };
  const { body, orderKeys } = resolveBody(query.body, scope);
  const orderBy = resolveOrders(query.orderBy, orderKeys);
  return {
    kind: 'query',
    ctes,
    body,
    orderBy,
    ...(query.limit === undefined ? {} : { limit: resolveCount(query.limit, scope) }),
    ...(query.offset === undefined ? {} : { offset: resolveCount(query.offset, scope) }),
    columns: body.columns,
    isValue: body.kind !== 'set-operation' && body.isValue,
    at: query.at,
  };
}

function resolveCtes(ctes: readonly Cte[], around: Scope): readonly BoundCte[] {
  const bound: BoundCte[] = [];
  for (const { name, query } of ctes) {
    if (bound.some((other) => other.name.toLowerCase() === name.name.toLowerCase())) {
      throw new QueryFault(`Duplicate alias ${shortName(name.name)} for WITH subquery`, name.at);
    }
    const scope = { ...around, ctes: [...around.ctes, ...bound] };
    bound.push({ name: name.name, query: resolveQuery(query, scope) });
  }
  return bound;
}

interface Body {
  readonly body: BoundQuery['body'];
  readonly orderKeys: OrderKeys;
}

/** How the keys of an ORDER BY are resolved. */
interface OrderKeys {
  /** The output columns. */
  readonly items: readonly BoundItem[];
  readonly resolve: (node: Expression) => BoundExpression;
  /** Whether keys may only use output columns, as after DISTINCT. */
  readonly outputOnly: boolean;
}

function resolveBody(body: QueryBody, scope: Scope): Body {
  if (body.kind === 'select') {
    const { select, orderKey } = resolveSelect(body, scope);
    const keys = { items: select.items, resolve: orderKey, outputOnly: select.distinct };
    return { body: select, orderKeys: keys };
  }
  const bound =
    body.kind === 'query'
      ? resolveQuery(body, scopeAround(scope))
      : resolveSetOperation(body, scope);
  const items = bound.columns.map((column) => ({ column, value: columnValue(column) }));
  const over: Scope = { ...scope, ranges: [{ columns: bound.columns }] };
  const keys = {
    items,
    resolve: (node: Expression) => resolveExpression(node, over),
    outputOnly: true,
  };
  return { body: bound, orderKeys: keys };
}

/** The scope around a body that is a query in brackets: it is not nested in the query of that body. */
function scopeAround(scope: Scope): Scope {
  return scope.outer === undefined ? scope : { ...scope.outer, ctes: scope.ctes };
}

function resolveOrders(items: readonly OrderItem[], keys: OrderKeys): readonly BoundOrder[] {
  if (items.length === 0) return [];
  const named = keys.items.map(({ column, value }) => ({ name: column.name, value }));
  // Reversed, so that the first of several equal items is used.
  const outputs = new Map(
    keys.items.toReversed().map(({ column, value }) => [fingerprint(value), column]),
  );
  return items.map((item) => resolveOrder(item, { ...keys, named, outputs }));
}

/** {@link OrderKeys} with indexes of the items. */
interface IndexedKeys extends OrderKeys {
  readonly named: readonly NamedItem[];
  /** The output columns by the fingerprint of their values. */
  readonly outputs: ReadonlyMap<string, Column>;
}

function resolveOrder(item: OrderItem, keys: IndexedKeys): BoundOrder {
  const { descending, nulls } = item;
  const order = { descending, ...(nulls === undefined ? {} : { nulls }) };
  const value = itemOf(item.value, keys.named, 'ORDER BY')?.value ?? keys.resolve(item.value);
  checkOrderKey(value, item.at);
  const output = keys.outputs.get(fingerprint(value));
  if (output !== undefined) return { value: columnValue(output), ...order };
  const key = keys.outputOnly ? overOutput(value, keys.items, item.at) : value;
  return { value: plain(key), ...order };
}

/** Rewrites a key in terms of the output columns, all that remains after DISTINCT or UNION. */
function overOutput(
  value: BoundExpression,
  items: readonly BoundItem[],
  at: number,
): BoundExpression {
  const outputs = new Map(items.map((item) => [fingerprint(item.value), item.column]));
  const ids = new Set(items.map(({ column }) => column.id));
  const key = mapExpression(value, (part) => {
    const column = outputs.get(fingerprint(part));
    return column && columnValue(column);
  });
  if (!someExpression(key, (part) => needsRow(part, ids))) return key;
  const message = 'ORDER BY clause expression references a column that is not in the SELECT list';
  throw new QueryFault(message, at);
}

/** Whether an expression needs more than the columns with these ids. */
function needsRow(part: BoundExpression, ids: ReadonlySet<number>): boolean {
  if (part.kind === 'column') return !ids.has(part.column.id);
  return part.kind === 'subquery' || (part.kind === 'call' && part.clauses?.over !== undefined);
}

/** LIMIT and OFFSET cannot use columns. */
function resolveCount(node: Expression, scope: Scope): BoundExpression {
  return countOf(node, resolveExpression(node, emptyScope(scope.statement, [])));
}

function resolveSetOperation(node: SetOperation, scope: Scope) {
  const operands = node.operands.map((operand) => asQuery(operand, scope));
  const [first] = operands;
  if (first === undefined) throw new Error('a set operation without operands');
  for (const [i, { columns }] of operands.entries()) {
    if (columns.length === first.columns.length) continue;
    const message = `Queries in ${node.operator} have mismatched column count; query 1 has ${first.columns.length} column(s), query ${i + 1} has ${columns.length} column(s)`;
    throw new QueryFault(message, node.operands[i]?.at ?? node.at);
  }
  const types = first.columns.map((_, index) => commonType(operands, index, node));
  const columns = first.columns.map((column, index) =>
    scope.statement.newColumn(
      column.name,
      types[index] ?? column.type,
      operands.every((operand) => operand.columns[index]?.isLogField),
    ),
  );
  return {
    kind: 'set-operation' as const,
    operator: node.operator,
    distinct: node.distinct,
    operands: operands.map((operand) =>
      castColumns(operand, types, { newColumn: scope.statement.newColumn, at: node.at }),
    ),
    columns,
  };
}

function asQuery(body: QueryBody, scope: Scope): BoundQuery {
  if (body.kind === 'query') return resolveQuery(body, scopeAround(scope));
  const bound = resolveBody(body, scope).body;
  return {
    kind: 'query',
    ctes: [],
    body: bound,
    orderBy: [],
    columns: bound.columns,
    isValue: false,
    at: body.at,
  };
}

function commonType(operands: readonly BoundQuery[], index: number, node: SetOperation): Type {
  const values = operands.flatMap(({ body, columns }) => {
    const item = body.kind === 'select' ? body.items[index]?.value : undefined;
    const column = columns[index];
    return item?.kind === 'literal' ? [item] : column ? [columnValue(column)] : [];
  });
  const type = supertype(values);
  if (type !== undefined) {
    refuseIncomparable(type, index, node);
    return type;
  }
  const types = values.map((value) => typeName(value.type)).join(', ');
  const message = `Column ${index + 1} in ${node.operator} has incompatible types: ${types}`;
  throw new QueryFault(message, node.at);
}

function refuseIncomparable(type: Type, index: number, node: SetOperation): void {
  const part = node.distinct ? notGroupable(type) : undefined;
  if (part === undefined) return;
  const message = `Column ${index + 1} in ${node.operator} DISTINCT has type that does not support set operation comparisons: ${part}`;
  throw new QueryFault(message, node.at);
}
