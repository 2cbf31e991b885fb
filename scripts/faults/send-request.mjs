import { randomUUID } from 'node:crypto';
import { Agent, request as openRequest } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 100 });

/**
 * @typedef {object} Request
 * @property {'GET' | 'POST' | 'HEAD'} [method]
 * @property {string} path
 * @property {Readonly<Record<string, string>>} [headers]
 * @property {string} [body]
 */

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {Buffer} body
 * @property {string} requestId the one sent with the request
 * @property {number} beganAt when the request was sent, as `performance.now()`
 */

/**
 * Sends one request to the service; with `abort`, closes the connection before the answer.
 * @param {string} url
 * @param {Request} request
 * @param {{ readonly afterMs: number, readonly fraction: number }} [abort] when to close the connection, and
 *   the fraction of the body to send before
 * @returns {Promise<Answer | undefined>} undefined if the connection failed or was closed
 */
export function sendRequest(url, { method = 'GET', path, headers = {}, body = '' }, abort) {
  const requestId = randomUUID();
  const beganAt = performance.now();
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const all = { ...headers, ...length, 'x-request-id': requestId };
  return new Promise((resolve) => {
    const sent = openRequest(`${url}${path}`, { method, headers: all, agent }, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', () => resolve(undefined));
      response.on('end', () => {
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, body: Buffer.concat(chunks), requestId, beganAt });
      });
    });
    sent.on('error', () => resolve(undefined));
    sent.on('close', () => resolve(undefined));
    const part = body.slice(0, Math.ceil(body.length * (abort?.fraction ?? 1)));
    if (part === body) sent.end(body);
    else sent.write(part);
    if (abort !== undefined) setTimeout(() => sent.destroy(), abort.afterMs);
  });
}
