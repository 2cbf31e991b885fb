/** @typedef {import('./send-request.mjs').Answer} Answer */

/**
 * The parts of an answer that are compared and reported.
 * @typedef {object} ReadAnswer
 * @property {string} outcome its status, and the reason of an error, for example `504 timeout`
 * @property {string} text its body without the request id
 * @property {string} message of an error, or empty
 */

/** The errors of the HTTP API. @type {Readonly<Record<number, { readonly status: string, readonly reasons: readonly string[] }>>} */
const errors = {
  400: {
    status: 'INVALID_ARGUMENT',
    reasons: ['required', 'invalid', 'invalidQuery', 'accessDenied', 'resourcesExceeded'],
  },
  404: { status: 'NOT_FOUND', reasons: ['notFound'] },
  413: { status: 'INVALID_ARGUMENT', reasons: ['tooLarge'] },
  414: { status: 'INVALID_ARGUMENT', reasons: ['tooLarge'] },
  500: { status: 'INTERNAL', reasons: ['internalError'] },
  503: { status: 'UNAVAILABLE', reasons: ['backendBusy'] },
  504: { status: 'DEADLINE_EXCEEDED', reasons: ['timeout'] },
};

/** Messages about limits name the flag that sets the limit. @type {Readonly<Record<string, RegExp>>} */
const limitMessages = {
  '413 tooLarge': /--max-body/,
  '503 backendBusy': /--max-queued-queries|^No engine process can be started now$|was killed twice/,
  '504 timeout': /--(?:query|compile)-timeout/,
};

/**
 * Checks an answer against the rules of the HTTP API.
 * @param {Answer} answer
 * @returns {ReadAnswer}
 * @throws Error if it breaks one of them
 */
export function readAnswer({ status, headers, body, requestId }) {
  check(headers['x-request-id'] === requestId, 'x-request-id differs from the one sent');
  check(headers['x-content-type-options'] === 'nosniff', 'no x-content-type-options');
  check(!Object.hasOwn(headers, 'server'), 'there is a server header');
  const text = body.toString('utf8');
  if (status === 304) return readNotModified(headers, text);
  if (text !== '')
    check(headers['content-type'] === 'application/json; charset=utf-8', 'wrong content-type');
  if (status === 200) return readRows(headers, text);
  return readError({ status, headers, text, requestId });
}

/** @param {boolean} isTrue @param {string} problem */
function check(isTrue, problem) {
  if (!isTrue) throw new Error(problem);
}

/** @param {Answer['headers']} headers @param {string} text */
function readNotModified(headers, text) {
  check(text === '' && headers.etag !== undefined, 'a 304 with a body or without an etag');
  return { outcome: '304', text, message: '' };
}

/** @param {Answer['headers']} headers @param {string} text */
function readRows(headers, text) {
  if (text === '' || text === '{"status":"ok"}') return { outcome: '200', text, message: '' };
  for (const name of ['etag', 'cache-control', 'x-cache', 'server-timing', 'x-result-truncated']) {
    check(headers[name] !== undefined, `no ${name}`);
  }
  /** @type {{ readonly result: readonly unknown[] }} */
  const { result } = JSON.parse(text);
  check(Object.keys(JSON.parse(text)).join() === 'result', 'the body has other keys than result');
  check(
    headers['x-result-rows'] === String(result.length),
    'x-result-rows is not the number of rows',
  );
  return { outcome: '200', text, message: '' };
}

/** @param {{ status: number, headers: Answer['headers'], text: string, requestId: string }} answer */
function readError({ status, headers, text, requestId }) {
  const allowed = errors[status];
  if (allowed === undefined) throw new Error(`unexpected status ${status}`);
  const { error } = JSON.parse(text);
  check(error.code === status && error.status === allowed.status, 'wrong code or status');
  check(error.requestId === requestId, 'wrong requestId');
  check(Array.isArray(error.errors) && error.errors.length > 0, 'no errors');
  const { reason, message } = error.errors[0];
  check(allowed.reasons.includes(reason), `wrong reason ${reason}`);
  check(typeof message === 'string' && error.message.includes(message), 'wrong message');
  check(headers['cache-control'] === 'no-store', 'an error that may be cached');
  if (status === 503) check(headers['retry-after'] === '1', 'no retry-after');
  const outcome = `${status} ${reason}`;
  check(
    limitMessages[outcome]?.test(message) ?? true,
    `the message does not name the limit: ${message}`,
  );
  return { outcome, text: text.replace(requestId, ''), message };
}
