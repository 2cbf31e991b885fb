import { readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  isFolder,
  type LogFile,
  listFolder,
  type NamedSource,
  needsShape,
  suffixOf,
} from './files.js';
import type { Mapping } from '../shapes/mapping.js';
import { recognizeFile } from './recognize-file.js';
import { freeName, shapeInName, sourceName } from './source-name.js';

/** A file or folder that the command line names. */
export interface InputPath {
  readonly path: string;
  /** What it is called; `-` for standard input, which is kept in a file. */
  readonly name: string;
}

/** A file that is read because the command line names it or its folder. */
export interface InputFile extends Pick<LogFile, 'source' | 'name' | 'path'> {
  /** The name of its shape; absent if the declaration of the source says how it is read. */
  readonly shape?: string;
}

/** What the files of some paths are now. */
export interface Inputs {
  readonly files: readonly InputFile[];
  /** A line for each file that is not read. */
  readonly unread: readonly string[];
}

/** What there is to read files as. */
export interface InputContext {
  readonly sources: readonly NamedSource[];
  readonly shapes: Readonly<Record<string, Mapping>>;
  /** The shapes that were named, by source. */
  readonly as: ReadonlyMap<string, string>;
}

/** Lists the files. @throws SetupError if a folder cannot be read */
export type ListInputs = (context: InputContext) => Inputs;

/**
 * Creates a function that lists the files of some paths: a file with what its rotation makes of it, a folder with its
 * files, and its folders as one source each. A file keeps its source and its shape as long as it is there.
 */
export function createInputs(paths: readonly InputPath[]): ListInputs {
  const listings = paths.map(createListing);
  const shapeOf = createShapes();
  const names = createNames();
  const isPipe = paths.every(({ name }) => name === '-');
  return (context) => {
    const { sources, shapes, as } = context;
    const all = listings.flatMap((list) => list());
    const entries = [...new Map(all.map((entry) => [resolve(entry.path), entry])).values()];
    const found = entries.map((entry) => sourceOf(entry, shapeOf(entry, shapes), sources));
    const [given] = isPipe ? as.keys() : [];
    const read = names(found, sources).map((each) =>
      readAs({ ...each, name: given ?? each.name }, context),
    );
    return {
      files: read.filter((each) => typeof each === 'object'),
      unread: read.filter((each) => typeof each === 'string'),
    };
  };
}

/** How a file is read, or why it is not; undefined if it is left out on purpose. */
function readAs({ entry, guess, declared, name }: Called, { as }: InputContext) {
  const shape = as.get(name) ?? (declared && hasColumns(entry, declared) ? '' : guess);
  if (shape === 'none') return undefined;
  if (shape === undefined) return whyUnread(entry, name);
  return { source: name, name: entry.name, path: entry.path, ...(shape && { shape }) };
}

/** The files of these inputs as those of their sources; a source that is not declared yet has none. */
export function inputLogFiles(
  files: readonly InputFile[],
  sources: readonly NamedSource[],
): readonly LogFile[] {
  return files.flatMap(({ shape, ...file }): readonly LogFile[] => {
    const source = sources.find(({ name }) => name === file.source);
    if (source === undefined) return [];
    const mapping = shape === undefined ? source.mapping : source.shapes?.[shape];
    const [compression] = packed.find(([, suffix]) => suffix.test(file.path)) ?? ['none' as const];
    const format = isParquet(file.path) ? 'parquet' : 'lines';
    return [{ ...file, format, compression, ...(shape && { shape }), ...(mapping && { mapping }) }];
  });
}

const packed = [
  ['gzip', /\.gz$/],
  ['zstd', /\.zst$/],
] as const;

/** A file that was found. */
interface Entry extends InputPath {
  /** The file or folder whose name is that of the source. */
  readonly named: string;
  readonly stat: Stats;
}

function createListing({ path, name }: InputPath): () => readonly Entry[] {
  const file = statOf(path);
  if (file === undefined || file.isFile()) return createRotation({ path, name });
  return () =>
    listFolder(path).flatMap((entry) => {
      if (entry.name.startsWith('.')) return [];
      const own = { path: join(path, entry.name), name: join(name, entry.name) };
      if (!isFolder(entry, own.path)) return entryOf(own, own.path);
      return listFolder(own.path).flatMap((inner) => {
        const [below, called] = [join(own.path, inner.name), join(own.name, inner.name)];
        return inner.name.startsWith('.') ? [] : entryOf({ path: below, name: called }, own.path);
      });
    });
}

