import { QueryFault } from '../../errors/query-fault.js';
import type { Identifier } from './names.js';

/** The maximum length of an identifier, in bytes of UTF-8. */
const maxNameBytes = 300;

const control = /\p{Cc}/u;

/**
 * Checks a name, which becomes a key of the result and an identifier in the engine.
 * @throws QueryFault if it is too long, contains control characters, or is `__proto__`
 */
export function checkName({ name, at }: Pick<Identifier, 'name' | 'at'>): void {
  if (name.toLowerCase() === '__proto__')
    throw new QueryFault(`The name ${name} is not allowed`, at, 'accessDenied');
  if (Buffer.byteLength(name) <= maxNameBytes && !control.test(name)) return;
  const message = `A name has at most ${maxNameBytes} bytes and no control characters`;
  throw new QueryFault(message, at);
}
