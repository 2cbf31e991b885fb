import { QueryFault } from '../query-fault.js';
import type { GroupItem } from './tree.js';
import type { Expression } from './tree-expression.js';

/** How many grouping sets one query may ask for. */
export const maxSets = 64;

/**
 * `rollup(a, b)` -> (a, b), (a), (); `cube(a, b)` -> (a, b), (a), (b), ().
 * @throws QueryFault for a cube of too many
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#group_by_grouping_sets
 */
export function setsOf(item: GroupItem): readonly (readonly Expression[])[] {
  if (item.kind === 'key') return [[item.value]];
  const { sets } = item;
  if (item.kind === 'sets') return sets;
  if (item.kind === 'rollup') {
    return [...sets.map((_, place) => sets.slice(0, sets.length - place).flat()), []];
  }
  if (2 ** sets.length > maxSets) {
    throw new QueryFault(`More than ${maxSets} grouping sets are not supported`, item.at);
  }
  let subsets: readonly (readonly Expression[])[] = [[]];
  for (const set of sets) {
    subsets = [...subsets.map((subset) => [...subset, ...set]), ...subsets];
  }
  return subsets;
}
