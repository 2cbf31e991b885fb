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
import { mapExpression, someExpression } from '../bound/bound-map.js';
import { plain, supertype } from '../bound/coerce.js';
import { notGroupable, refuseOrderKey } from '../bound/comparable.js';
import { fingerprint } from '../bound/fingerprint.js';
import { columnCounter, repeatCounter, sizeOf } from '../bound/size.js';
import type { Cte, Expression, OrderItem, Query, QueryBody, SetOperation } from '../syntax/tree.js';
import { countOf } from './resolve-aggregate.js';
import { resolveExpression } from './resolve-expression.js';
import { itemOf, type NamedItem } from './resolve-grouping.js';
import { resolveSelect } from './resolve-select.js';
import { emptyScope, type Scope, type Statement } from './scope.js';
import { withTypes } from './with-types.js';

/** What a text may read. */
export interface Readable {
  /** By name; undefined in a caller's query, which reads only the CTEs. */
  readonly sources: ReadonlyMap<string, SourceSchema> | undefined;
  readonly parameters: ReadonlyMap<string, Type>;
  /** CTEs that stand before the text's own. */
  readonly ctes: readonly BoundCte[];
}

/**
 * The third stage: binds every name of a confined tree to what it means, with types.
 * @throws QueryFault with the position and the nearest name in scope
 */
export function resolve(query: Query, readable: Readable): BoundQuery {
  const statement: Statement = {
    sources: readable.sources,
    parameters: readable.parameters,
    newColumn: columnFactory(query.at),
    countRepeated: repeatCounter(query.at),
    resolveQuery,
  };
  return resolveQuery(withColumns(query), emptyScope(statement, readable.ctes));
}

/** The fields of a whole query's SELECT AS STRUCT are its columns. */
function withColumns(query: Query): Query {
  const { body } = query;
  if (body.kind !== 'select' || body.as !== 'STRUCT') return query;
  const { as: _, ...select } = body;
  return { ...query, body: select };
}

/** Ids go on from statement to statement: those of a stored query's CTEs meet a caller's. */
let lastColumnId = 0;

function columnFactory(at: number): Statement['newColumn'] {
  const countParts = columnCounter(at);
  return (name, type, isLogField = false) => {
    countParts(sizeOf(type));
    return { id: ++lastColumnId, name, type, isLogField };
  };
}

/** A query inside another: it sees the CTEs before it and, for correlation, the names around it. */
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
    ...(query.limit === undefined ? {} : { limit: count(query.limit, scope) }),
    ...(query.offset === undefined ? {} : { offset: count(query.offset, scope) }),
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

/** How the keys of ORDER BY behind a body are read. */
interface OrderKeys {
  readonly items: readonly BoundItem[];
  readonly resolve: (node: Expression) => BoundExpression;
  /** Whether only what output columns make may be keys, as behind DISTINCT. */
  readonly outputOnly: boolean;
}

function resolveBody(body: QueryBody, scope: Scope): Body {
  if (body.kind === 'select') {
    const { select, orderKey } = resolveSelect(body, scope);
    const keys = { items: select.items, resolve: orderKey, outputOnly: select.distinct };
    return { body: select, orderKeys: keys };
  }
  const bound =
    body.kind === 'query' ? resolveQuery(body, outerOf(scope)) : resolveSetOperation(body, scope);
  const items = bound.columns.map((column) => ({ column, value: columnValue(column) }));
  const over: Scope = { ...scope, ranges: [{ columns: bound.columns }] };
  const keys = {
    items,
    resolve: (node: Expression) => resolveExpression(node, over),
    outputOnly: true,
  };
  return { body: bound, orderKeys: keys };
}

/** The scope as seen by a query in brackets that stands in its place. */
function outerOf(scope: Scope): Scope {
  return scope.outer === undefined ? scope : { ...scope.outer, ctes: scope.ctes };
}

function resolveOrders(items: readonly OrderItem[], keys: OrderKeys): readonly BoundOrder[] {
  if (items.length === 0) return [];
  const named = keys.items.map(({ column, value }) => ({ name: column.name, value }));
  // From the end: of items that mean the same, the first is the one to sort by.
  const outputs = new Map(
    keys.items.toReversed().map(({ column, value }) => [fingerprint(value), column]),
  );
  return items.map((item) => resolveOrder(item, { ...keys, named, outputs }));
}

/** The items of {@link OrderKeys} by what they may be found with. */
interface FoundKeys extends OrderKeys {
  readonly named: readonly NamedItem[];
  /** By fingerprint. */
  readonly outputs: ReadonlyMap<string, Column>;
}

function resolveOrder(item: OrderItem, keys: FoundKeys): BoundOrder {
  const { descending, nulls } = item;
  const order = { descending, ...(nulls === undefined ? {} : { nulls }) };
  const value = itemOf(item.value, keys.named, 'ORDER BY')?.value ?? keys.resolve(item.value);
  refuseOrderKey(value, item.at);
  const output = keys.outputs.get(fingerprint(value));
  if (output !== undefined) return { value: columnValue(output), ...order };
  const key = keys.outputOnly ? ofOutput(value, keys.items, item.at) : value;
  return { value: plain(key), ...order };
}

/** A key as one of the output columns alone: nothing else is left of a row behind DISTINCT or UNION. */
function ofOutput(
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
  if (!someExpression(key, (part) => isOfRow(part, ids))) return key;
  const message = 'ORDER BY clause expression references a column that is not in the SELECT list';
  throw new QueryFault(message, at);
}

/** Whether it needs more of the row than columns with these ids. */
function isOfRow(part: BoundExpression, ids: ReadonlySet<number>): boolean {
  if (part.kind === 'column') return !ids.has(part.column.id);
  return part.kind === 'subquery' || (part.kind === 'call' && part.clauses?.over !== undefined);
}

/** LIMIT and OFFSET see no column. */
function count(node: Expression, scope: Scope): BoundExpression {
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
  const types = first.columns.map((_, place) => commonType(operands, place, node));
  const columns = first.columns.map((column, place) =>
    scope.statement.newColumn(
      column.name,
      types[place] ?? column.type,
      operands.every((operand) => operand.columns[place]?.isLogField),
    ),
  );
  return {
    kind: 'set-operation' as const,
    operator: node.operator,
    distinct: node.distinct,
    operands: operands.map((operand) =>
      withTypes(operand, types, { newColumn: scope.statement.newColumn, at: node.at }),
    ),
    columns,
  };
}

function asQuery(body: QueryBody, scope: Scope): BoundQuery {
  if (body.kind === 'query') return resolveQuery(body, outerOf(scope));
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

function commonType(operands: readonly BoundQuery[], place: number, node: SetOperation): Type {
  const values = operands.flatMap(({ body, columns }) => {
    const item = body.kind === 'select' ? body.items[place]?.value : undefined;
    const column = columns[place];
    return item?.kind === 'literal' ? [item] : column ? [columnValue(column)] : [];
  });
  const type = supertype(values);
  if (type !== undefined) {
    refuseIncomparable(type, place, node);
    return type;
  }
  const types = values.map((value) => typeName(value.type)).join(', ');
  const message = `Column ${place + 1} in ${node.operator} has incompatible types: ${types}`;
  throw new QueryFault(message, node.at);
}

function refuseIncomparable(type: Type, place: number, node: SetOperation): void {
  const part = node.distinct ? notGroupable(type) : undefined;
  if (part === undefined) return;
  const message = `Column ${place + 1} in ${node.operator} DISTINCT has type that does not support set operation comparisons: ${part}`;
  throw new QueryFault(message, node.at);
}
