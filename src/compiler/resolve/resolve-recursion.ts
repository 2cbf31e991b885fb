import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { plainType, typeName } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { coercionCost } from '../bound/coerce.js';
import { hasWindow } from '../bound/search.js';
import { queryNode } from '../syntax/make-nodes.js';
import type { Cte, QueryBody, SetOperation } from '../syntax/tree.js';
import { castColumns, outputValue } from './cast-columns.js';
import { combineOperands } from './resolve-set-operation.js';
import { emptyScope, type Scope } from './scope.js';

/**
 * Resolves a recursive CTE. The base term determines the names and types of its columns; the recursive term,
 * which is the last operand, is converted to these types.
 * @throws QueryFault for a recursive term that reads the CTE in a way that BigQuery refuses
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#recursive_cte_rules
 */
export function resolveRecursion(cte: Cte, id: number, scope: Scope): bound.Query {
  const { body: node, at } = cte.query;
  const last = node.kind === 'set-operation' ? node.operands.at(-1) : undefined;
  if (node.kind !== 'set-operation' || last === undefined) throw new Error('not a recursive CTE');
  const { statement, ctes } = scope;
  const { newColumn } = statement;
  const resolveTerm = (body: QueryBody, readable: readonly bound.Cte[]) => {
    const query = body.kind === 'query' ? body : queryNode(body);
    return statement.resolveQuery(query, emptyScope(statement, readable));
  };
  const before = node.operands.slice(0, -1);
  const resolved = before.map((operand) => resolveTerm(operand, ctes));
  const base = combined({ ...node, operands: before }, resolved, newColumn);
  const columns = base.columns.map(({ name, type }) => newColumn(name, type));
  const self: bound.Cte = { id, name: cte.name.name, query: { ...base, columns }, isSelf: true };
  const term = resolveTerm(last, [...ctes, self]);
  if (!readsIn(term, self)) {
    const name = shortName(self.name);
    const message = `The recursive term of ${name} must read ${name} in its FROM clause, not in a subquery of an expression`;
    throw new QueryFault(message, term.at);
  }
  checkColumns(term, self);
  const types = columns.map(({ type }) => type);
  const operands = [base, castColumns(term, types, { newColumn, at: term.at })];
  const { kind, operator, distinct } = node;
  const body = { kind, operator, distinct, operands, columns, recursion: id };
  return bound.bareQuery(body, base.isValue, at);
}

/** The base term: one query, or the union of several. */
function combined(
  node: SetOperation,
  resolved: readonly bound.Query[],
  newColumn: Scope['statement']['newColumn'],
): bound.Query {
  const body = combineOperands(node, resolved, newColumn);
  const [only, ...others] = body.operands;
  if (only !== undefined && others.length === 0) return only;
  const types = body.columns.map(({ type }) => plainType(type));
  const union = bound.bareQuery(body, only?.isValue === true, node.at);
  return castColumns(union, types, { newColumn, at: node.at });
}

function checkColumns(term: bound.Query, { name, query: base }: bound.Cte): void {
  const [wanted, count] = [base.columns.length, term.columns.length];
  if (wanted !== count) {
    const message = `The recursive term of ${shortName(name)} has ${count} column(s), but its base term has ${wanted}`;
    throw new QueryFault(message, term.at);
  }
  if (term.isValue !== base.isValue) {
    const message = `Both terms of ${shortName(name)} must use SELECT AS STRUCT or AS VALUE, or none of them`;
    throw new QueryFault(message, term.at);
  }
  for (const [index, column] of base.columns.entries()) {
    const value = outputValue(term, index);
    if (value === undefined || coercionCost(value, column.type) !== undefined) continue;
    const [from, to] = [typeName(value.type), typeName(column.type)];
    const message = `Column ${index + 1} of the recursive term of ${shortName(name)} has type ${from}, which does not convert to ${to}, its type in the base term: CAST one of them`;
    throw new QueryFault(message, term.at);
  }
}

/** Whether a query reads the CTE through FROM. @throws QueryFault if a query on the way has a refused clause */
function readsIn(query: bound.Query, self: bound.Cte): boolean {
  const { body } = query;
  const inner: readonly (bound.Query | bound.Select)[] =
    body.kind === 'set-operation' ? body.operands : [body];
  const reads = inner.some((part) =>
    part.kind === 'query' ? readsIn(part, self) : readsInFrom(part.from, self, query.at),
  );
  const refused = reads ? refusedClause(query) : undefined;
  if (refused === undefined) return reads;
  throw notAllowed(refused, self, query.at);
}

function notAllowed(what: string, { name }: bound.Cte, at: number): QueryFault {
  const message = `A query that reads the recursive CTE ${shortName(name)} in its recursive term cannot have ${what}`;
  return new QueryFault(message, at);
}

/** A clause of the query that would need all rows of the CTE at once, which are never available; undefined if none. */
function refusedClause({ body, orderBy, limit, offset }: bound.Query): string | undefined {
  if (orderBy.length > 0) return 'ORDER BY';
  if (limit !== undefined || offset !== undefined) return 'LIMIT';
  if (body.kind === 'set-operation') return 'a set operation';
  return body.kind === 'select' ? clauseOfSelect(body) : undefined;
}

function clauseOfSelect({ distinct, grouping, qualify, items }: bound.Select): string | undefined {
  if (distinct) return 'DISTINCT';
  if (grouping !== undefined) return 'GROUP BY or aggregate functions';
  const isWindowed = qualify !== undefined || items.some(({ value }) => hasWindow(value));
  return isWindowed ? 'window functions' : undefined;
}

function readsInFrom(from: bound.From, self: bound.Cte, at: number): boolean {
  switch (from.kind) {
    case 'self':
      return from.id === self.id;
    case 'derived':
      return readsIn(from.query, self);
    case 'unnest':
      return readsInFrom(from.left, self, at);
    case 'join': {
      const left = readsInFrom(from.left, self, at);
      const right = readsInFrom(from.right, self, at);
      const isOuter = (side: 'LEFT' | 'RIGHT') => from.join === side || from.join === 'FULL';
      if ((left && isOuter('RIGHT')) || (right && isOuter('LEFT'))) {
        throw notAllowed(`it on the side of a ${from.join} JOIN that may have no match`, self, at);
      }
      return left || right;
    }
    default:
      return false;
  }
}
