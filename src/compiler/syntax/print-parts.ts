/** Joins clauses with line breaks, skipping absent ones. */
export function joinLines(clauses: readonly Clause[]): string {
  return join(clauses, '\n');
}

/** Joins clauses with spaces, skipping absent ones. */
export function joinWords(clauses: readonly Clause[]): string {
  return join(clauses, ' ');
}

export function join(clauses: readonly Clause[], between: string): string {
  return clauses.filter((clause) => clause !== false && clause !== undefined).join(between);
}

/** A printer that dispatches on a node's kind. */
export function printerOf<Node extends { readonly kind: string }>(
  printers: Printers<Node>,
): (node: Node) => string {
  return (node) => (printers[node.kind as Node['kind']] as (node: Node) => string)(node);
}

/** A printer for each kind of a union, so that a new kind without a printer does not compile. */
type Printers<Node extends { readonly kind: string }> = {
  readonly [K in Node['kind']]: (node: Node & { readonly kind: K }) => string;
};

type Clause = string | false | undefined;
