import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** What tells a database file from a damaged one; plain values. */
export interface DatabaseDigest {
  /** In bytes. */
  readonly size: number;
  /** A CRC-32 of all of its bytes: damage is looked for, not an enemy, who could write the digest too. */
  readonly whole: number;
  /** The same of some of its bytes, here and there: soon made, however large the file is. */
  readonly samples: number;
}

const chunkBytes = 1024 ** 2;
const sampleCount = 64;
const sampleBytes = 65_536;

/** Reads a file to its end. @throws an error of the file system */
export function digestDatabase(path: string): Promise<DatabaseDigest> {
  return withFile(path, async (file, size) => ({
    size,
    whole: await digestAt(file, places(size, chunkBytes), chunkBytes),
    samples: await digestSamples(file, size),
  }));
}

/** Whether a file is what it was in all of its bytes. */
export async function isSound(path: string, before: DatabaseDigest): Promise<boolean> {
  return withFile(
    path,
    async (file, size) =>
      size === before.size &&
      (await digestAt(file, places(size, chunkBytes), chunkBytes)) === before.whole,
  ).catch(() => false);
}

/** Whether a file is as long as it was, and what it was in its samples. */
export function looksSound(path: string, before: DatabaseDigest): Promise<boolean> {
  return withFile(
    path,
    async (file, size) =>
      size === before.size && (await digestSamples(file, size)) === before.samples,
  ).catch(() => false);
}

/** The beginning, the end, and places between them. */
function digestSamples(file: FileHandle, size: number): Promise<number> {
  const last = Math.max(0, size - sampleBytes);
  const step = Math.max(1, Math.ceil(last / sampleCount));
  return digestAt(file, [...places(last, step), last], sampleBytes);
}

async function digestAt(
  file: FileHandle,
  from: readonly number[],
  length: number,
): Promise<number> {
  const buffer = Buffer.alloc(length);
  let digest = 0;
  for (const place of from) {
    const { bytesRead } = await file.read(buffer, 0, length, place);
    digest = crc32(buffer.subarray(0, bytesRead), digest);
  }
  return digest;
}

function places(end: number, step: number): readonly number[] {
  return Array.from({ length: Math.ceil(end / step) }, (_, place) => place * step);
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
