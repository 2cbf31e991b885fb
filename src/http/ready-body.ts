import type { Context } from 'hono';
import { acceptedCoding, type CompressOnce, createCompressOnce } from './compress-body.js';
import { jsonType } from './error-response.js';

/** A JSON body that is only sent: it is made once, and each coding of it once. */
export interface ReadyBody {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly compressed: CompressOnce;
}

/** Prints a value. */
export function readyBody(value: object): ReadyBody {
  const body = new TextEncoder().encode(JSON.stringify(value));
  return { body, compressed: createCompressOnce(body) };
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

/** Sends a body, compressed if the client takes that. */
export async function sendReady(c: Context, { body, compressed }: ReadyBody): Promise<Response> {
  const coding = acceptedCoding(c.req.header('accept-encoding') ?? null);
  const smaller = coding && (await compressed(coding));
  return c.body(smaller ?? body, 200, {
    'content-type': jsonType,
    'cache-control': 'no-store',
    vary: 'Accept-Encoding',
    ...(coding !== undefined && smaller !== undefined && { 'content-encoding': coding }),
  });
}
