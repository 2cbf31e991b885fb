import { QueryFault } from '../../errors/query-fault.js';
import { ValueFault } from '../../values/value-fault.js';

/**
 * Returns the result of `read`.
 * @throws QueryFault at this offset if `read` throws a ValueFault for a format
 */
export function faultsAt<T>(at: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ValueFault ? new QueryFault(error.message, at) : error;
  }
}
