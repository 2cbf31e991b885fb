import { someNode } from './map-tree.js';

/** The number of nodes in a tree: the size that a guard adds to the statement each time. */
export function countDuckNodes(tree: object): number {
  let count = 0;
  someNode(tree, (node) => {
    if ('kind' in node) count += 1;
    return false;
  });
  return count;
}
