import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readPreset } from '../config/preset.js';
import type { Settings } from '../config/settings.js';
import { SetupError } from '../errors/errors.js';
import { type DeclaredSource, isSourceName } from '../logs/columns/declaration.js';
import {
  type Declared,
  parseSources,
  readSourceFiles,
  type ShapeUse,
  type SourceFile,
  withShapes,
} from '../logs/columns/declared-sources.js';
import { fileStem, findLogFiles, listFolder } from '../logs/files/files.js';
import {
  createInputs,
  type InputContext,
  type InputFile,
  type Inputs,
  type ShapeMemory,
} from '../logs/files/inputs.js';
import { openKeptShapes } from '../logs/store/kept-shapes.js';
import { ignoreErrors } from '../process/ignore-errors.js';
import { lazily } from '../process/lazily.js';
import { packagePath } from '../process/package-paths.js';

/** The settings that determine the sources. */
export type SourceSettings = Partial<
  Pick<
    Settings,
    | 'sources'
    | 'as'
    | 'data'
    | 'preset'
    | 'paths'
    | 'piped'
    | 'timezone'
    | 'cacheDir'
    | 'noDiskCache'
  >
>;

/** The sources, each with the mappings of its shapes. */
type Sources = readonly DeclaredSource[];

/** The sources, and the files that the command line names or the data folder contains. */
export interface OpenedSources {
  readonly declared: Sources;
  /** A line for each source that replaces a shipped one. */
  readonly warnings: readonly string[];
  /** Returns the current files. @throws SetupError if a folder cannot be read */
  readonly inputs: () => Inputs;
}

/**
 * Opens the shipped sources, those of `--sources`, and those that only `--as` or files in the data folder name, such
 * as `api.pino.ndjson`.
 * @throws SetupError with a line for each error
 */
export function openSources(settings: SourceSettings = {}): OpenedSources {
  return createSourceReader(settings)();
}

/** Returns a function that reads the current sources; it returns the same object until one of their files changes. */
export function createSourceReader(settings: SourceSettings): () => OpenedSources {
  const { paths = [], piped = '', data, cacheDir, noDiskCache } = settings;
  // A full path differs from the names in the data folder.
  const fileName = (path: string) => (data === undefined ? path : resolve(path));
  const memory = noDiskCache || cacheDir === undefined ? undefined : openKeptShapes(cacheDir);
  const listInputs = createInputs(
    paths.map((path) =>
      path === '-' ? { name: '-', path: piped } : { name: fileName(path), path },
    ),
    { memory },
  );
  const findUnnamed = createFindUnnamed(settings, memory);
  let last: { readonly key: string; readonly opened: OpenedSources } | undefined;
  let types: { readonly key: string; readonly parsed: Parsed; readonly named: Sources } | undefined;
  return () => {
    const files = readFiles(settings);
    const filesKey = JSON.stringify(files);
    if (types?.key !== filesKey) {
      const parsed = parse(files);
      const named = withShapes(parsed, readUses(settings.as), parsed.found);
      types = { key: filesKey, parsed, named };
    }
    const { parsed, named } = types;
    const as = new Map(shapeUses(settings.as ?? []).map(({ source, shape }) => [source, shape]));
    const context = { ...parsed, as };
    findUnnamed.look(context, named);
    const inputs = () => {
      const { files: listed, unread } = listInputs(context);
      return { files: [...listed, ...findUnnamed.files()], unread };
    };
    const uses = inputs().files.map(({ source, shape = '' }) => ({ source, shape }));
    const key = JSON.stringify([filesKey, [...new Set(uses.map((use) => JSON.stringify(use)))]]);
    if (last?.key !== key) {
      const declared = withShapes(parsed, readUses(settings.as), [...parsed.found, ...uses]);
      const inZone = declared.map((source) => withZone(source, settings.timezone));
      last = { key, opened: { declared: inZone, warnings: parsed.warnings, inputs } };
    }
    return last.opened;
  };
}

/**
 * Finds the files in the data folder that are not named after a source, but have a recognized shape. Text without
 * times is not a log. A folder that cannot be read keeps its files.
 */
