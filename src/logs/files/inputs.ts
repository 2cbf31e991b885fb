import { type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { SetupError } from '../../errors/errors.js';
import { ignoreErrors } from '../../process/ignore-errors.js';
import type { Mapping } from '../shapes/mapping.js';
import type { LogFile, NamedSource } from './files.js';
import { fileKind, listFolder, listIfReadable, needsShape, suffixOf } from './files.js';
import { recognizeShape } from './recognize-shape.js';
import { freeName, shapeInName, sourceName } from './source-name.js';

/** A file or folder that the command line names. */
export interface InputPath {
  readonly path: string;
  /** What it is called; `-` for standard input, which is kept in a file. */
  readonly name: string;
}

/** A file that is read because the command line names it or its folder; without a shape its source says how. */
export type InputFile = Pick<LogFile, 'source' | 'name' | 'path' | 'shape'>;

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
  /** The shapes that were named, by source; `none` leaves its files out. */
  readonly as: ReadonlyMap<string, string>;
  /** The names of files that are left out; by default none. */
  readonly skip?: ReadonlySet<string>;
}

/** Lists the files. @throws SetupError if a folder cannot be read */
export type ListInputs = (context: InputContext) => Inputs;

/**
 * Creates a function that lists the files of some paths: a file with what its rotation makes of it, a folder with its
 * files, and its folders as one source each. A file keeps its source and its shape as long as it is there. Where lines
 * need times, text and JSON of any kind are read only if a tenth of the lines have one.
 */
export function createInputs(paths: readonly InputPath[], { needsTimes = false } = {}): ListInputs {
  const listings = paths.map(createListing);
  const [knownShapes, knownNames]: [KnownShapes, Map<string, string>] = [new Map(), new Map()];
  const isPipe = paths.every(({ name }) => name === '-');
  return (context) => {
    const all = listings.flatMap((list) => list(context.skip));
    const entries = [...new Map(all.map((entry) => [resolve(entry.path), entry])).values()];
    const found = entries.map((entry) => {
      const shape = findShape(entry, context, { known: knownShapes, needsTimes });
      return callEntry(entry, shape, context);
    });
    const [given] = isPipe ? context.as.keys() : [];
    const read = found.map((called) =>
      readAs(called, given ?? giveName(called, found, knownNames), context),
    );
    return {
      files: read.filter((each) => typeof each === 'object'),
      unread: read.filter((each) => typeof each === 'string'),
    };
  };
}

/** The files of these inputs as those of their sources; a source that is not declared yet has none. */
export function inputLogFiles(
  files: readonly InputFile[],
  sources: readonly NamedSource[],
): readonly LogFile[] {
  return files.flatMap((file): readonly LogFile[] => {
    const source = sources.find(({ name }) => name === file.source);
    if (source === undefined) return [];
    const mapping = file.shape === undefined ? source.mapping : source.shapes?.[file.shape];
    return [{ ...file, ...fileKind(file.path), ...(mapping && { mapping }) }];
  });
}

/** By file; undefined for those that no shape fits. */
type KnownShapes = Map<string, string | undefined>;

/** A file that was found. */
interface Entry extends InputPath {
  /** The file or folder that gives the source its name. */
  readonly named: string;
  readonly stat: Stats;
}

function createListing(place: InputPath): (skip?: ReadonlySet<string>) => readonly Entry[] {
  const stat = statOf(place.path);
  if (stat?.isDirectory()) return (skip) => listFiles(place, { skip });
  if (stat === undefined || stat.isFile()) return createRotation(place);
  throw new SetupError([`${place.name} is no file and no folder; send what it holds to -`]);
}

/** The files of a folder and of its folders; those of one that is `named` are of one source. */
function listFiles(
  folder: InputPath,
  { named, skip }: { readonly named?: string; readonly skip?: ReadonlySet<string> | undefined },
): readonly Entry[] {
  const listed = named === undefined ? listFolder(folder.path) : listIfReadable(folder.path);
  const names = (listed ?? []).filter(({ name }) => !name.startsWith('.'));
  return names.flatMap(({ name }) => {
    const own = { path: join(folder.path, name), name: join(folder.name, name) };
    if (skip?.has(own.name)) return [];
    const isBelow = named === undefined && statOf(own.path)?.isDirectory();
    return isBelow ? listFiles(own, { named: own.path, skip }) : findEntry(own, named ?? own.path);
  });
}

