import type { BoundCall, BoundExpression } from '../bound/bound.js';

/** A time that is known when a statement is about to run: a parameter's value, a literal's text, or so long before the request. */
export type KnownTime =
  | { readonly parameter: string }
  | { readonly time: string }
  | { readonly msBeforeNow: number };

/** The time that an expression is; undefined if only BigQuery can tell. */
export function knownTimeOf(value: BoundExpression): KnownTime | undefined {
  if (value.kind === 'inlined') return knownTimeOf(value.of);
  if (value.kind === 'parameter') return { parameter: value.name };
  if (value.kind === 'literal') return value.value === null ? undefined : { time: value.value };
  const msBeforeNow = value.kind === 'call' ? msBeforeNowOf(value) : undefined;
  return msBeforeNow === undefined ? undefined : { msBeforeNow };
}

/** `current_timestamp() - interval 5 minute` -> 300000 */
function msBeforeNowOf({ function: { name }, args }: BoundCall): number | undefined {
  if (name === 'current_timestamp') return 0;
  const sign = signs[name];
  const [base, interval] = args;
  if (sign === undefined || base?.kind !== 'call' || interval?.kind !== 'call') return undefined;
  const before = msBeforeNowOf(base);
  const length = lengthOf(interval);
  return before === undefined || length === undefined ? undefined : before + sign * length;
}

const signs: Readonly<Record<string, number>> = {
  '$-': 1,
  '$+': -1,
  timestamp_add: -1,
  timestamp_sub: 1,
};

/** In milliseconds; undefined for what is no interval of a fixed length. */
function lengthOf({ function: { name }, args: [amount, part] }: BoundCall): number | undefined {
  if (name !== '$interval' || amount?.kind !== 'literal' || part?.kind !== 'part') return undefined;
  const unit = unitsMs[part.part];
  return unit === undefined ? undefined : Number(amount.value) * unit;
}

const unitsMs: Readonly<Record<string, number>> = {
  MICROSECOND: 0.001,
  MILLISECOND: 1,
  SECOND: 1000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: 86_400_000,
};
