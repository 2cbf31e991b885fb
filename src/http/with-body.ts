import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { printSize } from '../common/print-size.js';
import { ServiceError } from '../errors/errors.js';
import type { Env } from './app-env.js';

/** The parts of a request's context that hold its body. */
interface Received {
  readonly req: { readonly raw: Request };
  readonly env: Partial<HttpBindings> | undefined;
}

/** Whether a request may have a body. */
export function hasBody({ req: { raw } }: Pick<Received, 'req'>): boolean {
  const { method, headers } = raw;
  return method === 'POST' || isSent(headers);
}

function isSent(headers: Headers): boolean {
  return Number(headers.get('content-length') ?? 0) > 0 || headers.has('transfer-encoding');
}

/**
 * A GET with a body as a POST: some clients send parameters that way, and a Request of method GET has no body.
 * Any other request is returned unchanged.
 * @throws ServiceError `bodyTooLarge`
 */
export async function withBody(
  { req: { raw }, env }: Received,
  maxBytes: number,
): Promise<Request> {
  const { incoming } = env ?? {};
  const { headers, url, method } = raw;
  if (method !== 'GET' || !isSent(headers) || incoming === undefined) return raw;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A refusal is an answer: the connection must outlive it.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
  }
  const { signal } = raw;
  return new Request(url, { method: 'POST', headers, signal, body: Buffer.concat(chunks) });
}

/**
 * Refuses bodies over the limit. Hono's own middleware first makes a stream of the body, through which 200 KB take three
 * times as long; it is needed only for a body whose length is unknown.
 */
export function limitBody(maxBytes: number): MiddlewareHandler<Env> {
  const onError = () => {
    throw tooLarge(maxBytes);
  };
  const limitStream = bodyLimit({ maxSize: maxBytes, onError });
  return (c, next) => {
    const length = c.req.header('content-length');
    const isKnown = length !== undefined && c.req.header('transfer-encoding') === undefined;
    if (!isKnown) return limitStream(c, next);
    return Number(length) > maxBytes ? onError() : next();
  };
}

/** The refusal of a body over the limit. */
export function tooLarge(maxBytes: number): ServiceError {
  const message = `The body is larger than its limit of ${printSize(maxBytes)} (--max-body)`;
  return new ServiceError('bodyTooLarge', message);
}
