import { join } from 'node:path';
import type { SourceSchema } from '../../types/schema.js';
import type { Field } from '../../types/types.js';
import { isStoredAlike } from '../columns/fit.js';
import type { StoredShape } from '../columns/shape.js';
import type { FileState } from '../files/file-state.js';
import { type LogFile, maxFileFaults, type Position } from '../files/files.js';
import type { StoredTable } from '../load/job.js';
import type { FileReport } from '../load/report.js';

/** Whole lines of a log file, or a whole file that is not lines of text. */
export interface Slice {
  /**
   * The file's name relative to the data folder; absent if the file is gone, but the part stays because another of
   * its files cannot be read.
   */
  readonly file?: string;
  readonly from: Position;
  readonly to: Position;
  /** The result of loading the slice; line numbers of faults count from the start of the file. */
  readonly report: FileReport;
  /** The number of the partial line after it, which the report counts as bad until it is complete. */
  readonly partialLine?: number;
}

/** A table of one source in a database file: the records of some slices, ordered by time. */
export interface StoredPart {
  readonly source: string;
  /** The name of the database file, without its folder. */
  readonly database: string;
  readonly slices: readonly Slice[];
  readonly records: number;
  /** Its columns; absent if they are those of the source's schema. */
  readonly columns?: readonly Field[];
  /** Their contents; absent if there are none. */
  readonly contents?: StoredShape;
  /** The project of all records, if they share one. */
  readonly project?: string | undefined;
}

/** A log file when it was last loaded. */
export interface LoadedFile extends Omit<LogFile, 'path' | 'slice' | 'mapping'> {
  readonly state: FileState;
  /** Whether it consists of lines of text, so that appended lines can be loaded on their own. */
  readonly canGrow: boolean;
  /** The reason why it cannot be read now, such as `EACCES`; its records stay. Absent if it can be read. */
  readonly unreadable?: string;
}

/**
 * The contents of the store for a data folder: which lines of which files are in which tables, as plain
 * values.
 */
export interface Manifest {
  readonly files: readonly LoadedFile[];
  /** Each source has at least one. */
  readonly parts: readonly StoredPart[];
  /** The schema of each source, which the contents of all its parts decide. */
  readonly schemas: readonly SourceSchema[];
  /** Warnings about values that cannot be stored in a source's table, by source. */
  readonly warnings: Readonly<Record<string, readonly string[]>>;
}

/** The manifest of an empty store. */
export const emptyManifest: Manifest = { files: [], parts: [], schemas: [], warnings: {} };

/** The columns of a part. */
export function storedColumns(
  { source, columns }: StoredPart,
  schemas: readonly SourceSchema[],
): readonly Field[] {
  return columns ?? schemas.find(({ name }) => name === source)?.columns ?? [];
}

/** Updates a part for a new schema of its source: it keeps its columns under the old schemas. */
export function underSchema(
  part: StoredPart,
  before: readonly SourceSchema[],
  now: SourceSchema | undefined,
): StoredPart {
  if (now === undefined) return part;
  const columns = storedColumns(part, before);
  const { columns: _, ...rest } = part;
  const isSame = columns === now.columns || isStoredAlike(columns, now.columns);
  return isSame ? rest : { ...rest, columns };
}

/** Returns the unique names of the database files. */
export function databasesIn({ parts }: Pick<Manifest, 'parts'>): readonly string[] {
  return [...new Set(parts.map(({ database }) => database))];
}

/** Keeps only the entries of some sources. */
export function keepSources(manifest: Manifest, names: ReadonlySet<string>): Manifest {
  const isKept = ({ source }: { readonly source: string }) => names.has(source);
  return {
    files: manifest.files.filter(isKept),
    parts: manifest.parts.filter(isKept),
    schemas: manifest.schemas.filter(({ name }) => names.has(name)),
    warnings: Object.fromEntries(
      Object.entries(manifest.warnings).filter(([source]) => names.has(source)),
    ),
  };
}

/**
 * Applies the changes of one source to a manifest; returns undefined if they drop parts that have been replaced
 * meanwhile, and the same manifest if there are none.
 */
