import { earliest, latest } from './kept-rows.js';

const second = 1_000_000n;

/** The unix microseconds of `YYYY-MM-DD HH:MM:SS.ffffff+00:00`, with `T` or a space. */
export function readInstant(text: string): bigint {
  const seconds = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`) / 1000;
  return BigInt(seconds) * second + BigInt(text.slice(20, 26));
}

/** The reverse of {@link readInstant}, with `T`. */
export function printInstant(microseconds: bigint): string {
  const fraction = ((microseconds % second) + second) % second;
  const milliseconds = Number((microseconds - fraction) / 1000n);
  const text = new Date(milliseconds).toISOString().slice(0, 19);
  return `${text}.${String(fraction).padStart(6, '0')}+00:00`;
}

/** A bound of a time. */
export interface Bound {
  readonly operator: '>' | '>=' | '<' | '<=';
  readonly time: string;
}

/** The instants that meet all bounds: those after one, and up to another. */
export function spanOf(bounds: readonly Bound[]): {
  readonly after: bigint;
  readonly until: bigint;
} {
  let after = earliest;
  let until = latest;
  for (const { operator, time } of bounds) {
    const instant = readInstant(time);
    const exclusive = operator === '>=' ? instant - 1n : instant;
    const inclusive = operator === '<' ? instant - 1n : instant;
    if (operator.startsWith('>')) after = exclusive > after ? exclusive : after;
    else until = inclusive < until ? inclusive : until;
  }
  return { after, until };
}
