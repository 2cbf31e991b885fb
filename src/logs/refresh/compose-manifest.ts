import type { SourceSchema } from '../../types/schema.js';
import { budgetWarnings, contentsOfParts, joinContents } from '../columns/contents.js';
import { fileStart, type Position } from '../files/files.js';
import type { FileLoad, LoadedSource } from '../load/job.js';
import type { LoadedFile, Manifest, Slice, StoredPart } from '../store/manifest.js';
import { countRecords, entryOf, underSchema } from '../store/manifest.js';
import type { Cut } from './find-slices.js';
import type { Changes, FoundFile } from './plan-changes.js';

/** Completed changes, with the results of the load. */
export interface Done extends Changes {
  readonly cuts: readonly Cut[];
  /** The name of the written database file; unused if there are no sources. */
  readonly database: string;
  readonly sources: readonly LoadedSource[];
}

/** Composes the manifest after some changes; its files are in the order in which they were found. */
export function composeManifest(
  before: Manifest,
  done: Done,
  {
    found,
    declared,
  }: { readonly found: readonly FoundFile[]; readonly declared: readonly SourceSchema[] },
): Manifest {
  const loads = loadsOf(done);
  const files = new Map(done.same.map((file) => [file.name, file]));
  for (const load of loads) files.set(load.cut.file.name, fileOf(load));
  const fresh = done.sources.map(({ schema, contents, project }): StoredPart => {
    const carried = (done.carried ?? []).filter(({ source }) => source === schema.name);
    const own = loads.filter(({ cut }) => cut.file.source === schema.name).map(sliceOf);
    const slices = [...carried.flatMap((part) => part.slices), ...own];
    const records = countRecords([...carried, ...own.map(({ report }) => report)]);
    const part = { source: schema.name, database: done.database, slices, records, project };
    return { ...part, contents: joinContents([...carried.map((each) => each.contents), contents]) };
  });
  const isGrowing = new Set(
    fresh.filter(({ slices }) => slices.length > 0).map(({ source }) => source),
  );
  const schemas = new Map(before.schemas.map((schema) => [schema.name, schema]));
  for (const { schema } of done.sources) schemas.set(schema.name, schema);
  const kept = done.kept
    .filter(({ source, slices }) => slices.length > 0 || !isGrowing.has(source))
    .map((part) => underSchema(part, before.schemas, schemas.get(part.source)));
  const parts = [...kept, ...fresh];
  return {
    files: found.flatMap(({ file }) => files.get(file.name) ?? []),
    parts,
    schemas: [...schemas.values()],
    warnings: Object.fromEntries(
      declared.map((source) => [
        source.name,
        // Joining contents takes a while, and most sources do not change.
        (hasSameParts(source, before.parts, parts) && entryOf(before.warnings, source.name)) ||
          warningsOf(source, parts),
      ]),
    ),
  };
}

function hasSameParts(
  { name }: SourceSchema,
  before: readonly StoredPart[],
  after: readonly StoredPart[],
): boolean {
  const databases = (parts: readonly StoredPart[]) =>
    parts.filter(({ source }) => source === name).map(({ database }) => database);
  return databases(before).join() === databases(after).join();
}

function warningsOf(source: SourceSchema, parts: readonly StoredPart[]): readonly string[] {
  const slices = parts.flatMap((part) => (part.source === source.name ? part.slices : []));
  const reports = slices.map(({ report }) => report).filter(({ takesFileTime }) => takesFileTime);
  const files = [...new Set(reports.map(({ file }) => file))];
  return [
    ...files.map((file) => `${file}: no record has a time; the time of the file is theirs`),
    ...budgetWarnings(source, contentsOfParts(source, parts)),
  ];
}

/** A loaded file with the result. */
interface Load {
  readonly cut: Cut;
  readonly load: FileLoad;
}

function loadsOf({ cuts, sources }: Done): readonly Load[] {
  const loads = new Map(
    sources.flatMap(({ files }) => files.map((load) => [load.report.file, load] as const)),
  );
  return cuts.flatMap((cut) => {
    const load = loads.get(cut.file.name);
    return load === undefined ? [] : [{ cut, load }];
  });
}

function sliceOf(load: Load): Slice {
  const { file, includesPartialLine } = load.cut;
  const to = endOf(load);
  return {
    file: file.name,
    from: file.slice?.from ?? fileStart,
    to,
    report: load.load.report,
    ...(includesPartialLine && { partialLine: to.lines + 1 }),
  };
}

/** Returns the position after the last complete line: a partial line is loaded again when it is complete. */
function endOf({ cut, load }: Load): Position {
  const { file, wholeBytes, includesPartialLine } = cut;
  const from = file.slice?.from ?? fileStart;
  const { lines, records } = load.read ?? { lines: 0, records: 0 };
  return {
    bytes: wholeBytes,
    lines: from.lines + lines,
    records: from.records + records - (includesPartialLine ? 1 : 0),
  };
}

function fileOf({ cut, load }: Load): LoadedFile {
  const { path: _, slice: __, mapping: ___, ...file } = cut.file;
  return {
    ...file,
    state: cut.state,
    canGrow: cut.canGrow && load.read !== undefined,
  };
}
