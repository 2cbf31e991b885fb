// Whether an answer is one of the contract's, and the right one.

/** @typedef {import('./ask.mjs').Answer} Answer */
/** @typedef {{ readonly says: string, readonly text: string, readonly message: string }} Known */

/** @type {Readonly<Record<number, { readonly status: string, readonly reasons: readonly string[] }>>} */
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

/** What the messages of limits name. @type {Readonly<Record<string, RegExp>>} */
const settings = {
  '413 tooLarge': /--max-body/,
  '503 backendBusy': /--max-queued-queries|^No engine process can be started now$/,
  '504 timeout': /--query-timeout/,
};

/**
 * Status and reason of an answer, and its text without what differs from one request to the next.
 * @param {Answer} answer
 * @returns {Known}
 * @throws Error where it is none of the contract's
 */
export function readAnswer({ status, headers, body, requestId }) {
  need(headers['x-request-id'] === requestId, 'x-request-id is not the one that was sent');
  need(headers['x-content-type-options'] === 'nosniff', 'no x-content-type-options');
  need(!Object.hasOwn(headers, 'server'), 'a server header');
  const text = body.toString('utf8');
  if (status === 304) return readNotModified(headers, text);
  if (text !== '')
    need(headers['content-type'] === 'application/json; charset=utf-8', 'content-type');
  if (status === 200) return readRows(headers, text);
  return readError({ status, headers, text, requestId });
}

/** @param {boolean} isTrue @param {string} what */
function need(isTrue, what) {
  if (!isTrue) throw new Error(what);
}

/** @param {Answer['headers']} headers @param {string} text */
function readNotModified(headers, text) {
  need(text === '' && headers.etag !== undefined, 'a 304 with a body or without an etag');
  return { says: '304', text, message: '' };
}

/** @param {Answer['headers']} headers @param {string} text */
function readRows(headers, text) {
  if (text === '' || text === '{"status":"ok"}') return { says: '200', text, message: '' };
  for (const name of ['etag', 'cache-control', 'x-cache', 'server-timing', 'x-result-truncated']) {
    need(headers[name] !== undefined, `no ${name}`);
  }
  /** @type {{ readonly result: readonly unknown[] }} */
  const { result } = JSON.parse(text);
  need(Object.keys(JSON.parse(text)).join() === 'result', 'more than a result');
  need(headers['x-result-rows'] === String(result.length), 'another number of rows');
  return { says: '200', text, message: '' };
}

/** @param {{ status: number, headers: Answer['headers'], text: string, requestId: string }} answer */
function readError({ status, headers, text, requestId }) {
  const known = errors[status];
  if (known === undefined) throw new Error('a status that is none of the contract');
  const { error } = JSON.parse(text);
  need(error.code === status && error.status === known.status, 'code and status');
  need(error.requestId === requestId, 'requestId');
  need(Array.isArray(error.errors) && error.errors.length > 0, 'errors');
  const { reason, message } = error.errors[0];
  need(known.reasons.includes(reason), `reason ${reason}`);
  need(typeof message === 'string' && error.message.includes(message), 'message');
  need(headers['cache-control'] === 'no-store', 'an error that may be kept');
  if (status === 503) need(headers['retry-after'] === '1', 'no retry-after');
  const says = `${status} ${reason}`;
  need(settings[says]?.test(message) ?? true, `a limit that is not named: ${message}`);
  return { says, text: text.replace(requestId, ''), message };
}
