import type { Context } from 'hono';
import { acceptedCoding, type Coding, compressBody } from './compress-body.js';
import { matchesEtag } from './encode-response.js';
import { jsonType } from './error-response.js';

/** A body that is only sent: it is made once, and each coding of it when it is first asked for. */
export interface ReadyBody {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Its content type, and others. */
  readonly headers: Readonly<Record<string, string>>;
  /** Without quotes; a body without one is sent each time. */
  readonly etag?: string;
  readonly codings: Map<Coding, ReturnType<typeof compressBody>>;
}

/** Prints a value. */
export function readyBody(value: object): ReadyBody {
  const body = new TextEncoder().encode(JSON.stringify(value));
  const headers = { 'content-type': jsonType, 'cache-control': 'no-store' };
  return { body, headers, codings: new Map() };
}

/** Keeps the body that is made of an object as long as the object itself is kept. */
export function createReadyBodies<T extends object>(make: (of: T) => object): (of: T) => ReadyBody {
  const ready = new WeakMap<T, ReadyBody>();
  return (of) => {
    const made = ready.get(of) ?? readyBody(make(of));
    ready.set(of, made);
    return made;
  };
}

/** Sends a body, compressed if the client takes that; 304 if it already has it. */
export async function sendReady(c: Context, ready: ReadyBody): Promise<Response> {
  const coding = acceptedCoding(c.req.header('accept-encoding') ?? null);
  const smaller = coding && (await compressOnce(ready, coding));
  const { 'content-type': type = '', ...others } = ready.headers;
  const etag = ready.etag && `"${ready.etag}${smaller ? `-${coding}` : ''}"`;
  const headers = { ...others, vary: 'Accept-Encoding', ...(etag && { etag }) };
  if (etag && matchesEtag(c.req.raw, etag)) return c.body(null, 304, headers);
  return c.body(smaller ?? ready.body, 200, {
    ...headers,
    'content-type': type,
    ...(coding && smaller && { 'content-encoding': coding }),
  });
}

function compressOnce({ body, codings }: ReadyBody, coding: Coding) {
  const compressed = codings.get(coding) ?? compressBody(body, coding);
  codings.set(coding, compressed);
  return compressed;
}