export function withStoredSource(
  now: Manifest,
  name: string,
  { before, after }: { readonly before: Manifest; readonly after: Manifest },
): Manifest | undefined {
  if (after === before) return now;
  const dropped = before.parts.filter((part) => !after.parts.includes(part));
  if (!dropped.every((part) => now.parts.includes(part))) return undefined;
  const added = after.parts.filter((part) => !before.parts.includes(part));
  const isOther = ({ source }: { readonly source: string }) => source !== name;
  const schemas = new Map(now.schemas.map((schema) => [schema.name, schema]));
  for (const schema of after.schemas) schemas.set(schema.name, schema);
  return {
    files: [...now.files.filter(isOther), ...after.files],
    parts: [...now.parts.filter((part) => !dropped.includes(part)), ...added],
    schemas: [...schemas.values()],
    warnings: { ...now.warnings, ...after.warnings },
  };
}

/** Returns the files that were readable when loaded. */
export function filesRead({ files, parts }: Manifest): readonly LoadedFile[] {
  const slices = parts.flatMap((part) => part.slices).filter(({ report }) => report.readable);
  const names = new Set(slices.map(({ file }) => file));
  return files.filter(({ name }) => names.has(name));
}

/** Returns the total number of records of parts or files. */
export function countRecords(parts: readonly { readonly records: number }[]): number {
  return parts.reduce((sum, { records }) => sum + records, 0);
}

/** The tables of some parts, whose database files are in a folder. */
export function storedTables(
  parts: readonly StoredPart[],
  schemas: readonly SourceSchema[],
  folder: string,
): readonly StoredTable[] {
  return parts.map((part) => {
    const { database, records } = part;
    return { file: join(folder, database), columns: storedColumns(part, schemas), records };
  });
}

/** Returns the project of all records of the parts, if they share one. */
export function onlyProject(parts: readonly StoredPart[]): string | undefined {
  const [first, ...others] = parts.filter(({ records }) => records > 0);
  return others.every(({ project }) => project === first?.project) ? first?.project : undefined;
}

/** Returns the report of each file, joined from its slices, and the reports of deleted files. */
export function fileReports({ files, parts }: Manifest): readonly FileReport[] {
  const slices = joinSlices(parts.flatMap((part) => part.slices));
  const known = new Map(slices.map((slice) => [slice.file, slice]));
  const gone = slices.filter(({ file }) => file === undefined);
  const all = [...files.map(({ name }) => known.get(name)), ...gone];
  return all.flatMap((each) => each?.report ?? []);
}

/** Joins consecutive slices of the same file. */
export function joinSlices(slices: readonly Slice[]): readonly Slice[] {
  const joined: Slice[] = [];
  const last = new Map<string | undefined, number>();
  for (const slice of slices.toSorted(compareRanges)) {
    const index = last.get(slice.file) ?? joined.length;
    const before = joined[index];
    const isNext = slice.file !== undefined && before?.to.bytes === slice.from.bytes;
    if (before !== undefined && isNext) {
      const report = joinReports(withoutPartialLine(before), slice.report);
      joined[index] = { ...slice, from: before.from, report };
    } else {
      last.set(slice.file, joined.length);
      joined.push(slice);
    }
  }
  return joined;
}

/**
 * Compares slices by start and end, so that a slice with only a partial line comes before the one that
 * completes it.
 */
function compareRanges(one: Slice, other: Slice): number {
  return one.from.bytes - other.from.bytes || one.to.bytes - other.to.bytes;
}

/** Returns the report of a slice without its partial line, which the slice that completes the line reports. */
export function withoutPartialLine({
  report,
  partialLine,
}: Pick<Slice, 'report' | 'partialLine'>): FileReport {
  if (partialLine === undefined) return report;
  const faults = report.faults.filter(({ line }) => line !== partialLine);
  const badLines = report.badLines - 1;
  return { ...report, badLines, faults, readable: report.records > 0 || badLines === 0 };
}

function joinReports(one: FileReport, other: FileReport): FileReport {
  const records = countRecords([one, other]);
  const badLines = one.badLines + other.badLines;
  const all = [...one.faults, ...other.faults];
  const latest = other.latest ?? (all.length > maxFileFaults ? other.faults.at(-1) : one.latest);
  return {
    ...one,
    records,
    badLines,
    badFields: one.badFields + other.badFields,
    faults: all.slice(0, maxFileFaults),
    ...(latest !== undefined && { latest }),
    // An empty slice is readable; it must not hide the bad lines of the other slice.
    readable: records > 0 || (badLines === 0 && one.readable && other.readable),
  };
}
