import type { Context } from 'hono';
import type { SentBodies, SentBody } from '../cache/entry.js';
import { matchesEtag, sentBody } from './encode-response.js';
import { jsonType } from './error-response.js';

/** A body that is encoded once, and compressed with each coding when first requested. */
export interface ReadyBody {
  /** The body; one with an empty `etag` is always sent. */
  readonly plain: SentBody;
  /** Its content type, and other headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sent: SentBodies;
}

/** Prints a value, or takes a string of another type; caches must not store the body. */
export function readyBody(value: object | string, headers: ReadyBody['headers'] = {}): ReadyBody {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plain = { bytes: new TextEncoder().encode(text), etag: '' };
  const common = { 'content-type': jsonType, 'cache-control': 'no-store' };
  return { plain, headers: { ...common, ...headers }, sent: new Map() };
}

/** Caches the body made from an object as long as the object itself exists, and `state` stays the same. */
export function createReadyBodies<T extends object>(
  make: (of: T) => object,
  state: () => unknown = () => undefined,
): (of: T) => ReadyBody {
  const ready = new WeakMap<T, { readonly body: ReadyBody; readonly madeIn: unknown }>();
  return (of) => {
    const known = ready.get(of);
    const madeIn = state();
    const isCurrent = known !== undefined && known.madeIn === madeIn;
    const body = isCurrent ? known.body : readyBody(make(of));
    ready.set(of, { body, madeIn });
    return body;
  };
}

/** Sends a body, compressed if the client accepts that; 304 if the client already has it. */
export async function sendReady(
  c: Context,
  { plain, sent, headers }: ReadyBody,
): Promise<Response> {
  const accepted = c.req.header('accept-encoding') ?? null;
  const { bytes, etag, coding } = await sentBody(sent, async () => plain, accepted);
  const { 'content-type': type = '', ...others } = headers;
  const facts = { vary: 'Accept-Encoding', ...others, ...(etag !== '' && { etag }) };
  if (etag !== '' && matchesEtag(c.req.raw, etag)) return c.body(null, 304, facts);
  return c.body(bytes, 200, {
    ...facts,
    'content-type': type,
    ...(coding && { 'content-encoding': coding }),
  });
}
