import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SetupError } from '../../errors/errors.js';
import { didYouMean } from '../../errors/suggest.js';
import { lowerCaseNames } from '../files/source-name.js';
import type { Mapping } from '../shapes/mapping.js';
import {
  type DeclaredSource,
  isSourceName,
  madeLevel,
  type ParseOptions,
  parseDeclaration,
} from './declaration.js';

/** A file that declares a source, `<source>.json`. */
export interface SourceFile extends ParseOptions {
  /** The location to show in messages. */
  readonly where: string;
  readonly name: string;
  readonly json: string;
  /** Whether it is a shape, whose name may have hyphens. */
  readonly isShape?: boolean;
}

/**
 * Reads the files of a folder that declare sources or shapes, sorted by name.
 * @throws SetupError if the folder or a file cannot be read
 */
export function readSourceFiles(folder: string): readonly SourceFile[] {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
    return files.sort().map((file) => {
      const where = join(folder, file);
      return { where, name: basename(file, '.json'), json: readFileSync(where, 'utf8') };
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new SetupError([
      `${folder}: the declared sources cannot be read (${code}); name the folder that holds a file for each`,
    ]);
  }
}

/**
 * Parses declarations. Later ones replace earlier ones of the same name, and take over their aliases.
 * @throws SetupError with a line for each file that is not valid, and for each name that several sources have
 */
export function parseSources(files: readonly SourceFile[]): readonly DeclaredSource[] {
  const faults: string[] = [];
  const sources = new Map<string, DeclaredSource>();
  for (const { where, name, json, isShape, ...options } of files) {
    try {
      if (!isSourceName(isShape ? name.replaceAll('-', '_') : name))
        throw new Error('the name of a source is letters, digits and _');
      const source = parseDeclaration(name, json, options);
      const own = lowerCaseNames(source);
      for (const [key, other] of sources) sources.set(key, without(other, own));
      sources.set(name.toLowerCase(), source);
    } catch (error) {
      faults.push(`${where}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const all = [...sources.values()];
  const names = all.flatMap(lowerCaseNames);
  const shared = names.filter((name, index) => names.indexOf(name) !== index);
  faults.push(...[...new Set(shared)].map((name) => `${name} is the name of several sources`));
  if (faults.length > 0) throw new SetupError(faults);
  return all;
}

function without(source: DeclaredSource, names: readonly string[]): DeclaredSource {
  const aliases = source.aliases?.filter((alias) => !names.includes(alias.toLowerCase()));
  return aliases === undefined ? source : { ...source, aliases };
}

/** The sources of a data folder, and the shapes that its files may have. */
export interface Declared {
  readonly sources: readonly DeclaredSource[];
  /** The mapping of each shape's records to the columns of a source, by the shape's name. */
  readonly shapes: Readonly<Record<string, Mapping>>;
  /** The shapes as sources, with the types of their fields. */
  readonly typed?: readonly DeclaredSource[];
}

/** The shape of some files. */
export interface ShapeUse {
  /** The source; an undeclared name is a new source. */
  readonly source: string;
  readonly shape: string;
}

/**
 * Returns the sources with the mappings of their shapes. A shape in `all` applies to all files of a source, the others
 * only to files whose names contain the shape.
 * @throws SetupError for a shape that does not exist, and for a source that cannot have one
 */
export function withShapes(
  { sources, shapes, typed = [] }: Declared,
  all: readonly ShapeUse[],
  found: readonly ShapeUse[] = [],
): readonly DeclaredSource[] {
  const faults = all.flatMap((use) => shapeFaults(use, shapes));
  if (faults.length > 0) throw new SetupError(faults);
  const known = new Set(sources.flatMap(lowerCaseNames));
  const types = new Map(typed.map((shape) => [shape.name, shape]));
  const added = new Map(
    [...found, ...all]
      .filter(({ source }) => !known.has(source.toLowerCase()))
      .map(({ source, shape }) => [source.toLowerCase(), declaredAs(source, types.get(shape))]),
  );
  return [...sources, ...added.values()].map((source) => {
    const names = lowerCaseNames(source);
    const own = all.findLast((use) => names.includes(use.source.toLowerCase()));
    const mapped = Object.entries(shapes).map(([name, shape]) => [name, mapTo(source, shape)]);
    const byShape: Readonly<Record<string, Mapping>> = Object.fromEntries(mapped);
    const mapping = own === undefined ? source.mapping : byShape[own.shape];
    return { ...source, ...(mapping && { mapping }), shapes: byShape };
  });
}

/** Returns the declaration of a source that only a shape declares, with the types of the shape's fields. */
function declaredAs(name: string, shape: DeclaredSource | undefined): DeclaredSource {
  const source = parseDeclaration(name, '{}', { makesLevel: true });
  const isAlike = isDeepStrictEqual(shape?.projectPath, source.projectPath);
  return shape === undefined || !isAlike ? source : { ...source, columns: shape.columns };
}

/** Whether both declarations load files in the same way; `used` are the shapes that the files have. */
export function isSameSource(
  { shapes: before = {}, ...one }: DeclaredSource,
  { shapes: now = {}, ...other }: DeclaredSource,
  used: readonly string[] = [],
): boolean {
  const areSame = used.every((shape) => isDeepStrictEqual(before[shape], now[shape]));
  return areSame && isDeepStrictEqual(one, other);
}

function shapeFaults({ source, shape }: ShapeUse, shapes: Declared['shapes']): readonly string[] {
  if (!isSourceName(source)) {
    return [`--as ${source}=${shape}: the name of a source is letters, digits and _`];
  }
  const names = Object.keys(shapes);
  if (names.includes(shape)) return [];
  const hint = didYouMean(shape, names);
  return [`--as ${source}=${shape}: unknown shape; expected one of ${names.join(', ')}${hint}`];
}

/** A shape's mapping to the columns of a source; the project goes to its field in `metadata` if it is there. */
function mapTo(source: DeclaredSource, { level, ...shape }: Mapping): Mapping {
  const { projectPath, columns } = source;
  const hasLevel = level !== undefined && columns.at(-1)?.name === madeLevel.name;
  const made = hasLevel ? { level } : {};
  const written = ['id', 'timestamp', 'event_message', 'project', 'metadata', ...Object.keys(made)];
  const names = columns.map(({ name }) => name).filter((name) => !written.includes(name));
  const [, field, ...below] = projectPath;
  // A project in a deeper field cannot be written: such records belong to no project.
  const project = below.length > 0 ? { from: [] } : { ...shape.project, ...(field && { field }) };
  return { ...shape, ...made, columns: names, project };
}
