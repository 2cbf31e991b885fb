import { createHash } from 'node:crypto';

/** The SHA-256 of a text, in hex. */
export function digestText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The SHA-256 of bytes, as text for an entity tag. */
export function digestBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

const known = new WeakMap<object, string>();

/** The digest of a value that never changes, as JSON. It is computed once for each object. */
export function digestValue(value: object): string {
  const digest = known.get(value) ?? digestText(JSON.stringify(value));
  known.set(value, digest);
  return digest;
}
