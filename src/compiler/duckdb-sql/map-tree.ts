import type * as d from './duckdb-sql.js';

/** Returns what replaces a node; undefined to map the parts of the node instead. */
type Replace<T extends d.DuckNode> = (node: T) => T | undefined;

/** The functions that replace nodes. A node without one is not replaced, but its parts may be. */
export interface DuckMapper {
  readonly query?: Replace<d.DuckQuery>;
  readonly block?: Replace<d.DuckSelect>;
  readonly from?: Replace<d.DuckFrom>;
  readonly expression?: Replace<d.DuckExpression>;
}

/**
 * Replaces nodes of a tree, or of a list or an object of nodes, from the outside in. Returns the tree itself if nothing
 * changes; unchanged subtrees are shared.
 */
export function mapTree<T extends object>(tree: T, mapper: DuckMapper): T {
  return mapChildren({ tree }, mapper).tree;
}

/** Replaces the nodes below a node. Returns the node itself if nothing changes. */
export function mapChildren<T extends object>(node: T, mapper: DuckMapper): T {
  let mapped = node;
  for (const key in node) {
    const child = node[key];
    if (!isObject(child)) continue;
    const changed = mapPart(child, mapper);
    // The types of the mapper's functions ensure that a node is replaced by one that may stand in its place.
    if (changed !== child) mapped = { ...mapped, [key]: changed };
  }
  return mapped;
}

function mapPart(part: object, mapper: DuckMapper): object {
  if (Array.isArray(part)) return mapItems(part, mapper);
  return (isNode(part) && replacement(part, mapper)) || mapChildren(part, mapper);
}

function mapItems(list: readonly unknown[], mapper: DuckMapper): readonly unknown[] {
  const mapped = list.map((item) => (isObject(item) ? mapPart(item, mapper) : item));
  return mapped.every((item, index) => item === list[index]) ? list : mapped;
}

function replacement(node: d.DuckNode, mapper: DuckMapper): d.DuckNode | undefined {
  switch (node.kind) {
    case 'query':
      return mapper.query?.(node);
    case 'select':
      return mapper.block?.(node);
    case 'table':
    case 'derived':
    case 'join':
      return mapper.from?.(node);
    case 'set-operation':
    case 'PRECEDING':
    case 'FOLLOWING':
    case 'CURRENT ROW':
      return undefined;
    default:
      return mapper.expression?.(node);
  }
}

type Test = (node: d.DuckNode) => boolean;

/** Whether a test holds for a node of a tree, or of a list or an object of nodes. */
export function someNode(tree: object, test: Test): boolean {
  const visit: Test = (node) => test(node) || someChild(node, visit);
  return somePart(tree, visit);
}

/** Whether a test holds for one of the nodes directly below a node, or in a list or an object of nodes. */
export function someChild<T extends object>(node: T, test: Test): boolean {
  if (Array.isArray(node)) return node.some((item) => isObject(item) && somePart(item, test));
  // `for … in` allocates no list of keys, which would be most of the cost of this walk.
  for (const key in node) {
    const child = node[key];
    if (isObject(child) && somePart(child, test)) return true;
  }
  return false;
}

function somePart(part: object, test: Test): boolean {
  return isNode(part) ? test(part) : someChild(part, test);
}

/** All nodes of a tree, or of a list or an object of nodes, outer ones first. */
export function listNodes(tree: object): readonly d.DuckNode[] {
  const nodes: d.DuckNode[] = [];
  someNode(tree, (node) => {
    nodes.push(node);
    return false;
  });
  return nodes;
}

/** The number of nodes in a tree: the size that a guard adds to the statement each time. */
export function countDuckNodes(tree: object): number {
  return listNodes(tree).filter(({ kind }) => kind !== 'query').length;
}

/** Compares the property, because `'kind' in value` is slower. */
function isNode(value: { readonly kind?: unknown }): value is d.DuckNode {
  return value.kind !== undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
