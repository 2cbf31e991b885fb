import type * as tree from './tree.js';

/** Every node of the syntax tree that has a kind. */
export type Node =
  | tree.Query
  | tree.QueryBody
  | tree.PipeOperator
  | tree.SelectItem
  | tree.FromItem
  | tree.GroupItem
  | tree.Expression;

/**
 * Lists the nodes of a tree, each before its parts; a loop, because recursion would overflow the stack on long chains.
 */
export function nodesIn(whole: object): readonly Node[] {
  const nodes: Node[] = [];
  const open: object[] = [whole];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    // The ends of window frames and HAVING of a call have kinds, too, but none that a node has.
    if (isNode(next)) nodes.push(next);
    const parts = Object.values(next).filter((part) => typeof part === 'object' && part !== null);
    // Spreading a long list into the arguments of `push` would overflow the stack.
    for (const part of parts.reverse()) open.push(part);
  }
  return nodes;
}

/** Whether a part of a tree has a kind. */
export function isNode(part: object): part is Node {
  return 'kind' in part;
}