function createFindUnnamed({ data }: SourceSettings, memory: ShapeMemory | undefined) {
  const list =
    data === undefined
      ? undefined
      : createInputs([{ path: data, name: '' }], { needsTimes: true, memory });
  let files: readonly InputFile[] = [];
  return {
    files: () => files,
    look(context: InputContext, named: Sources): void {
      // The loader of the files reports errors.
      ignoreErrors(() => {
        const skip = new Set(findLogFiles(data ?? '', named).map(({ name }) => name));
        const isLog = ({ name, shape }: InputFile) =>
          shape !== undefined || name.endsWith('.parquet');
        files = list?.({ ...context, skip }).files.filter(isLog) ?? [];
      });
    },
  };
}

/** Sets the zone of times without an offset, if the source's files are mapped. */
function withZone(source: DeclaredSource, timezone: string | undefined): DeclaredSource {
  if (timezone === undefined) return source;
  const { mapping, shapes = {} } = source;
  const mapped = Object.entries(shapes).map(([name, shape]) => [name, { ...shape, timezone }]);
  const own = mapping && { mapping: { ...mapping, timezone } };
  return { ...source, ...own, shapes: Object.fromEntries(mapped) };
}

/** The inputs of sources, besides settings. */
interface Files {
  readonly shipped: readonly SourceFile[];
  readonly own: readonly SourceFile[];
  /** The names in the data folder that may name a shape, without their suffixes. */
  readonly stems: readonly string[];
}

function readFiles({ sources, data, preset }: SourceSettings): Files {
  const entries = data === undefined ? [] : listFolder(data);
  return {
    shipped: shippedSources(preset),
    own: sources === undefined ? [] : readOwn(sources),
    stems: entries.map(({ name }) => fileStem(name)).filter((stem) => stem.includes('.')),
  };
}

/** The declared sources and shapes, before shapes are assigned. */
interface Parsed extends Required<Declared> {
  readonly found: readonly ShapeUse[];
  readonly warnings: readonly string[];
}

function parse({ shipped, own, stems }: Files): Parsed {
  const names = new Map(own.map(({ name, where }) => [name.toLowerCase(), where]));
  const typed = parseSources([...shippedShapes(), ...own]);
  const mapped = typed.flatMap(({ name, mapping }) => (mapping ? [[name, mapping] as const] : []));
  const shapes = Object.fromEntries(mapped);
  // The file names that name a shape.
  const found = stems.flatMap((stem) => {
    const [source = '', shape = ''] = stem.split('.');
    return Object.hasOwn(shapes, shape) && isSourceName(source) ? [{ source, shape }] : [];
  });
  const warnings = shipped.flatMap(({ name, where }) => {
    const other = names.get(name.toLowerCase());
    return other === undefined ? [] : [`${other} replaces ${where}`];
  });
  const sources = parseSources([...shipped, ...own]);
  return { sources, shapes, typed, found, warnings };
}

/** Reads the values of `--as` for files that are read. */
function readUses(as: readonly string[] = []): readonly ShapeUse[] {
  return shapeUses(as).filter(({ shape }) => shape !== 'none');
}

/**
 * Reads the declarations of sources that are not shipped: their records get a level, and their patterns may use
 * pieces.
 */
function readOwn(folder: string): readonly SourceFile[] {
  const pieces: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(packagePath('sql/patterns.json'), 'utf8'),
  );
  return readSourceFiles(folder).map((file) => ({ ...file, makesLevel: true, pieces }));
}

/** Reads the shipped shapes, unchanged. */
const shippedShapes = lazily((): readonly SourceFile[] =>
  readOwn(packagePath('sql/shapes')).map((file) => ({ ...file, isShape: true })),
);

/** Returns the shipped sources, and those of a preset. */
export function shippedSources(preset: string | undefined): readonly SourceFile[] {
  const own = readSourceFiles(packagePath('sql/sources'));
  if (preset === undefined) return own;
  const { where, sources } = readPreset(preset);
  return [...own, ...sources.map((source) => ({ where: `${source.name} of ${where}`, ...source }))];
}

/** Parses the values of `--as`. @throws SetupError if one is not a name and a shape */
export function shapeUses(as: readonly string[]): readonly ShapeUse[] {
  const texts = as.flatMap((text) => text.split(','));
  return texts.map((text) => {
    const [source = '', shape = '', ...rest] = text.split('=');
    if (source === '' || shape === '' || rest.length > 0) {
      throw new SetupError([`--as must be source=shape, as in edge_logs=pino: ${text}`]);
    }
    return { source, shape };
  });
}
