import { scalar } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { callByName } from '../functions/match-call.js';

const comparisons: ReadonlySet<string> = new Set(['$=', '$<', '$<=', '$>', '$>=', '$BETWEEN']);

/** The types of columns that a gather may filter by. */
const timeTypes: ReadonlySet<string> = new Set(['TIMESTAMP', 'DATETIME']);

/**
 * Changes a condition so that a gather may apply it to the rows of all projects; returns undefined unless it
 * compares a time column of the table with constants.
 * `ts > timestamp_sub(@a, …)` -> `safe.timestamp_sub(@a, …) is null or ts > safe.timestamp_sub(@a, …)`
 */
export function gatherableWindow(
  condition: bound.Expression,
  columns: readonly bound.Column[],
): bound.Expression | undefined {
  if (condition.kind !== 'call' || !comparisons.has(condition.function.name)) return undefined;
  const [column, ...others] = condition.args.toSorted((a, b) => rank(a) - rank(b));
  const isWindow =
    column?.kind === 'column' &&
    timeTypes.has(column.type.kind) &&
    columns.some(({ id }) => id === column.column.id) &&
    others.every(isConstant);
  if (!isWindow) return undefined;
  return orAnyFails({ ...condition, args: condition.args.map(nullIfFails) });
}

/** Whether a comparison that {@link gatherableWindow} accepts cannot fail, so that a gather applies it unchanged. */
export function cannotFail(condition: bound.Expression): boolean {
  return condition.kind === 'call' && condition.args.every(({ kind }) => plainKinds.has(kind));
}

const plainKinds: ReadonlySet<string> = new Set(['column', 'literal', 'parameter']);

function rank({ kind }: bound.Expression): number {
  return kind === 'column' ? 0 : 1;
}

/** Functions that a constant may call. */
const constantCalls: ReadonlySet<string> = new Set(
  `current_timestamp current_datetime current_date timestamp_sub timestamp_add timestamp_trunc
  timestamp_micros timestamp_millis timestamp_seconds timestamp datetime_sub datetime_add
  datetime_trunc datetime date_sub date_add date_trunc date $interval $- $+`.split(/\s+/),
);

const constantKinds: ReadonlySet<string> = new Set(['literal', 'parameter', 'part']);

function isConstant(value: bound.Expression): boolean {
  if (value.kind === 'cast') return isConstant(value.of);
  if (value.kind !== 'call') return constantKinds.has(value.kind);
  return constantCalls.has(value.function.name) && value.args.every(isConstant);
}

/** Makes a constant NULL instead of failing: the error would reveal whether there are rows. */
function nullIfFails(value: bound.Expression): bound.Expression {
  if (value.kind === 'cast') return { ...value, safe: true, of: nullIfFails(value.of) };
  if (value.kind !== 'call' || value.args.length === 0) return value;
  return { ...value, safe: true, args: value.args.map(nullIfFails) };
}

/** Gathers every row if a constant fails; then the caller's own condition raises the error. */
function orAnyFails(condition: bound.Call): bound.Expression {
  const type = scalar('BOOL');
  const failed = condition.args
    .filter((value) => (value.kind === 'call' || value.kind === 'cast') && value.safe)
    .map((of): bound.Expression => ({ kind: 'is-null', of, type }));
  return failed.length === 0 ? condition : callByName('$OR', [...failed, condition], condition.at);
}
