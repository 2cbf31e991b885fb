import {
  type Fault,
  maxFaults,
  maxMessageLength,
  type Reason,
  reasons,
  ServiceError,
  shorten,
  shortName,
  shownReason,
} from '../errors/errors.js';

/** The content type of every body. */
export const jsonType = 'application/json; charset=utf-8';

/**
 * Creates the response for an error, in the format of Google's API errors. Anything but a ServiceError is an internal
 * error. It lists at most 10 faults with messages of at most 500 characters, because messages may quote the request.
 * Messages are cut only here, because redaction needs the whole message.
 */
export function errorResponse(
  error: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { faults } = error instanceof ServiceError ? error : internalError;
  const { code, status } = reasons[faults[0].reason];
  const errors = faults.slice(0, maxFaults).map(printFault);
  const body = { code, status, message: joinMessages(faults), errors, requestId };
  return new Response(JSON.stringify({ error: body }), {
    status: code,
    headers: {
      'content-type': jsonType,
      'cache-control': 'no-store',
      ...reasonHeaders[faults[0].reason],
      ...headers,
    },
  });
}

/** Whether the query, its parameters or a timeout caused the error, rather than the caller's rights or the server. */
export function isQueryFailure(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false;
  const { code } = reasons[error.faults[0].reason];
  return code === 400 || code === 504;
}

/** Creates the response for a failed query for clients that read only the message, and only with status 200. */
export function messageResponse({ faults }: ServiceError): Response {
  const headers = { 'content-type': jsonType, 'cache-control': 'no-store' };
  return new Response(JSON.stringify({ error: joinMessages(faults) }), { headers });
}

const internalError = new ServiceError(
  'internalError',
  'Internal error; the log has it under this request id',
);

const reasonHeaders: { readonly [R in Reason]?: Readonly<Record<string, string>> } = {
  authError: { 'www-authenticate': 'Bearer' },
  backendBusy: { 'retry-after': '1' },
  rateLimitExceeded: { 'retry-after': '60' },
  unsupportedMediaType: { 'accept-encoding': 'identity' },
};

/** Joins the messages of the listed faults, and counts the rest. */
function joinMessages(faults: ServiceError['faults']): string {
  const shown = faults.slice(0, maxFaults).map(({ message }) => shorten(message, maxMessageLength));
  const left = faults.length - shown.length;
  const end = left === 0 ? '' : `; and ${left} more`;
  return `${shorten(shown.join('; '), maxMessageLength - end.length)}${end}`;
}

function printFault({ reason, message, location, line, column }: Fault) {
  return {
    reason: shownReason(reason),
    message: shorten(message, maxMessageLength),
    location: location === undefined ? undefined : shortName(location),
    line,
    column,
  };
}
