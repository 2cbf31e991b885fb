import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { RequestError } from '@hono/node-server';
import { ServiceError } from '../errors/errors.js';
import { printSize } from '../process/print-size.js';
import { maxHeadBytes } from './app.js';
import { errorResponse } from './error-response.js';

/** The error for a request that is not HTTP, or that this server cannot read. */
export const notHttp = new ServiceError(
  'invalid',
  'The request is not HTTP that this server reads',
);

/** Answers an error outside the app. A RequestError means that Host and target are not a valid URL; others are bugs. */
export function refuseRequest(error: unknown): Response {
  return refusal(error instanceof RequestError ? notHttp : error);
}

/** Answers a request that does not reach the app. */
export function refusal(error: unknown): Response {
  const requestId = randomUUID();
  const headers = { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' };
  return errorResponse(error, requestId, headers);
}

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';

const clientFaults: Readonly<Record<string, ServiceError>> = {
  [timeoutCode]: new ServiceError('invalid', 'The request took too long to arrive'),
  HPE_HEADER_OVERFLOW: new ServiceError(
    'headersTooLarge',
    `The URL or the headers are larger than their limits of ${printSize(maxHeadBytes)}`,
  ),
};

/**
 * The time for which a refused client may continue sending, in milliseconds; shorter for a client that was too slow.
 */
const graceMs = 2_000;
const slowGraceMs = 250;

/** Answers a request that Node cannot read, and closes the connection. */
export function refuseClient(
  { code = '' }: { readonly code?: string | undefined },
  socket: Duplex,
): void {
  if (!socket.writable || socket.writableEnded) return;
  const fault = clientFaults[code] ?? notHttp;
  const ms = code === timeoutCode ? slowGraceMs : graceMs;
  void print(refusal(fault)).then((text) => endGently(socket, { text, ms }));
}

/**
 * Ends a connection, and discards what the client still sends: if the connection were closed at once, the client
 * would get a reset, which could prevent it from reading the response.
 */
export function endGently(
  socket: Duplex,
  { text = '', ms = graceMs }: { readonly text?: string; readonly ms?: number } = {},
): void {
  socket.end(text);
  // Node's parser would pass another request to the app.
  socket.removeAllListeners('data');
  socket.on('data', () => {});
  setTimeout(() => socket.destroy(), ms).unref();
}

async function print(response: Response): Promise<string> {
  const body = await response.text();
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const length = Buffer.byteLength(body);
  return `HTTP/1.1 ${response.status} Refused\r\n${headers}content-length: ${length}\r\nconnection: close\r\n\r\n${body}`;
}
