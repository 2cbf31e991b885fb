import { type BoundCall, type BoundExpression, isLogField } from '../bound/bound.js';
import { readsComputed } from '../bound/search.js';
import { type DuckExpression, duckNull, selectFrom } from '../duckdb-sql/duckdb-sql.js';
import { redactValue } from '../duckdb-sql/redact-value.js';

/** Operators that reveal nothing new: to compare a value with an address, the caller must know the address. */
const equalities: ReadonlySet<string> = new Set(['$=', '$<>', '$IN']);

/**
 * The arguments of a call, with values of logs redacted if the call matches them against a parameter.
 * The caller chooses the parameter, and could otherwise find an address letter by letter.
 * `regexp_contains(t.url, @pattern)` -> `regexp_contains(redact(t.url), @pattern)`
 */
export function redactMatched(
  { function: { name }, args }: BoundCall,
  lowered: readonly DuckExpression[],
): readonly DuckExpression[] {
  return redactCompared(args, lowered, equalities.has(name));
}

/** {@link redactMatched} for compared values; `isEquality` is true if whole values are compared for equality. */
export function redactCompared(
  args: readonly BoundExpression[],
  lowered: readonly DuckExpression[],
  isEquality: boolean,
): readonly DuckExpression[] {
  const containsParameter = lowered.map((value) => containsKind(value, parameters));
  return lowered.map((value, index) => {
    const arg = args[index];
    if (arg === undefined || !containsKind(value, rows)) return value;
    // Only whole fields are exempt: a part of a value can be compared letter by letter.
    if (isEquality && isLogField(arg)) return value;
    const isMatched = args.some(
      (other, at) => containsParameter[at] || (at !== index && readsComputed(other)),
    );
    return isMatched ? redactValue(value, arg.type) : value;
  });
}

/**
 * `operand IN (query)` with both sides redacted like those of a comparison.
 * `substr(id, 1, 3) in (select @x)` -> `redact(substr(id, 1, 3)) in (select @x)`
 */
export function redactMembership(
  { operand, query, ...node }: Membership,
  list: LoweredMembership,
  alias: string,
): DuckExpression {
  if (operand === undefined) return list;
  const [value = list.operand] = redactCompared(
    [operand, { ...node, operand, query }],
    [list.operand, { ...list, operand: duckNull }],
    true,
  );
  const [column] = query.columns;
  const isWhole =
    query.body.kind === 'select' && query.body.items.every((item) => isLogField(item.value));
  const isMatched = containsKind(list.operand, parameters) && containsKind(list.query, rows);
  if (column === undefined || isWhole || !isMatched) return { ...list, operand: value };
  const name = 'value';
  const shown = redactValue({ kind: 'column', table: alias, name }, column.type);
  const from = { kind: 'derived', query: list.query, alias, columns: [name] } as const;
  return { ...list, operand: value, query: selectFrom([{ name, value: shown }], from) };
}

type Membership = Extract<BoundExpression, { readonly kind: 'subquery' }>;

type LoweredMembership = Extract<DuckExpression, { readonly kind: 'subquery' }> & {
  readonly operand: DuckExpression;
};

/** Whether a lowered value contains a node of one of these kinds. */
function containsKind(node: unknown, kinds: ReadonlySet<unknown>): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { kind, name } = node as { readonly kind?: unknown; readonly name?: unknown };
  if (kinds.has(kind)) return kind !== 'parameter' || name !== 'now';
  return Object.values(node).some((part) => containsKind(part, kinds));
}

const parameters: ReadonlySet<unknown> = new Set(['parameter']);

/** The kinds of nodes that read rows. */
const rows: ReadonlySet<unknown> = new Set(['column', 'name', 'subquery']);
