import { createHash } from 'node:crypto';

const known = new WeakMap<object, string>();

/** The digest of a value that never changes, as JSON. It is computed once for each object. */
export function digestOf(value: object): string {
  const digest = known.get(value);
  if (digest !== undefined) return digest;
  const made = createHash('sha256').update(JSON.stringify(value)).digest('base64url');
  known.set(value, made);
  return made;
}
