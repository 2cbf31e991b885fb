import { randomUUID } from 'node:crypto';
import { Agent, request as open } from 'node:http';

// One request to the service, and one whose caller goes away.

const agent = new Agent({ keepAlive: true, maxSockets: 100 });

/**
 * @typedef {object} Asked
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
 * @property {string} requestId that of the request
 * @property {number} beganAt
 */

/**
 * @param {string} url
 * @param {Asked} asked
 * @param {{ readonly afterMs: number, readonly part: number }} [leave] when the caller goes away, and the
 *   part of the body that is sent until then
 * @returns {Promise<Answer | undefined>} undefined: nothing came, or the caller had gone
 */
export function ask(url, { method = 'GET', path, headers = {}, body = '' }, leave) {
  const requestId = randomUUID();
  const beganAt = performance.now();
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const all = { ...headers, ...length, 'x-request-id': requestId };
  return new Promise((resolve) => {
    const sent = open(`${url}${path}`, { method, headers: all, agent }, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', () => resolve(undefined));
      response.on('end', () => {
        const { statusCode: status = 0, headers: given } = response;
        resolve({ status, headers: given, body: Buffer.concat(chunks), requestId, beganAt });
      });
    });
    sent.on('error', () => resolve(undefined));
    sent.on('close', () => resolve(undefined));
    const part = body.slice(0, Math.ceil(body.length * (leave?.part ?? 1)));
    if (part === body) sent.end(body);
    else sent.write(part);
    if (leave !== undefined) setTimeout(() => sent.destroy(), leave.afterMs);
  });
}