/**
 * Lists a file, and the files beside it that were this file once, or were written under a longer name since the start.
 */
function createRotation({ path, name }: InputPath): () => readonly Entry[] {
  const startMs = Date.now();
  const inodes = new Set<number>();
  const own = basename(path);
  const stem = own.split('.')[0] ?? own;
  return () => {
    const file = entryOf({ path, name }, name);
    for (const { stat } of file) inodes.add(stat.ino);
    const others = namesIn(dirname(path)).filter((each) => each !== own && each.startsWith(stem));
    const rotated = others.flatMap((each) => {
      const shown = name === '-' ? each : join(dirname(name), each);
      const [entry] = entryOf({ path: join(dirname(path), each), name: shown }, name);
      const isLater = each.startsWith(own) && (entry?.stat.mtimeMs ?? 0) >= startMs;
      return entry !== undefined && (isLater || inodes.has(entry.stat.ino)) ? [entry] : [];
    });
    return [...file, ...rotated];
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function entryOf(file: InputPath, named: string): readonly Entry[] {
  const stat = statOf(file.path);
  return stat?.isFile() ? [{ ...file, named, stat }] : [];
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** Remembers the shape of a file: growing does not change it. One that has none is looked at again when it has grown. */
function createShapes() {
  const known = new Map<string, string>();
  const sizes = new Map<string, number>();
  return ({ named, path, stat }: Entry, shapes: InputContext['shapes']): string | undefined => {
    const inName = shapeInName(path, shapes);
    if (inName !== undefined) return inName;
    if (isParquet(path)) return '';
    const file = named === '-' ? named : `${stat.ino} ${stat.birthtimeMs}`;
    if (stat.size === 0) return known.get(file) ?? '';
    if (!known.has(file) && sizes.get(file) !== stat.size) {
      const shape = recognizeFile(path, shapes);
      if (shape !== undefined) known.set(file, shape);
      sizes.set(file, stat.size);
    }
    return known.get(file);
  };
}

function isParquet(path: string): boolean {
  return /\.parquet$/.test(path);
}

/** A file with the name of its source, and what tells it from files of another source that would be called the same. */
interface Called {
  readonly entry: Entry;
  /** The shape that it seems to have. */
  readonly guess: string | undefined;
  readonly name: string;
  readonly folder: string;
  readonly stem: string | undefined;
  readonly declared: NamedSource | undefined;
}

function sourceOf(
  entry: Entry,
  guess: string | undefined,
  sources: readonly NamedSource[],
): Called {
  const { name, stem } = sourceName(entry.named, guess);
  const declared = sources.find((source) => namesOf(source).includes(name));
  return { entry, guess, name, folder: dirname(resolve(entry.named)), stem, declared };
}

function namesOf({ name, aliases = [] }: NamedSource): readonly string[] {
  return [name, ...aliases].map((each) => each.toLowerCase());
}

/**
 * Gives each file the name of its source: files of one name in different folders get their folder's name before, and
 * other names that would be equal get a number.
 */
function createNames() {
  const known = new Map<string, string>();
  const nameOf = (called: Called, all: readonly Called[], declaredNames: readonly string[]) => {
    const { name, folder, stem, declared } = called;
    if (declared !== undefined) return declared.name;
    const id = stem === undefined ? `of shape ${name}` : join(folder, stem);
    const isElsewhere = all.some((each) => each.stem === stem && each.folder !== folder);
    const wanted =
      stem !== undefined && isElsewhere ? sourceName(`${basename(folder)}_${stem}`).name : name;
    const taken = new Set([...known.values(), ...declaredNames]);
    const given = known.get(id) ?? freeName(wanted, taken);
    known.set(id, given);
    return given;
  };
  return (all: readonly Called[], sources: readonly NamedSource[]): readonly Called[] => {
    const declaredNames = sources.flatMap(namesOf);
    return all.map((called) => ({ ...called, name: nameOf(called, all, declaredNames) }));
  };
}

/** Whether the records of a file have the columns of a declared source, or are mapped as the declaration says. */
function hasColumns({ path }: Entry, { mapping }: NamedSource): boolean {
  const name = basename(path);
  return mapping !== undefined || (suffixOf(name) !== undefined && !needsShape(name));
}

function whyUnread({ name }: Entry, source: string): string {
  return `${name} is not read: its shape is not known; name it, as in --as ${source}=pino`;
}
