import { QueryFault } from '../../errors/query-fault.js';
import * as bound from '../bound/bound.js';
import { mapExpression } from '../bound/map-expression.js';
import { readsColumns } from '../bound/search.js';
import { type PipeTable, wrap } from './pipe-table.js';
import { columnIds, type ResolvedFrom, type Scope } from './scope.js';

/** The two sides of a join, and its condition. */
export interface Joined {
  readonly left: ResolvedFrom;
  readonly right: ResolvedFrom;
  readonly on: bound.Expression;
}

/**
 * Moves the sub-selects of a condition into columns of the side that they read, because the engine does not allow them
 * in the condition of an outer join.
 * `t left join u on t.a in (select …)` -> `(select *, a in (select …) as x from t) left join u on x`
 * @throws QueryFault for a sub-select that reads both sides
 */
export function withQueriesInSides({ on, ...sides }: Joined, scope: Scope, at: number): Joined {
  const items: Record<Side, bound.Item[]> = { left: [], right: [] };
  const value = mapExpression(on, (node) => {
    if (node.kind !== 'subquery') return undefined;
    const column = scope.statement.newColumn('', node.type);
    items[findSide(node, sides, at)].push({ column, value: node });
    return bound.columnValue(column);
  });
  const left = withItems(sides.left, items.left, scope, at);
  const right = withItems(sides.right, items.right, scope, at);
  return { left: left.from, right: right.from, on: right.moved(left.moved(value)) };
}

/** Writes an inner join whose condition contains sub-selects as a query with the condition in WHERE. */
export function filteredJoin(
  joined: ResolvedFrom,
  on: bound.Expression,
  scope: Scope,
  at: number,
): ResolvedFrom {
  const { table } = wrap({ ...joined, where: [on], computed: [], orderBy: [] }, { scope, at });
  return { from: table.from, ranges: table.ranges };
}

type Side = 'left' | 'right';

/** Finds the side whose columns a sub-select reads; the left side if it reads neither. */
function findSide(
  node: bound.Expression,
  sides: Readonly<Record<Side, ResolvedFrom>>,
  at: number,
): Side {
  const reads = ({ ranges }: ResolvedFrom) =>
    readsColumns(node, new Set(ranges.flatMap(columnIds)));
  if (!reads(sides.right)) return 'left';
  if (!reads(sides.left)) return 'right';
  const message =
    'A subquery in the ON clause of an outer join that reads columns of both of its sides is not supported';
  throw new QueryFault(message, at);
}

/** Adds computed columns to a side; no name refers to them. */
function withItems(side: ResolvedFrom, computed: readonly bound.Item[], scope: Scope, at: number) {
  if (computed.length === 0) return { from: side, moved: (value: bound.Expression) => value };
  const { from, ranges, where = [] } = side;
  const hidden = { columns: computed.map(({ column }) => column) };
  const before: PipeTable = { from, where, ranges: [hidden, ...ranges], computed, orderBy: [] };
  const { table, moved } = wrap(before, { scope, at });
  return { from: { from: table.from, ranges: table.ranges.slice(1) }, moved };
}
