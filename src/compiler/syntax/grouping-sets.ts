import { QueryFault } from '../../errors/query-fault.js';
import type { Expression, GroupItem } from './tree.js';

/** The maximum number of grouping sets of one query. */
const maxSets = 64;

/**
 * The grouping sets of an item of GROUP BY: `rollup(a, b)` -> (a, b), (a), (); `cube(a, b)` ->
 * (a, b), (a), (b), ().
 * @throws QueryFault if there are more than 64
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#group_by_grouping_sets
 */
export function expandGroupingSets(item: GroupItem): readonly (readonly Expression[])[] {
  if (item.kind === 'key') return [[item.value]];
  const { sets } = item;
  if (countSets(item) > maxSets) {
    throw new QueryFault(`More than ${maxSets} grouping sets are not supported`, item.at);
  }
  if (item.kind === 'sets') return sets;
  if (item.kind === 'rollup') {
    return [...sets.map((_, index) => sets.slice(0, sets.length - index).flat()), []];
  }
  let subsets: readonly (readonly Expression[])[] = [[]];
  for (const set of sets) {
    subsets = [...subsets.map((subset) => [...subset, ...set]), ...subsets];
  }
  return subsets;
}

/** Counts the sets without building them: a rollup of a thousand keys has half a million expressions. */
function countSets({ kind, sets }: Exclude<GroupItem, { readonly kind: 'key' }>): number {
  if (kind === 'cube') return 2 ** sets.length;
  return kind === 'rollup' ? sets.length + 1 : sets.length;
}
