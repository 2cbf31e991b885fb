/**
 * The same node with `change` applied to each child object and array. Returns the node itself if nothing
 * changes; unchanged subtrees are shared.
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