/** Lists a file, and those beside it that were this file once, or were written under a longer name since the start. */
function createRotation({ path, name }: InputPath): () => readonly Entry[] {
  // The times of files may lag behind the clock.
  const startMs = Date.now() - 10;
  const known = new Set<string>();
  const [folder, own] = [dirname(path), basename(path)];
  const [stem = own] = own.split('.');
  return () => {
    const now = statOf(path);
    if (now !== undefined) known.add(fileIdentity(now));
    const beside = (listIfReadable(folder) ?? []).map((entry) => entry.name);
    const others = beside.filter((each) => each !== own && each.startsWith(stem));
    const rotated = others.flatMap((each) =>
      findEntry({ path: join(folder, each), name: join(dirname(name), each) }, name),
    );
    const wasRotated = ({ path: other, stat }: Entry) =>
      known.has(fileIdentity(stat)) || (isRotated(path, other) && stat.mtimeMs >= startMs);
    return [...findEntry({ path, name }, name), ...rotated.filter(wasRotated)];
  };
}

/** Tells files apart, also when a new one gets the inode of an old one. */
function fileIdentity({ ino, birthtimeMs }: Stats): string {
  return `${ino} ${birthtimeMs}`;
}

/** `app.log` -> `app.log.1`, `app.log-20260310.gz` */
function isRotated(path: string, other: string): boolean {
  return (
    other.startsWith(path) &&
    /^(?:[-._]\d[\dT_:-]*)*(?:\.gz|\.zst)?$/.test(other.slice(path.length))
  );
}

function findEntry(file: InputPath, named: string): readonly Entry[] {
  const stat = statOf(file.path);
  return stat?.isFile() ? [{ ...file, named, stat }] : [];
}

/** Undefined for a file that is gone, or that may not be looked at. */
function statOf(path: string): Stats | undefined {
  return ignoreErrors(() => statSync(path));
}

/** The shape of a file, which growing does not change: the one in its name, or else that of its content. */
function findShape(
  entry: Entry,
  { shapes }: InputContext,
  { known, needsTimes }: { readonly known: KnownShapes; readonly needsTimes: boolean },
): string | undefined {
  const { named, path, stat } = entry;
  const inName = shapeInName(path, shapes);
  const isParquet = fileKind(path).format === 'parquet';
  if (inName !== undefined || stat.size === 0 || isParquet) return inName ?? '';
  const file = named === '-' ? named : fileIdentity(stat);
  // Once refused, a file is read again only after it has changed.
  const refused = `${file} ${stat.size} ${stat.mtimeMs}`;
  if (known.has(file) || known.has(refused)) return known.get(file);
  const look = recognizeShape(path, shapes);
  const isLog = 'shape' in look && (!needsTimes || 10 * look.fitting >= look.lines);
  const shape = isLog ? look.shape : undefined;
  known.set(isLog ? file : refused, shape);
  return shape;
}

/** A file with what its name says, and what tells it from files of another source that would be called the same. */
interface Called extends ReturnType<typeof sourceName> {
  readonly entry: Entry;
  /** The shape that it seems to have. */
  readonly guess: string | undefined;
  readonly folder: string;
  readonly declared: NamedSource | undefined;
  readonly taken: readonly string[];
}

function callEntry(entry: Entry, guess: string | undefined, { sources }: InputContext): Called {
  const called = sourceName(entry.named, guess);
  const sourceNames = ({ name, aliases = [] }: NamedSource) =>
    [name, ...aliases].map((each) => each.toLowerCase());
  const declared = sources.find((source) => sourceNames(source).includes(called.name));
  const folder = dirname(resolve(entry.named));
  return { ...called, entry, guess, folder, declared, taken: sources.flatMap(sourceNames) };
}

/**
 * The name of a file's source: files of one name in different folders get their folder's name before, and other names that
 * would be equal get a number.
 */
function giveName(
  { name, folder, stem, declared, taken }: Called,
  all: readonly Called[],
  known: Map<string, string>,
): string {
  if (declared !== undefined) return declared.name;
  const id = stem === undefined ? `of shape ${name}` : join(folder, stem);
  const before = known.get(id);
  if (before !== undefined) return before;
  const isElsewhere = all.some((each) => each.stem === stem && each.folder !== folder);
  const wanted = stem && isElsewhere ? sourceName(`${basename(folder)}_${stem}`).name : name;
  const given = freeName(wanted, new Set([...known.values(), ...taken]));
  known.set(id, given);
  return given;
}

/** How a file is read, or why it is not; undefined if it is left out on purpose. */
function readAs({ entry, guess, declared }: Called, source: string, context: InputContext) {
  const { name, path } = entry;
  const shape = context.as.get(source) ?? (declared && hasColumns(path, declared) ? '' : guess);
  if (shape === 'none') return undefined;
  if (shape !== undefined) return { source, name, path, ...(shape && { shape }) };
  const isBinary = 'isBinary' in recognizeShape(path, context.shapes);
  const why = isBinary ? 'it is binary' : 'its shape is not known';
  return `${name} is not read: ${why}; to read it all the same, name one, as in --as ${source}=text`;
}

/** Whether the records of a file have the columns of a declared source, or are mapped as the declaration says. */
function hasColumns(path: string, { mapping }: NamedSource): boolean {
  return mapping !== undefined || (suffixOf(path) !== undefined && !needsShape(path));
}
