/**
 * The same tree with `change` applied to each object and array right below a node. Subtrees that do
 * not change are shared with the tree before.
 */
export function mapChildren<T extends object>(node: T, change: (child: object) => object): T {
  if (Array.isArray(node)) {
    const items = node.map((item) => (isObject(item) ? change(item) : item));
    return items.every((item, index) => item === node[index]) ? node : (items as object as T);
  }
  let mapped = node;
  for (const key in node) {
    const child = node[key];
    if (!isObject(child)) continue;
    const changed = change(child) as typeof child;
    if (changed === child) continue;
    if (mapped === node) mapped = { ...node };
    mapped[key] = changed;
  }
  return mapped;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
