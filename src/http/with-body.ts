import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { ServiceError } from '../errors/errors.js';
import { printSize } from '../process/print-size.js';
import type { Env } from './app-env.js';

/**
 * Turns a GET with a body into a POST: some clients send parameters that way, and a Request with the method GET has
 * no body. Returns any other request unchanged.
 * @throws ServiceError `bodyTooLarge`
 */
export async function withBody(
  { req: { raw }, env }: Context<Env>,
  maxBytes: number,
): Promise<Request> {
  const { incoming } = env ?? {};
  const { headers, url, method } = raw;
  if (method !== 'GET' || !hasBody(raw) || incoming === undefined) return raw;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A refusal is an answer: the connection must stay open for it.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes, ' (--max-body)');
  }
  const { signal } = raw;
  return new Request(url, { method: 'POST', headers, signal, body: Buffer.concat(chunks) });
}

function hasBody({ headers, method }: Request): boolean {
  const isSent = Number(headers.get('content-length') ?? 0) > 0 || headers.has('transfer-encoding');
  return isSent || method === 'POST';
}

/**
 * Refuses a compressed body, and a body over the limit. Checks a declared length before touching the body: reading
 * would ask the client for it, and once reading has begun, the server does not discard the rest and closes a
 * connection that it has announced as keep-alive. Reads and counts a body without a length.
 * @throws ServiceError `unsupportedMediaType` or `bodyTooLarge`
 */
export function limitBody(maxBytes: number, flag = ' (--max-body)'): MiddlewareHandler<Env> {
  const refuse = () => {
    throw tooLarge(maxBytes, flag);
  };
  const count = bodyLimit({ maxSize: maxBytes, onError: refuse });
  return (c, next) => {
    const { headers, method } = c.req.raw;
    const coding = headers.get('content-encoding') || 'identity';
    if (coding.toLowerCase() !== 'identity' && hasBody(c.req.raw)) throw compressed;
    if (Number(headers.get('content-length') ?? 0) > maxBytes) refuse();
    const hasLength = headers.has('content-length') && !headers.has('transfer-encoding');
    return method === 'POST' && !hasLength ? count(c, next) : next();
  };
}

const compressed = new ServiceError(
  'unsupportedMediaType',
  'A body must not be compressed: leave out content-encoding',
  { location: 'content-encoding' },
);

function tooLarge(maxBytes: number, flag: string): ServiceError {
  const message = `The body is larger than its limit of ${printSize(maxBytes)}${flag}`;
  return new ServiceError('bodyTooLarge', message);
}
