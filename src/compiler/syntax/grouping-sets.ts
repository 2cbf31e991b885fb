import { QueryFault } from '../../errors/query-fault.js';
import type { Expression, GroupItem } from './tree.js';

/** How many grouping sets one query may ask for. */
export const maxSets = 64;

/**
 * `rollup(a, b)` -> (a, b), (a), (); `cube(a, b)` -> (a, b), (a), (b), ().
 * @throws QueryFault for too many, before any is made
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#group_by_grouping_sets
 */
export function setsOf(item: GroupItem): readonly (readonly Expression[])[] {
  if (item.kind === 'key') return [[item.value]];
  const { sets } = item;
  if (countOf(item) > maxSets) {
    throw new QueryFault(`More than ${maxSets} grouping sets are not supported`, item.at);
  }
  if (item.kind === 'sets') return sets;
  if (item.kind === 'rollup') {
    return [...sets.map((_, place) => sets.slice(0, sets.length - place).flat()), []];
  }
  let subsets: readonly (readonly Expression[])[] = [[]];
  for (const set of sets) {
    subsets = [...subsets.map((subset) => [...subset, ...set]), ...subsets];
  }
  return subsets;
}

/** How many sets there will be: a rollup of a thousand keys is half a million of them. */
function countOf({ kind, sets }: Exclude<GroupItem, { readonly kind: 'key' }>): number {
  if (kind === 'cube') return 2 ** sets.length;
  return kind === 'rollup' ? sets.length + 1 : sets.length;
}
