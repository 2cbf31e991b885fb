import { createHash } from 'node:crypto';

/** The namespace of domain names: an endpoint's name has the form of one. */
const namespace = Buffer.from('6ba7b8109dad11d180b400c04fd430c8', 'hex');

/**
 * The UUID of a name: version 5, in the namespace of domain names.
 * @see https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-5
 */
export function nameToUuid(name: string): string {
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
