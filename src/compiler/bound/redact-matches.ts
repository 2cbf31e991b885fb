import { holdsText, type Type } from '../../types/types.js';
import * as bound from './bound.js';
import { mapQueries } from './map-expression.js';
import { readsComputed, someBelow, someExpression } from './search.js';

/** The functions that redact matched values. */
export interface Redaction {
  readonly redact: (value: bound.Expression) => bound.Expression;
  readonly newColumn: (type: Type) => bound.Column;
  /** Whether to leave the arguments of a call as they are. */
  readonly skips?: (call: bound.Call) => boolean;
}

/** Operators that reveal nothing new: to compare a value with an address, the caller must know the address. */
const equalities: ReadonlySet<string> = new Set(['$=', '$<>', '$IN']);

/**
 * Redacts log values that a statement matches against a parameter. The caller chooses the parameter,
 * and could otherwise guess an address letter by letter.
 * `regexp_contains(t.url, @pattern)` -> `regexp_contains(redact(t.url), @pattern)`
 */
export function redactMatches(query: bound.Query, redaction: Redaction): bound.Query {
  return mapQueries(query, { simplify: (node) => redactIn(node, redaction) });
}

function redactIn(node: bound.Expression, redaction: Redaction): bound.Expression {
  if (node.kind === 'call') {
    if (isRedaction(node) || redaction.skips?.(node)) return node;
    const args = redactCompared(node.args, equalities.has(node.function.name), redaction);
    return args === node.args ? node : { ...node, args };
  }
  if (node.kind === 'subquery') return redactMembership(node, redaction);
  if (node.kind !== 'case' || node.operand === undefined) return node;
  const whens = node.whens.map(({ when }) => when);
  const [operand, ...others] = redactCompared([node.operand, ...whens], true, redaction);
  const compared = node.whens.map((one, index) => ({ ...one, when: others[index] ?? one.when }));
  return { ...node, ...(operand && { operand }), whens: compared };
}

/** Returns a call that redacts its argument. */
export function redactCall(value: bound.Expression, name = '$redact'): bound.Call {
  const called = { name, isStable: true };
  return { kind: 'call', function: called, args: [value], type: value.type, safe: false, at: 0 };
}

/** Whether a call redacts its argument. */
export function isRedaction({ function: { name } }: bound.Call): boolean {
  return name.startsWith('$redact');
}

/**
 * Redacts both sides of `operand IN (query)` like the sides of a comparison.
 * `substr(id, 1, 3) in (select @x)` -> `redact(substr(id, 1, 3)) in (select @x)`
 */
function redactMembership(
  node: bound.ExpressionOf<'subquery'>,
  redaction: Redaction,
): bound.Expression {
  const { operand, query } = node;
  const [column] = query.columns;
  if (operand === undefined || column === undefined) return node;
  const list: bound.Expression = { kind: 'subquery', form: 'SCALAR', query, type: operand.type };
  const [value = operand] = redactCompared([operand, list], true, redaction);
  const isWhole =
    query.body.kind === 'select' && query.body.items.every((item) => bound.isLogField(item.value));
  const isMatched = someExpression(operand, isParameter) && someBelow(query, readsRow);
  if (isWhole || !isMatched || !holdsText(column.type)) return { ...node, operand: value };
  const [read, shown] = [redaction.newColumn(column.type), redaction.newColumn(column.type)];
  const items = [{ column: shown, value: redaction.redact(bound.columnValue(read)) }];
  const redacted = bound.selectQuery(items, { kind: 'derived', query, columns: [read] });
  return { ...node, operand: value, query: redacted };
}

function redactCompared(
  args: readonly bound.Expression[],
  isEquality: boolean,
  { redact }: Redaction,
): readonly bound.Expression[] {
  const hasParameter = args.map((arg) => someExpression(arg, isParameter));
  const redacted = args.map((arg, index) => {
    // Only whole fields are exempt: a part of a value can be compared letter by letter.
    if (!someExpression(arg, readsRow) || (isEquality && bound.isLogField(arg))) return arg;
    const isMatched = args.some(
      (other, at) => hasParameter[at] || (at !== index && readsComputed(other)),
    );
    return isMatched && holdsText(arg.type) ? redact(arg) : arg;
  });
  return redacted.some((arg, index) => arg !== args[index]) ? redacted : args;
}

function isParameter({ kind }: bound.Expression): boolean {
  return kind === 'parameter';
}

function readsRow({ kind }: bound.Expression): boolean {
  return kind === 'column' || kind === 'subquery';
}
