import type { BoundCall, BoundExpression } from '../bound/bound.js';

/** A time that is known when a statement is about to run: so long before a parameter's value, a literal or the request. */
export interface KnownTime {
  readonly base: { readonly parameter: string } | { readonly time: string } | 'now';
  readonly msBefore: number;
}

/** The time that an expression is; undefined if only BigQuery can tell. */
export function knownTimeOf(value: BoundExpression): KnownTime | undefined {
  switch (value.kind) {
    case 'inlined':
      return knownTimeOf(value.of);
    case 'parameter':
      return { base: { parameter: value.name }, msBefore: 0 };
    case 'literal':
      return value.value === null ? undefined : { base: { time: value.value }, msBefore: 0 };
    case 'call':
      return value.function.name === 'current_timestamp'
        ? { base: 'now', msBefore: 0 }
        : shiftedTime(value);
    default:
      return undefined;
  }
}

/** `current_timestamp() - interval 5 minute` */
function shiftedTime({ function: { name }, args }: BoundCall): KnownTime | undefined {
  const sign = signs[name];
  const [shifted, interval] = args;
  if (sign === undefined || shifted === undefined || interval?.kind !== 'call') return undefined;
  const time = knownTimeOf(shifted);
  const length = lengthOf(interval);
  if (time === undefined || length === undefined) return undefined;
  return { ...time, msBefore: time.msBefore + sign * length };
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
