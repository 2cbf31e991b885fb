import { QueryFault } from '../../errors/query-fault.js';
import { ValueFault } from '../../values/value-fault.js';

/**
 * What `read` returns.
 * @throws QueryFault at this offset if it finds a fault in a format
 */
export function faultsAt<T>(at: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ValueFault ? new QueryFault(error.message, at) : error;
  }
}
