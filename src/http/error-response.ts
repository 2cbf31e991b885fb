import {
  type Fault,
  maxMessage,
  type Reason,
  reasons,
  ServiceError,
  shorten,
  shortName,
} from '../errors/errors.js';

/** The content type of every body. */
export const jsonType = 'application/json; charset=utf-8';

/**
 * The error object of a refusal, in the form of Google's API errors; whatever is no refusal is an internal error.
 * It has at most 10 faults and messages of at most 500 characters, since they may quote what the caller sent.
 * They are cut here and not where they are made: whatever redacts a message must have the whole of it.
 */
export function errorResponse(
  error: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { faults } = error instanceof ServiceError ? error : internalError;
  const { code, status } = reasons[faults[0].reason];
  const errors = faults.slice(0, maxFaults).map(printFault);
  const body = { code, status, message: messageOf(faults), errors, requestId };
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

const internalError = new ServiceError(
  'internalError',
  'Internal error; the log has it under this request id',
);

const reasonHeaders: { readonly [R in Reason]?: Readonly<Record<string, string>> } = {
  authError: { 'www-authenticate': 'Bearer' },
  backendBusy: { 'retry-after': '1' },
  rateLimitExceeded: { 'retry-after': '60' },
};

/** Most faults in one error. */
const maxFaults = 10;

/** The messages of all faults that are shown, and how many are not. */
function messageOf(faults: ServiceError['faults']): string {
  const shown = faults.slice(0, maxFaults).map(({ message }) => shorten(message, maxMessage));
  const left = faults.length - shown.length;
  const end = left === 0 ? '' : `; and ${left} more`;
  return `${shorten(shown.join('; '), maxMessage - end.length)}${end}`;
}

function printFault({ reason, message, location, line, column }: Fault) {
  const row = reasons[reason];
  return {
    reason: 'reason' in row ? row.reason : reason,
    message: shorten(message, maxMessage),
    location: location === undefined ? undefined : shortName(location),
    ...{ line, column },
  };
}
