import type { NewestRequest } from '../engine.js';

/** The rows after one instant and up to another, in unix microseconds. */
export interface BlockSpan {
  readonly after: bigint;
  readonly until: bigint;
}

/** Times before and after every timestamp. */
export const earliest = -(2n ** 63n);
const latest = 2n ** 63n - 1n;

/** The instants that meet all bounds of a request. */
export function findSpan({ bounds }: Pick<NewestRequest, 'bounds'>): BlockSpan {
  let after = earliest;
  let until = latest;
  for (const { operator, time } of bounds) {
    const instant = parseInstant(time);
    const exclusive = operator === '>=' ? instant - 1n : instant;
    const inclusive = operator === '<' ? instant - 1n : instant;
    if (operator.startsWith('>')) after = exclusive > after ? exclusive : after;
    else until = inclusive < until ? inclusive : until;
  }
  return { after, until };
}

/** Parses `YYYY-MM-DD HH:MM:SS.ffffff+00:00`, with `T` or a space, to unix microseconds. */
function parseInstant(text: string): bigint {
  const seconds = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`) / 1000;
  return BigInt(seconds) * 1_000_000n + BigInt(text.slice(20, 26));
}
