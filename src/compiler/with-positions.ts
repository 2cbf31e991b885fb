import { ServiceError } from '../errors/errors.js';
import { QueryFault, toServiceError } from '../errors/query-fault.js';
import { placeReads, type Reader } from './read-endpoints.js';

/** A stored query, or a caller's over its CTEs. */
interface Texts {
  readonly endpoint: Reader;
  readonly sandbox?: { readonly language: string; readonly text: string } | undefined;
}

/**
 * Translates faults of a text to errors with line and column.
 * @throws ServiceError for a QueryFault or an overflow of the stack in `compile`
 */
export function withPositions<T>({ endpoint, sandbox }: Texts, compile: () => T): T {
  try {
    return compile();
  } catch (fault) {
    if (fault instanceof RangeError) throw tooDeep(fault);
    if (!(fault instanceof QueryFault)) throw fault;
    if (sandbox === undefined) throw locateFault(fault, endpoint);
    throw toServiceError(fault, sandbox.text, { location: sandbox.language });
  }
}

/** The error for a fault of a stored query, which names the file if it is that of an endpoint that is read. */
function locateFault(fault: QueryFault, endpoint: Reader): ServiceError {
  const inner = placeReads(endpoint).find(({ start, sql }) => {
    return fault.at >= start && fault.at <= sql.length;
  });
  if (inner === undefined) return toServiceError(fault, endpoint.sql);
  const { name, sql, start } = inner;
  const file = `${name}.sql`;
  const own = new QueryFault(`${fault.message} in ${file}`, fault.at - start, fault.reason);
  return toServiceError(own, sql.slice(start), { file });
}

/** A stack overflow: the parser does not count a chain of operators as nesting, but later stages recurse into it. */
function tooDeep(cause: RangeError): ServiceError {
  const message = 'The query has an expression that is too long: split it up';
  return new ServiceError('resourcesExceeded', message, { cause });
}
