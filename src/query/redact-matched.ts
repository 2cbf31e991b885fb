import type { BoundCall, BoundExpression } from './bound.js';
import { someExpression } from './bound-map.js';
import type { DuckExpression } from './duck.js';
import { redactValue } from './redact.js';

/** Whoever asks whether a value equals an address knows the address already. */
const equalities: ReadonlySet<string> = new Set(['$=', '$<>', '$IN']);

/**
 * The arguments of a call, those from logs redacted where the call matches them against a parameter:
 * the caller chooses that, and could find an address letter by letter.
 * `regexp_contains(t.url, @pattern)` -> `regexp_contains(redact(t.url), @pattern)`
 */
export function redactMatched(
  { row, args }: BoundCall,
  lowered: readonly DuckExpression[],
): readonly DuckExpression[] {
  if (equalities.has(row.name) || !args.some(readsParameter)) return lowered;
  return lowered.map((value, place) => {
    const arg = args[place];
    return arg !== undefined && readsColumn(arg) ? redactValue(value, arg.type) : value;
  });
}

function readsParameter(value: BoundExpression): boolean {
  return someExpression(value, ({ kind }) => kind === 'parameter');
}

function readsColumn(value: BoundExpression): boolean {
  return someExpression(value, ({ kind }) => kind === 'column');
}
