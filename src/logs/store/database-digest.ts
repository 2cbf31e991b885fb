import { createReadStream, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { ignoreErrors } from '../../process/ignore-errors.js';

/** Checksums of a database file, to detect damage; plain values. */
export interface DatabaseDigest {
  /** In bytes. */
  readonly size: number;
  /**
   * A CRC-32 of all bytes. It detects damage, not tampering: an attacker could change the digest
   * too.
   */
  readonly crc: number;
}

const chunkBytes = 1024 ** 2;

/** Computes the digest of a file. @throws an error of the file system */
export async function digestDatabase(path: string): Promise<DatabaseDigest> {
  let [size, crc] = [0, 0];
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    size += chunk.length;
    crc = crc32(chunk, crc);
  }
  return { size, crc };
}

/** Whether all bytes of a file match the digest. */
export async function isSound(path: string, { size, crc }: DatabaseDigest): Promise<boolean> {
  if (!hasSize(path, size)) return false;
  const now = await digestDatabase(path).catch(() => undefined);
  return now?.size === size && now.crc === crc;
}

/** Whether a file exists and has this size, in bytes. */
export function hasSize(path: string, size: number): boolean {
  return ignoreErrors(() => statSync(path).size) === size;
}
