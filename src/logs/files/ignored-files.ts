import { join } from 'node:path';
import { didYouMean } from '../../errors/suggest.js';
import type { Mapping } from '../shapes/mapping.js';
import {
  asNamed,
  isFolder,
  listFolder,
  listIfReadable,
  type NamedSource,
  needsShape,
  stemOf,
  stemsOf,
  suffixOf,
} from './files.js';
import { recognizeShape } from './recognize-shape.js';

/** How a file must end to be read. */
export const readSuffixes =
  '.ndjson, .jsonl, .json or .parquet, or .log if its shape is named (lines also as .gz or .zst, and rotated, as .log.1)';

/** A longer name is an id, such as Docker's. */
const maxNameLength = 40;

/** How many ignored files are named. */
const maxNamed = 10;

/**
 * One line for each file and folder of a data folder that is not read, with the reason; hidden ones are
 * left out, and those that are `read` although they are not called as a source.
 * @throws SetupError if the data folder cannot be read
 */
export function listIgnored(
  dataFolder: string,
  sources: readonly NamedSource[],
  read: ReadonlySet<string> = new Set(),
): readonly string[] {
  const known: Known = {
    dataFolder,
    stems: new Map(sources.flatMap((source) => [...stemsOf(source)])),
    shapes: sources.find(({ shapes }) => shapes !== undefined)?.shapes ?? {},
  };
  const ignored = listFolder(dataFolder).flatMap((entry) => {
    if (entry.name.startsWith('.') || read.has(entry.name)) return [];
    if (!isFolder(entry, join(dataFolder, entry.name))) return whyIgnored(entry.name, known);
    const stem = asNamed(entry.name);
    if (!known.stems.has(stem)) return [() => unknownName(`${entry.name}/`, known)];
    const hasShape = known.stems.get(stem) !== undefined;
    const inner = (listIfReadable(join(dataFolder, entry.name)) ?? []).map(({ name }) => name);
    return inner
      .filter((name) => !name.startsWith('.') && !isRead(name, hasShape))
      .filter((name) => !read.has(`${entry.name}/${name}`))
      .map((name) => () => `${entry.name}/${name} is ignored: ${wrongSuffix(name)}`);
  });
  // A reason may need a look into the file.
  const lines = ignored.slice(0, maxNamed).map((explain) => explain());
  const more = ignored.length - maxNamed;
  return more <= 0 ? lines : [...lines, `${more} more files in ${dataFolder} are ignored`];
}

/** What files may be called, and which shapes there are. */
interface Known {
  readonly dataFolder: string;
  readonly stems: ReadonlyMap<string, Mapping | undefined>;
  readonly shapes: Readonly<Record<string, Mapping>>;
}

function isRead(name: string, hasShape: boolean): boolean {
  return suffixOf(name) !== undefined && (hasShape || !needsShape(name));
}

function whyIgnored(name: string, known: Known): readonly (() => string)[] {
  const stem = stemOf(name);
  if (suffixOf(name) === undefined) return [() => `${name} is ignored: ${wrongSuffix(name)}`];
  if (!known.stems.has(stem)) return [() => unknownName(name, known)];
  if (isRead(name, known.stems.get(stem) !== undefined)) return [];
  return [() => `${name} is ignored: ${wrongSuffix(name)}`];
}

function wrongSuffix(name: string): string {
  const csv = /\.csv(\.|$)/i.test(name) ? 'CSV is not read; ' : '';
  return `${csv}the name of a file must end with ${readSuffixes}`;
}

/** Of a file, or of a folder, whose name then ends with `/`. */
function unknownName(name: string, known: Known): string {
  const stem = name.endsWith('/') ? name.slice(0, -1) : stemOf(name);
  const stems = [...known.stems.keys()];
  const twin = stems.find((each) => each.toLowerCase() === stem.toLowerCase());
  if (twin !== undefined) {
    return `${name} is ignored: letter case counts, the source is called ${twin}`;
  }
  const [source = '', ...words] = stem.split('.');
  if (words.length > 0 && stems.includes(source)) {
    return `${name} is ignored: several files of ${source} belong into a folder ${source}/`;
  }
  const hint = didYouMean(
    stem,
    stems.filter((each) => !each.includes('.')),
  );
  return `${name} is ignored: there is no source ${stem}${hint}; ${wayOut(name, known)}`;
}

/** How to have a file read whose name is of no source. */
function wayOut(name: string, { dataFolder, shapes }: Known): string {
  const stem = name.endsWith('/') ? name.slice(0, -1) : stemOf(name);
  const [first = ''] = stem.split('.');
  const source = first.replaceAll(/\W/g, '_').replace(/^\d/, '_$&');
  const found = recognizeShape(join(dataFolder, name), shapes);
  // Only text is read without a time.
  if ('shape' in found && (found.fitting > 0 || found.shape === 'text')) {
    const ending = `${found.shape}${suffixOf(name) ?? ''}`;
    return source === stem
      ? `name its shape: --as ${source}=${found.shape}`
      : `name its shape: call it ${source.length > maxNameLength ? 'app' : source}.${ending}`;
  }
  const renamed = source === stem ? '' : `call it ${source}${suffixOf(name) ?? ''}, and `;
  const way = `${renamed}declare it in a folder for --sources, or name its shape, as in --as ${source}=pino`;
  return 'keys' in found ? `${way}; the keys of its first line are ${found.keys}` : way;
}
