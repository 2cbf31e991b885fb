import type { SourceSchema } from '../../types/schema.js';
import type { Type } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { countBoundNodes, createCounter, typeSize } from '../bound/size.js';
import type { Expression, Query, QueryBody, SetOperation } from '../syntax/tree.js';
import { resolveCount } from './resolve-clause.js';
import { resolveCtes } from './resolve-ctes.js';
import { resolveExpression } from './resolve-expression.js';
import { resolveOrderBy } from './resolve-order.js';
import { resolvePipeline } from './resolve-pipe.js';
import { needsFrom, resolveSelect } from './resolve-select.js';
import { combineOperands } from './resolve-set-operation.js';
import { fieldItems } from './resolve-star.js';
import {
  emptyScope,
  outerColumnIds,
  type Scope,
  type StatementScope,
  scopeAround,
} from './scope.js';

/** The sources, parameters and CTEs that a statement may read. */
export interface Readable {
  /** By name; undefined in a caller's query, which reads only the CTEs. */
  readonly sources: ReadonlyMap<string, SourceSchema> | undefined;
  /** Absent in a caller's query. */
  readonly findEndpoint?: StatementScope['findEndpoint'];
  readonly parameters: ReadonlyMap<string, Type>;
  /** CTEs of the stored query, visible to a caller's query. */
  readonly ctes: readonly bound.Cte[];
  /** The first free id: `ctes` and their columns have lower ones. 1 by default. */
  readonly firstId?: number;
}

/** A resolved statement. */
export interface Resolved {
  readonly query: bound.Query;
  /** The lowest id above the ids of all CTEs and columns of the statement. */
  readonly nextId: number;
}

/**
 * The third stage: resolves every name of a statement and determines every type.
 * @throws QueryFault at the offset of the error; for an unknown name, it suggests the most similar one
 */
export function resolve(query: Query, readable: Readable): Resolved {
  let nextId = readable.firstId ?? 1;
  const countParts = createCounter('columns', query.at);
  const countRepeated = createCounter('repeated', query.at);
  const statement: StatementScope = {
    sources: readable.sources,
    findEndpoint: readable.findEndpoint,
    parameters: readable.parameters,
    newColumn: (name, type, isLogField = false) => {
      countParts(typeSize(type));
      return { id: nextId++, name, type, isLogField };
    },
    copyColumn: (column) => {
      countParts(1);
      return { ...column, id: nextId++ };
    },
    newCteId: () => nextId++,
    countRepeated: (value) => countRepeated(countBoundNodes(value)),
    resolveQuery,
    resolve: resolveExpression,
  };
  const resolved = resolveQuery(fieldsAsColumns(query), emptyScope(statement, readable.ctes));
  return { query: recordsAsColumns(resolved, statement), nextId };
}

/** Makes the items of a SELECT AS STRUCT the columns of the statement, also for ORDER BY. */
function fieldsAsColumns(query: Query): Query {
  const { body } = query;
  if (body.kind !== 'select' || body.as !== 'STRUCT') return query;
  const { as: _, ...select } = body;
  return { ...query, body: select };
}

/**
 * Turns the fields of a value table of records into columns, for the result of a statement:
 * `select as value struct(8 as a, 9 as b)` has the columns a and b.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#value_tables
 */
function recordsAsColumns(query: bound.Query, statement: StatementScope): bound.Query {
  const { body, columns } = query;
  const [record] = columns;
  if (!query.isValue || record?.type.kind !== 'STRUCT') return query;
  const fieldColumns = (value: bound.Expression) =>
    fieldItems(value, query.at).map((item) => ({
      column: statement.newColumn(item.name, item.value.type),
      value: item.value,
    }));
  const [item] = body.kind === 'select' && !body.distinct ? body.items : [];
  if (body.kind !== 'select' || item === undefined) {
    return bound.overRows(query, fieldColumns(bound.columnValue(record)));
  }
  const select = { ...body, items: fieldColumns(item.value), isValue: false };
  return { ...bound.withItems(query, select), isValue: false };
}

/** Resolves a query, which can use earlier CTEs and, if it is correlated, the enclosing scope. */
function resolveQuery(query: Query, around: Scope): bound.Query {
  const ctes = resolveCtes(query.ctes, around);
  const scope: Scope = {
    ...emptyScope(around.statement, [...around.ctes, ...ctes]),
    ...(around.ranges.length > 0 || (around.outer ?? around.aliases) ? { outer: around } : {}),
    ...(around.piped && { piped: around.piped }),
  };
  if (query.body.kind === 'pipeline') return resolvePipeline(query.body, ctes, scope);
  refuseOrder(query);
  const { body, orderKeys } = resolveBody(query.body, scope);
  const orderBy = resolveOrderBy(query.orderBy, orderKeys);
  return {
    kind: 'query',
    ctes,
    body,
    orderBy,
    ...(query.limit && { limit: resolveCount(query.limit, scope) }),
    ...(query.offset && { offset: resolveCount(query.offset, scope) }),
    columns: body.columns,
    isValue: isValueTable(body),
    at: query.at,
  };
}

/** Whether a body is a value table; a set operation is one if all of its operands are. */
function isValueTable(body: bound.Query['body']): boolean {
  return body.kind === 'set-operation'
    ? body.operands.every(({ isValue }) => isValue)
    : body.isValue;
}

function refuseOrder({ body, orderBy: [first] }: Query): void {
  if (first === undefined || body.kind !== 'select' || body.from !== undefined) return;
  throw needsFrom('have an ORDER BY clause', first);
}

function resolveBody(body: QueryBody, scope: Scope) {
  if (body.kind === 'select') {
    const { select, orderKey } = resolveSelect(body, scope);
    const keys = { items: select.items, resolve: orderKey, outputOnly: select.distinct };
    return { body: select, orderKeys: { ...keys, outer: outerColumnIds(scope) } };
  }
  if (body.kind === 'pipeline') throw new Error('pipe syntax in a body');
  const inner =
    body.kind === 'query'
      ? resolveQuery(body, scopeAround(scope))
      : combineOperands(body, resolveOperands(body, scope), scope.statement.newColumn);
  const items = inner.columns.map((column) => ({ column, value: bound.columnValue(column) }));
  const over: Scope = { ...scope, ranges: [{ columns: inner.columns }] };
  const keys = {
    items,
    resolve: (node: Expression) => resolveExpression(node, over),
    outputOnly: true,
    outer: outerColumnIds(scope),
  };
  return { body: inner, orderKeys: keys };
}

/** The operands of a set operation as queries. */
function resolveOperands({ operands }: SetOperation, scope: Scope): readonly bound.Query[] {
  return operands.map((operand) => {
    if (operand.kind === 'query') return resolveQuery(operand, scopeAround(scope));
    const { body } = resolveBody(operand, scope);
    return bound.bareQuery(body, isValueTable(body), operand.at);
  });
}
