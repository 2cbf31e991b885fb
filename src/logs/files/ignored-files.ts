import { basename, join } from 'node:path';
import type { Mapping } from '../shapes/mapping.js';
import { findLogFiles, isFolder, listFolder, listIfReadable, type NamedSource } from './files.js';
import { recognizeShape } from './recognize-shape.js';
import { sourceName } from './source-name.js';

/** The maximum number of ignored files to name. */
const maxNamed = 10;

/**
 * Returns a line with the reason for each unread file of a data folder; leaves out hidden files, and the files in
 * `read`, which are read although their names match no source.
 * @throws SetupError if the data folder cannot be read
 */
export function listIgnored(
  dataFolder: string,
  sources: readonly NamedSource[],
  read: ReadonlySet<string> = new Set(),
): readonly string[] {
  const called = new Set(findLogFiles(dataFolder, sources).map(({ name }) => name));
  const all = listFolder(dataFolder).flatMap((entry) => {
    const path = join(dataFolder, entry.name);
    if (entry.name.startsWith('.') || !isFolder(entry, path)) return [entry.name];
    return (listIfReadable(path) ?? []).map(({ name }) => `${entry.name}/${name}`);
  });
  const isHidden = (name: string) => basename(name).startsWith('.');
  const unread = all.filter((name) => !isHidden(name) && !read.has(name) && !called.has(name));
  const shapes = sources.find((source) => source.shapes !== undefined)?.shapes ?? {};
  const why = (name: string) => whyIgnored(join(dataFolder, name), sources, shapes);
  const lines = unread.slice(0, maxNamed).map((name) => `${name} is ignored: ${why(name)}`);
  const more = unread.length - maxNamed;
  return more <= 0 ? lines : [...lines, `${more} more files in ${dataFolder} are ignored`];
}

/** Explains why a file is not read, and what to do about it. */
function whyIgnored(
  path: string,
  sources: readonly NamedSource[],
  shapes: Readonly<Record<string, Mapping>>,
): string {
  const [stem = ''] = basename(path).split('.');
  const twin = sources.find(({ name }) => name !== stem && name === stem.toLowerCase());
  if (twin !== undefined) return `letter case counts, the source is called ${twin.name}`;
  const look = recognizeShape(path, shapes);
  if ('isBinary' in look) return 'it is binary';
  if (!('shape' in look)) return 'it is empty, or cannot be read';
  return `its lines have no time; to read them all the same, name its shape, as in --as ${sourceName(path).name}=${look.shape}`;
}
