import * as bound from '../bound/bound.js';
import { fingerprint } from '../bound/fingerprint.js';
import { hasSubquery } from '../bound/search.js';
import { lowerExpression } from './lower-expression.js';
import type { Lowering } from './lowering.js';
import { newColumn } from './new-column.js';
import { type Relation, wrapInSubquery } from './relation.js';

interface Grouped {
  readonly grouping: bound.Grouping;
  readonly rows: Relation;
}

/**
 * Computes keys and aggregate inputs that contain a sub-select as columns of the rows, where conditions can
 * guard the sub-select: a grouped block cannot read the rows.
 * `select sum(if(a, (select f(b)), 0)) from t` -> `select sum(s.x) from (select if(a, (select f(b)), 0) as x from t) s`
 */
export function hoistSubSelects({ grouping, rows }: Grouped, lowering: Lowering): Grouped {
  const items = [...grouping.keys, ...grouping.aggregates];
  if (!items.some(({ value }) => hasSubquery(value))) return { grouping, rows };
  const columns: bound.Column[] = [];
  const hoist = (known: Map<string, bound.Column>) => (value: bound.Expression) => {
    if (!hasSubquery(value)) return value;
    const print = fingerprint(value);
    const column =
      known.get(print) ?? newColumn(value.type, lowering, lowerExpression(value, lowering));
    if (!known.has(print)) columns.push(column);
    known.set(print, column);
    return bound.columnValue(column);
  };
  const ofKeys = new Map<string, bound.Column>();
  const keys = mapValues(grouping.keys, hoist(ofKeys));
  // An argument that equals a key must stay the same expression; other equal expressions may be random.
  const aggregates = mapValues(grouping.aggregates, (value) =>
    value.kind === 'call' ? mapInputs(value, hoist(new Map(ofKeys))) : value,
  );
  if (columns.length === 0) return { grouping, rows };
  const { relation } = wrapInSubquery(
    { ...rows, columns: [...rows.columns, ...columns] },
    lowering,
  );
  return { grouping: { ...grouping, keys, aggregates }, rows: relation };
}

type MapOne = (value: bound.Expression) => bound.Expression;

function mapValues(items: readonly bound.Item[], map: MapOne): readonly bound.Item[] {
  return items.map(({ column, value }) => ({ column, value: map(value) }));
}

function mapInputs(node: bound.Call, map: MapOne): bound.Call {
  const args = node.args.map(map);
  if (node.clauses === undefined) return { ...node, args };
  const { having, orderBy, ...clauses } = node.clauses;
  return {
    ...node,
    args,
    clauses: {
      ...clauses,
      orderBy: orderBy.map((key) => ({ ...key, value: map(key.value) })),
      ...(having && { having: { ...having, value: map(having.value) } }),
    },
  };
}
