import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a string, in hex. */
export function digestText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the SHA-256 of bytes, as a string for an entity tag. */
export function digestBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

const known = new WeakMap<object, string>();

/** Returns the digest of an immutable value, as JSON. Computed once for each object. */
export function digestValue(value: object): string {
  const digest = known.get(value) ?? digestText(JSON.stringify(value));
  known.set(value, digest);
  return digest;
}
