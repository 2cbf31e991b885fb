import { QueryFault } from '../../errors/query-fault.js';
import type { Identifier } from '../syntax/tree.js';

/** The limits of a caller's query: beyond them, the engine takes longer to plan it than to run it. */
const limits = {
  nodes: { max: 5_000, what: 'parts' },
  joins: { max: 32, what: 'joins' },
  levels: { max: 6, what: 'levels of subqueries' },
  ctes: { max: 64, what: 'CTEs' },
} as const;

/** Checks a count. @throws QueryFault `resourcesExceeded` if it exceeds its limit */
export function checkLimit(
  what: keyof typeof limits,
  count: number,
  { at }: { readonly at: number },
): void {
  const { max, what: word } = limits[what];
  if (count <= max) return;
  const message = `The query has too many ${word}: at most ${max} are allowed`;
  throw new QueryFault(message, at, 'resourcesExceeded');
}

/** The maximum length of an identifier, in bytes of UTF-8. */
const maxNameBytes = 300;

/**
 * Checks a name, which becomes a key of the result and an identifier in the engine.
 * @throws QueryFault if it is too long, contains control characters, or is `__proto__`
 */
export function checkName({ name, at }: Identifier): void {
  if (name.toLowerCase() === '__proto__')
    throw new QueryFault(`The name ${name} is not allowed`, at, 'accessDenied');
  if (Buffer.byteLength(name) <= maxNameBytes && !/\p{Cc}/u.test(name)) return;
  const message = `A name has at most ${maxNameBytes} bytes and no control characters`;
  throw new QueryFault(message, at);
}
