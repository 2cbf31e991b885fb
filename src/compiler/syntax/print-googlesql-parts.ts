/** Clauses, those that are there, a line each. */
export function joinLines(clauses: readonly Clause[]): string {
  return join(clauses, '\n');
}

/** Clauses, those that are there, with blanks between. */
export function joinWords(clauses: readonly Clause[]): string {
  return join(clauses, ' ');
}

/** Clauses, those that are there. */
export function join(clauses: readonly Clause[], between: string): string {
  return clauses.filter((clause) => clause !== false && clause !== undefined).join(between);
}

/** Prints a node by the row of its kind. */
export function printerOf<Node extends { readonly kind: string }>(
  printers: Printers<Node>,
): (node: Node) => string {
  return (node) => (printers[node.kind as Node['kind']] as (node: Node) => string)(node);
}

/** What is to be printed of each kind in a union, so that a new kind does not compile without. */
type Printers<Node extends { readonly kind: string }> = {
  readonly [K in Node['kind']]: (node: Node & { readonly kind: K }) => string;
};

type Clause = string | false | undefined;
