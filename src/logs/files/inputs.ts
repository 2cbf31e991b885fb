import { type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { SetupError } from '../../errors/errors.js';
import { ignoreErrors } from '../../process/ignore-errors.js';
import type { Mapping } from '../shapes/mapping.js';
import type { LogFile, NamedSource } from './files.js';
import { fileKind, formatSuffix, listFolder, listIfReadable, needsShape } from './files.js';
import { recognizeShape } from './recognize-shape.js';
import { freeName, lowerCaseNames, shapeInName, sourceName } from './source-name.js';

/** A file or folder that the command line names. */
export interface InputPath {
  readonly path: string;
  /** Its name for users; `-` for standard input, which is copied to a file. */
  readonly name: string;
}

/**
 * A file that is read because the command line names it or its folder; without a shape, its source determines how to
 * read it.
 */
export type InputFile = Pick<LogFile, 'source' | 'name' | 'path' | 'shape'>;

/** The current files of some paths. */
export interface Inputs {
  readonly files: readonly InputFile[];
  /** A line for each file that is not read. */
  readonly unread: readonly string[];
}

/** The sources and shapes that files can be read as. */
export interface InputContext {
  readonly sources: readonly NamedSource[];
  readonly shapes: Readonly<Record<string, Mapping>>;
  /** The shapes named by the user, by source; `none` excludes its files. */
  readonly as: ReadonlyMap<string, string>;
  /** The names of files to exclude; by default none. */
  readonly skip?: ReadonlySet<string>;
}

/** The shapes that files had in earlier runs. */
export interface ShapeMemory {
  /** Returns the shape that a file had for the same choice; undefined if that is not known. */
  find(file: ListedFile, choice: ShapeChoice): string | undefined;
  add(file: ListedFile, shape: string, choice: ShapeChoice): void;
  /** Saves the added shapes. */
  save(): void;
}

/** The shapes to choose from. */
export interface ShapeChoice extends Pick<InputContext, 'shapes'> {
  /** Which of them fit only if a tenth of the lines have a time; `general` are those of any program. */
  readonly timed: 'none' | 'general' | 'all';
}

/** A file and its status. */
export interface ListedFile {
  readonly path: string;
  readonly stat: Stats;
}

/** Lists the files. @throws SetupError if a folder cannot be read */
export type ListInputs = (context: InputContext) => Inputs;

/** How to recognize files. */
interface InputOptions {
  /** Whether text and JSON of any kind must have times; by default not. */
  readonly needsTimes?: boolean;
  readonly memory?: ShapeMemory | undefined;
}

/**
 * Creates a function that lists the files of some paths: a file with its rotated files, a folder with its files, and
 * each of its subfolders as one source. A file keeps its source and its shape as long as it exists. If lines need
 * times, text and JSON of any kind are read only if a tenth of the lines have one. So are files in a folder whose names
 * are not those of logs.
 */
export function createInputs(
  paths: readonly InputPath[],
  { needsTimes = false, memory }: InputOptions = {},
): ListInputs {
  const listings = paths.map(createListing);
  const [knownShapes, knownNames]: [KnownShapes, Map<string, string>] = [new Map(), new Map()];
  const isPipe = paths.every(({ name }) => name === '-');
  return (context) => {
    const all = listings.flatMap((list) => list(context.skip));
    const entries = [...new Map(all.map((entry) => [resolve(entry.path), entry])).values()];
    const found = entries.map((entry) => {
      const shape = findShape(entry, context, { known: knownShapes, needsTimes, memory });
      return callEntry(entry, shape, context);
    });
    memory?.save();
    const [given] = isPipe ? context.as.keys() : [];
    const names = { known: knownNames, taken: context.sources.flatMap(lowerCaseNames) };
    const read = found.map((called) =>
      readAs(called, given ?? giveName(called, found, names), context),
    );
    return {
      files: read.filter((each) => typeof each === 'object'),
      unread: read.filter((each) => typeof each === 'string'),
    };
  };
}

/** Returns these inputs as the log files of their sources; skips files whose source is not declared yet. */
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

/** By file; undefined for files that no shape fits. */
type KnownShapes = Map<string, string | undefined>;

/** An existing file. */
interface Entry extends InputPath, ListedFile {
  /** The file or folder that gives the source its name. */
  readonly named: string;
  /** Whether the file was found in a folder; otherwise the command line names it. */
  readonly isListed?: true;
}

function createListing(place: InputPath): (skip?: ReadonlySet<string>) => readonly Entry[] {
  const stat = tryStat(place.path);
  if (stat?.isDirectory()) return (skip) => listFiles(place, { skip });
  if (stat === undefined || stat.isFile()) return createRotation(place);
  throw new SetupError([`${place.name} is no file and no folder; send what it holds to -`]);
}

/** Lists the files of a folder and its subfolders; the files of a `named` folder form one source. */
function listFiles(
  folder: InputPath,
  { named, skip }: { readonly named?: string; readonly skip?: ReadonlySet<string> | undefined },
): readonly Entry[] {
  const listed = named === undefined ? listFolder(folder.path) : listIfReadable(folder.path);
  const names = (listed ?? []).filter(({ name }) => !name.startsWith('.'));
  return names.flatMap(({ name }) => {
    const own = { path: join(folder.path, name), name: join(folder.name, name) };
    if (skip?.has(own.name)) return [];
    const isBelow = named === undefined && tryStat(own.path)?.isDirectory();
    if (isBelow) return listFiles(own, { named: own.path, skip });
    return findEntry(own, named ?? own.path).map((entry) => ({ ...entry, isListed: true }));
  });
}

/**
 * Returns a function that lists a file and its rotated versions: files beside it that have had its name, or that have
 * its name with a suffix and were written since the start.
 */
function createRotation({ path, name }: InputPath): () => readonly Entry[] {
  // File times may lag behind the clock.
  const startMs = Date.now() - 10;
  const known = new Set<string>();
  const [folder, own] = [dirname(path), basename(path)];
  const [stem = own] = own.split('.');
  return () => {
    const now = tryStat(path);
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

/** Identifies a file even if a new one reuses an inode. */
export function fileIdentity({ ino, birthtimeMs }: Stats): string {
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
  const stat = tryStat(file.path);
  return stat?.isFile() ? [{ ...file, named, stat }] : [];
}

/** Returns undefined for a file that is gone or not accessible. */
function tryStat(path: string): Stats | undefined {
  return ignoreErrors(() => statSync(path));
}

/** Names that only logs have; a folder may also hold a README and settings. */
const logName = /\.(?:log|out|err)(?:[-._]|$)/i;

/** The shapes of lines of any program. */
const generalShapes: ReadonlySet<string> = new Set(['text', 'json']);

/** Finds the shape of a file, which does not change as it grows: the shape in its name, or else of its content. */
function findShape(
  entry: Entry,
  { shapes }: InputContext,
  { known, needsTimes = false, memory }: InputOptions & { readonly known: KnownShapes },
): string | undefined {
  const { named, path, stat } = entry;
  const inName = shapeInName(path, shapes);
  const isParquet = fileKind(path).format === 'parquet';
  if (inName !== undefined || stat.size === 0 || isParquet) return inName ?? '';
  const file = named === '-' ? named : fileIdentity(stat);
  // A refused file is read again only after it has changed.
  const refused = `${file} ${stat.size} ${stat.mtimeMs}`;
  if (known.has(file) || known.has(refused)) return known.get(file);
  const isClear = !entry.isListed || logName.test(basename(path));
  const timed = needsTimes ? 'all' : isClear ? 'none' : 'general';
  const choice = { shapes, timed } as const;
  const kept = memory?.find(entry, choice);
  const shape = kept ?? recognizeLog(path, choice);
  known.set(shape === undefined ? refused : file, shape);
  if (kept === undefined && shape !== undefined) memory?.add(entry, shape, choice);
  return shape;
}

/** Recognizes the shape of a file by its content; undefined if it is no log. */
function recognizeLog(path: string, { shapes, timed }: ShapeChoice): string | undefined {
  const look = recognizeShape(path, shapes);
  if (!('shape' in look)) return undefined;
  const { shape, fitting, lines } = look;
  const needsTimes = timed === 'all' || (timed === 'general' && generalShapes.has(shape));
  return !needsTimes || 10 * fitting >= lines ? shape : undefined;
}

/** A file with the parts of its name, and what distinguishes it from the files of another source with the same name. */
type Called = ReturnType<typeof callEntry>;

/** @param guess the recognized shape */
function callEntry(entry: Entry, guess: string | undefined, { sources }: InputContext) {
  const called = sourceName(entry.named, guess);
  const declared = sources.find((source) => lowerCaseNames(source).includes(called.name));
  return { ...called, entry, guess, folder: dirname(resolve(entry.named)), declared };
}

/**
 * Names a file's source. Files with the same name in different folders are prefixed with their folder's name, and
 * other equal names get a number.
 */
function giveName(
  { name, folder, stem, declared }: Called,
  all: readonly Called[],
  { known, taken }: { readonly known: Map<string, string>; readonly taken: readonly string[] },
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

/** Returns how to read a file, or why it is not read; undefined if it is excluded on purpose. */
function readAs({ entry, guess, declared }: Called, source: string, context: InputContext) {
  const { name, path } = entry;
  const isUsual = formatSuffix(path) !== undefined && !needsShape(path);
  // The records have the columns of a declared source, or the declaration maps them.
  const hasColumns = declared !== undefined && (declared.mapping !== undefined || isUsual);
  const shape = context.as.get(source) ?? (hasColumns ? '' : guess);
  if (shape === 'none') return undefined;
  if (shape !== undefined) return { source, name, path, ...(shape && { shape }) };
  const look = recognizeShape(path, context.shapes);
  const isBinary = 'isBinary' in look;
  if (!isBinary && !('shape' in look)) return `${name} is not read: it is empty, or cannot be read`;
  const why = isBinary ? 'it is binary' : 'its lines have no time';
  return `${name} is not read: ${why}; to read it all the same, name a shape, as in --as ${source}=text`;
}
