import type { HttpBindings } from '@hono/node-server';
import { printSize } from '../common/print-size.js';
import { ServiceError } from '../errors/errors.js';

/** The parts of a request's context that hold its body. */
interface Received {
  readonly req: { readonly raw: Request };
  readonly env: Partial<HttpBindings> | undefined;
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

/** The refusal of a body over the limit. */
export function tooLarge(maxBytes: number): ServiceError {
  const message = `The body is larger than its limit of ${printSize(maxBytes)} (--max-body)`;
  return new ServiceError('bodyTooLarge', message);
}
