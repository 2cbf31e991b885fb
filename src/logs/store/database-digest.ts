import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** Checksums of a database file, to detect damage; plain values. */
export interface DatabaseDigest {
  /** In bytes. */
  readonly size: number;
  /**
   * A CRC-32 of all bytes. It detects damage, not tampering: an attacker could change the digest
   * too.
   */
  readonly whole: number;
  /** A CRC-32 of samples, which takes the same short time for any size. */
  readonly samples: number;
}

const chunkBytes = 1024 ** 2;
const sampleCount = 64;
const sampleBytes = 65_536;

/** Computes the digest of a file. @throws an error of the file system */
export function digestDatabase(path: string): Promise<DatabaseDigest> {
  return withFile(path, async (file, size) => ({
    size,
    whole: await digestAt(file, offsets(size, chunkBytes), chunkBytes),
    samples: await digestSamples(file, size),
  }));
}

/** Whether all bytes of a file match the digest. */
export async function isSound(path: string, before: DatabaseDigest): Promise<boolean> {
  return withFile(
    path,
    async (file, size) =>
      size === before.size &&
      (await digestAt(file, offsets(size, chunkBytes), chunkBytes)) === before.whole,
  ).catch(() => false);
}

/** Whether the size and the samples of a file match the digest. */
export function looksSound(path: string, before: DatabaseDigest): Promise<boolean> {
  return withFile(
    path,
    async (file, size) =>
      size === before.size && (await digestSamples(file, size)) === before.samples,
  ).catch(() => false);
}

/** Samples the beginning, the end, and offsets in between. */
function digestSamples(file: FileHandle, size: number): Promise<number> {
  const last = Math.max(0, size - sampleBytes);
  const step = Math.max(1, Math.ceil(last / sampleCount));
  return digestAt(file, [...offsets(last, step), last], sampleBytes);
}

async function digestAt(
  file: FileHandle,
  from: readonly number[],
  length: number,
): Promise<number> {
  const buffer = Buffer.alloc(length);
  let digest = 0;
  for (const offset of from) {
    const { bytesRead } = await file.read(buffer, 0, length, offset);
    digest = crc32(buffer.subarray(0, bytesRead), digest);
  }
  return digest;
}

function offsets(end: number, step: number): readonly number[] {
  return Array.from({ length: Math.ceil(end / step) }, (_, index) => index * step);
}

async function withFile<T>(
  path: string,
  use: (file: FileHandle, size: number) => Promise<T>,
): Promise<T> {
  const file = await open(path, 'r');
  try {
    return await use(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}
