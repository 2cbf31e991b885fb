/** The number of nodes in a tree: what a condition that guards others adds to the statement each time. */
export function countNodes(tree: object): number {
  return Object.values(tree).reduce<number>(
    (sum, part: unknown) =>
      typeof part === 'object' && part !== null ? sum + countNodes(part) : sum,
    'kind' in tree ? 1 : 0,
  );
}
