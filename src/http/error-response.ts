import { type Fault, type Reason, reasons, ServiceError } from '../errors.js';

/** The content type of every body. */
export const jsonType = 'application/json; charset=utf-8';

/** The error object of a refusal, in the form of Google's API errors; whatever is no refusal is an internal error. */
export function errorResponse(
  error: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { faults, message } = error instanceof ServiceError ? error : internalError;
  const { code, status } = reasons[faults[0].reason];
  const body = { code, status, message, errors: faults.map(printFault), requestId };
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

function printFault({ reason, message, location, line, column }: Fault) {
  const row = reasons[reason];
  return { reason: 'reason' in row ? row.reason : reason, message, location, line, column };
}
