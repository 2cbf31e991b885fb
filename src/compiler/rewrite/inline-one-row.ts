import type * as bound from '../bound/bound.js';
import { mapQueries } from '../bound/map-expression.js';
import { someExpression } from '../bound/search.js';
import { countBoundNodes } from '../bound/size.js';

/**
 * Replaces reads of a one-row query of constants with its values, so that the engine can use
 * comparisons with them to skip row groups.
 * `with p as (select 1 as n) select a from t, p where a > p.n` -> `select a from t where a > 1`
 */
export function inlineOneRow(query: bound.Query): bound.Query {
  const { body } = query;
  if (body.kind !== 'select') return query;
  const values: Values = new Map();
  const from = withoutOneRow(body.from, values);
  if (values.size === 0) return query;
  const replace = (node: bound.Expression) =>
    node.kind === 'column' ? values.get(node.column.id) : undefined;
  return mapQueries({ ...query, body: { ...body, from } }, { expression: replace });
}

/** The value that replaces a column, by the column's id. */
type Values = Map<number, bound.Expression>;

function withoutOneRow(from: bound.From, values: Values): bound.From {
  switch (from.kind) {
    case 'cte':
      return inlined(from, from.cte.query, values);
    case 'derived':
      return inlined(from, from.query, values);
    case 'unnest':
      return { ...from, left: withoutOneRow(from.left, values) };
    case 'join': {
      // The values would not become NULL for a row without a match.
      const keepsLeft = from.join === 'RIGHT' || from.join === 'FULL';
      const keepsRight = from.join === 'LEFT' || from.join === 'FULL';
      const left = keepsLeft ? from.left : withoutOneRow(from.left, values);
      const right = keepsRight ? from.right : withoutOneRow(from.right, values);
      return { ...from, left, right };
    }
    default:
      return from;
  }
}

type Read = Extract<bound.From, { kind: 'cte' | 'derived' }>;

function inlined(from: Read, query: bound.Query, values: Values): bound.From {
  const row = oneRow(query);
  if (row === undefined) return from;
  for (const [index, { id }] of from.columns.entries()) {
    const value = row[index];
    if (value !== undefined) values.set(id, { kind: 'inlined', of: value, type: value.type });
  }
  return { kind: 'none' };
}

/** The values of a query that is one row of constants; undefined for any other query. */
function oneRow({ body, limit }: bound.Query): readonly bound.Expression[] | undefined {
  if (body.kind !== 'select' || body.from.kind !== 'none') return undefined;
  const clauses = [limit, body.where, body.grouping, body.qualify];
  if (clauses.some((clause) => clause !== undefined)) return undefined;
  const values = body.items.map(({ value }) => value);
  return values.every((value) => isRepeatable(value) && countBoundNodes(value) <= maxNodes)
    ? values
    : undefined;
}

/**
 * The maximum size of an inlined value: each read repeats it, so a large one would multiply the size of the statement.
 */
const maxNodes = 40;

/** Whether an expression has the same value wherever it is written, and reads no query. */
function isRepeatable(expression: bound.Expression): boolean {
  return !someExpression(
    expression,
    (inner) =>
      inner.kind === 'subquery' ||
      (inner.kind === 'call' && (!inner.function.isStable || inner.clauses !== undefined)),
  );
}
