import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import { readsColumns } from '../bound/search.js';
import { int64Node, queryNode, selectNode } from '../syntax/make-nodes.js';
import type * as tree from '../syntax/tree.js';
import type { Scope } from './scope.js';

/**
 * Resolves AGGREGATE as a SELECT from the table before it, with the keys as its first items. GROUP BY and
 * ORDER BY refer to them by number, because names could mean other columns.
 * @throws QueryFault for any error in the operator
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/pipe-syntax#aggregate_pipe_operator
 */
export function resolvePipeAggregate(
  { values, keys: groups, at }: tree.PipeOperatorOf<'pipe-aggregate'>,
  scope: Scope,
): bound.Query {
  const keys = uniqueKeys(groups ?? []);
  const all: readonly tree.AggregateItem[] = [...keys.values(), ...values];
  const items = all.map(({ order: _, ...item }): tree.SelectItem => ({ kind: 'item', ...item }));
  const orderBy = all.flatMap(({ order, at: itemAt }, index): readonly tree.OrderItem[] =>
    order === undefined ? [] : [{ value: int64Node(index + 1, itemAt), ...order, at: itemAt }],
  );
  const sets: readonly tree.GroupItem[] =
    groups === undefined ? [{ kind: 'sets', sets: [[]], at }] : withOrdinals(groups, keys);
  const groupBy = { all: false, items: sets, at };
  const select = selectNode({ items, from: { kind: 'piped', at }, groupBy, at });
  const query = scope.statement.resolveQuery(queryNode(select, orderBy), scope);
  for (const [index, { at: itemAt }] of values.entries()) {
    refuseScalar(query.body, keys.size + index, itemAt);
  }
  return query;
}

function refuseScalar(body: bound.Query['body'], index: number, at: number): void {
  if (body.kind !== 'select') return;
  const aggregates = new Set(body.grouping?.aggregates.map(({ column }) => column.id));
  const value = body.items[index]?.value;
  if (value === undefined || readsColumns(value, aggregates)) return;
  const message =
    'Each expression in |> AGGREGATE must include an aggregate function: write keys after GROUP BY, and other expressions in |> EXTEND';
  throw new QueryFault(message, at);
}

/** The keys without duplicates, by expression and alias: grouping sets may repeat a key. */
function uniqueKeys(groups: readonly tree.AggregateKey[]): ReadonlyMap<string, tree.AggregateItem> {
  const keys = new Map<string, tree.AggregateItem>();
  for (const { item, ...group } of groups) {
    const values = item.kind === 'key' ? [item.value] : item.sets.flat();
    for (const value of values) {
      const key = `${spelling(value)} ${group.alias?.name.toLowerCase() ?? ''}`;
      if (!keys.has(key)) keys.set(key, { value, ...group });
    }
  }
  return keys;
}

/** A string that is the same for expressions that are written alike. */
function spelling(value: tree.Expression): string {
  return JSON.stringify(value, (key, part) => (key === 'at' ? undefined : part));
}

/** The items of GROUP BY with the number of its column in place of each key. */
function withOrdinals(
  groups: readonly tree.AggregateKey[],
  keys: ReadonlyMap<string, tree.AggregateItem>,
): readonly tree.GroupItem[] {
  const indexes = new Map([...keys.values()].map(({ value }, index) => [spelling(value), index]));
  const number = (value: tree.Expression) =>
    int64Node(1 + (indexes.get(spelling(value)) ?? -1), value.at);
  return groups.map(({ item }) => {
    if (item.kind === 'key') return { ...item, value: number(item.value) };
    return { ...item, sets: item.sets.map((set) => set.map(number)) };
  });
}
