import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digestValue } from '../../process/digest.js';
import { ignoreErrors } from '../../process/ignore-errors.js';
import { makeFolder } from '../../process/make-folder.js';
import { isOwnFile } from '../../process/own-path.js';
import { readVersion } from '../../process/package-paths.js';
import { digestSamples } from '../files/file-state.js';
import { fileIdentity, type ShapeChoice, type ShapeMemory } from '../files/inputs.js';
import { removeFile } from './entry.js';

/** The file in a cache folder that holds the recognized shapes of log files. */
export const keptShapesName = 'shapes.json';

/** A recognized shape, and the file that had it. */
interface KeptShape {
  /** See {@link fileIdentity}. */
  readonly file: string;
  /** The number of bytes of the file's beginning, and their digest. */
  readonly bytes: number;
  readonly digest: string;
  readonly shape: string;
  /** Identifies the shapes to choose from, and the program that chose. */
  readonly choice: string;
}

const mostFiles = 10_000;
const headBytes = 65_536;

/**
 * Opens the recognized shapes that a cache folder keeps between runs of one version of the program. A file has its
 * shape as long as it begins with the same bytes and the shapes to choose from are the same. If the folder cannot be
 * used, nothing is kept.
 */
export function openKeptShapes(cacheDir: string): ShapeMemory {
  const path = join(cacheDir, keptShapesName);
  const version = readVersion();
  const choiceKey = ({ shapes, timed }: ShapeChoice) =>
    `${version} ${digestValue(shapes)} ${timed}`;
  const added: KeptShape[] = [];
  let known: ReadonlyMap<string, KeptShape> | undefined;
  return {
    find({ path: file, stat }, choice) {
      known ??= readKept(path);
      const kept = known.get(fileIdentity(stat));
      if (kept?.choice !== choiceKey(choice) || stat.size < kept.bytes) return undefined;
      const isSame = ignoreErrors(() => digestSamples(file, kept.bytes)) === kept.digest;
      return isSame && Object.hasOwn(choice.shapes, kept.shape) ? kept.shape : undefined;
    },
    add({ path: file, stat }, shape, choice) {
      const bytes = Math.min(stat.size, headBytes);
      const digest = ignoreErrors(() => digestSamples(file, bytes));
      if (digest === undefined) return;
      added.push({ file: fileIdentity(stat), bytes, digest, shape, choice: choiceKey(choice) });
    },
    save() {
      const last = added.splice(0);
      if (last.length > 0) ignoreErrors(() => writeKept(path, last));
    },
  };
}

/** Reads the shapes by file; none if the file is damaged, missing or not ours. */
function readKept(path: string): ReadonlyMap<string, KeptShape> {
  const entries = ignoreErrors(() => {
    const kept: readonly KeptShape[] = isOwnFile(path)
      ? JSON.parse(readFileSync(path, 'utf8'))
      : [];
    return kept.map((one) => [one.file, one] as const);
  });
  return new Map(entries);
}

/** Adds shapes to those that other processes have kept meanwhile. @throws an error of the file system */
function writeKept(path: string, added: readonly KeptShape[]): void {
  const files = new Set(added.map(({ file }) => file));
  const others = [...readKept(path).values()].filter(({ file }) => !files.has(file));
  const text = JSON.stringify([...others, ...added].slice(-mostFiles));
  makeFolder(dirname(path), 0o700);
  const building = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(building, text, { mode: 0o600, flag: 'wx' });
    renameSync(building, path);
  } finally {
    removeFile(building);
  }
}
