import { ServiceError } from '../errors/errors.js';
import { QueryFault, toServiceError } from '../errors/query-fault.js';
import { placeReads, type Reader } from './read-endpoints.js';

/** A stored query, or a caller's over its CTEs. */
interface Texts {
  readonly endpoint: Reader;
  readonly sandbox?: { readonly language: string; readonly text: string } | undefined;
}

/**
 * Translates the faults of a query to errors with line and column.
 * @throws ServiceError for a QueryFault or an overflow of the stack in `compile`
 */
export function withPositions<T>({ endpoint, sandbox }: Texts, compile: () => T): T {
  try {
    return compile();
  } catch (fault) {
    if (fault instanceof RangeError) throw tooDeep(fault);
    if (!(fault instanceof QueryFault)) throw fault;
    if (sandbox === undefined) throw locateFault(fault, endpoint);
    throw toServiceError(fault, sandbox.text, sandbox.language);
  }
}

/** The error for a fault of a stored query; names the file if the fault is in an endpoint that the query reads. */
function locateFault(fault: QueryFault, endpoint: Reader): ServiceError {
  const inner = placeReads(endpoint).findLast(({ start }) => fault.at >= start);
  if (inner === undefined) return toServiceError(fault, endpoint.sql);
  const file = `${inner.endpoint.name}.sql`;
  const own = new QueryFault(`${fault.message} in ${file}`, fault.at - inner.start, fault.reason);
  return ServiceError.of([{ ...toServiceError(own, inner.endpoint.sql).faults[0], file }]);
}

/** A stack overflow: the parser does not count a chain of operators as nesting, but later stages recurse into it. */
function tooDeep(cause: RangeError): ServiceError {
  const message = 'The query has an expression that is too long: split it up';
  return new ServiceError('resourcesExceeded', message, { cause });
}
