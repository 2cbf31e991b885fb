import { type BoundCall, type BoundExpression, isLogField } from '../bound/bound.js';
import { someExpression } from '../bound/map-expression.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import { redactValue } from '../duckdb-sql/redact-value.js';

/** Whoever asks whether a value equals an address knows the address already. */
const equalities: ReadonlySet<string> = new Set(['$=', '$<>', '$IN']);

/**
 * The arguments of a call, those from logs redacted where the call matches them against a parameter:
 * the caller chooses that, and could find an address letter by letter.
 * `regexp_contains(t.url, @pattern)` -> `regexp_contains(redact(t.url), @pattern)`
 */
export function redactMatched(
  { function: { name }, args }: BoundCall,
  lowered: readonly DuckExpression[],
): readonly DuckExpression[] {
  return redactCompared(args, lowered, equalities.has(name));
}

/** The same of values that are compared; `isEquality`: whether only with each other as a whole. */
export function redactCompared(
  args: readonly BoundExpression[],
  lowered: readonly DuckExpression[],
  isEquality: boolean,
): readonly DuckExpression[] {
  const isLiteralOrParameter = lowered.map((value) => holds(value, parameters));
  return lowered.map((value, place) => {
    const arg = args[place];
    if (arg === undefined || !holds(value, rows)) return value;
    // A part of a value may be equal letter by letter.
    if (isEquality && isLogField(arg)) return value;
    const isMatched = args.some(
      (other, at) => isLiteralOrParameter[at] || (at !== place && readsMade(other)),
    );
    return isMatched ? redactValue(value, arg.type) : value;
  });
}

/**
 * Whether what was lowered has a node of one of these kinds. Of a CTE of one row, that is the values
 * themselves.
 */
function holds(node: unknown, kinds: ReadonlySet<unknown>): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { kind, name } = node as { readonly kind?: unknown; readonly name?: unknown };
  if (kinds.has(kind)) return kind !== 'parameter' || name !== 'now';
  return Object.values(node).some((part) => holds(part, kinds));
}

const parameters: ReadonlySet<unknown> = new Set(['parameter']);

/** The kinds of nodes that read rows. */
const rows: ReadonlySet<unknown> = new Set(['column', 'name', 'subquery']);

/** Whether an expression reads a column that a query made: of a parameter, for all that is known here. */
function readsMade(value: BoundExpression): boolean {
  return someExpression(
    value,
    (one) => one.kind === 'inlined' || (one.kind === 'column' && !isLogField(one)),
  );
}
