import type { SourceSchema } from '../../types/schema.js';
import { type Holding, holdingOfParts, joinHoldings, schemaOf } from '../columns/contents.js';
import { isStoredAlike } from '../columns/fit.js';
import { withoutGone } from '../columns/removed-fields.js';
import { fileStart, type Place } from '../files/files.js';
import type { FileLoad, LoadedSource } from '../load/job.js';
import type { LoadedFile, Manifest, Slice, StoredPart } from '../store/manifest.js';
import type { Cut } from './find-slices.js';
import type { Changes, FoundFile } from './plan-changes.js';

/** Changes that were made: beside what is kept, what was loaded. */
export interface Done extends Changes {
  readonly cuts: readonly Cut[];
  /** The database file that was written, by its name; where nothing had to be, there are no sources. */
  readonly database: string;
  readonly sources: readonly LoadedSource[];
}

/** What is stored once changes are made, its files in the order in which they were found. */
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
  const madeIds = new Set(before.files.filter((file) => file.hasMadeIds).map(({ name }) => name));
  for (const load of loads) files.set(load.cut.file.name, fileOf(load, madeIds));
  const fresh = done.sources.map(({ schema, holds, project }): StoredPart => {
    const slices = loads.filter(({ cut }) => cut.file.source === schema.name).map(sliceOf);
    const records = slices.reduce((sum, { report }) => sum + report.records, 0);
    return { source: schema.name, database: done.database, slices, records, holds, project };
  });
  const isGrowing = new Set(
    fresh.filter(({ slices }) => slices.length > 0).map(({ source }) => source),
  );
  const kept = done.kept.filter(
    ({ source, slices }) => slices.length > 0 || !isGrowing.has(source),
  );
  const schemas = new Map(before.schemas.map((schema) => [schema.name, schema]));
  for (const { schema } of done.sources) schemas.set(schema.name, schema);
  const parts = [...kept, ...fresh];
  return {
    files: found.flatMap(({ file }) => files.get(file.name) ?? []),
    parts,
    schemas: [...schemas.values()],
    gone: Object.fromEntries(
      declared.flatMap((source) =>
        goneOf(source, before, parts).map((held) => [source.name, held]),
      ),
    ),
    warnings: Object.fromEntries(
      declared.map((source) => [source.name, warningsOf(source, parts)]),
    ),
  };
}

function warningsOf(source: SourceSchema, parts: readonly StoredPart[]): readonly string[] {
  return holdingOfParts(source, parts).leftOut.map((line) => `${source.name}: ${line}`);
}

/** What parts held that are gone, as far as the others are stored otherwise for it; one or none. */
function goneOf(
  source: SourceSchema,
  before: Manifest,
  parts: readonly StoredPart[],
): readonly Holding[] {
  const schema = before.schemas.find(({ name }) => name === source.name);
  const own = parts.filter((part) => part.source === source.name);
  const kept = new Set(own.map(({ database }) => database));
  const old = before.parts.filter((part) => part.source === source.name);
  const left = old.filter(({ database }) => !kept.has(database));
  if (schema === undefined || left.length === old.length) return [];
  const gone = joinHoldings(source, [holdingOfParts(source, left), before.gone[source.name]]);
  const present = holdingOfParts(source, parts);
  const all = joinHoldings(source, [present, gone]);
  const isLess = !isStoredAlike(schemaOf(source, all, schema), schemaOf(source, present, schema));
  return isLess ? [gone] : [];
}

/** The sources as callers see them: as the records show them that are there. */
export function shownSchemas(
  { schemas, parts, gone }: Manifest,
  declared: readonly SourceSchema[],
): readonly SourceSchema[] {
  return schemas.map((schema) => {
    const source = declared.find(({ name }) => name === schema.name);
    if (source === undefined || gone[schema.name] === undefined) return schema;
    return withoutGone(schema, schemaOf(source, holdingOfParts(source, parts), schema));
  });
}

/** A file that was loaded, and what came of it. */
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
  const { file, takesRest } = load.cut;
  const to = endOf(load);
  return {
    file: file.name,
    from: file.slice?.from ?? fileStart,
    to,
    report: load.load.report,
    ...(takesRest && { restLine: to.lines + 1 }),
  };
}

/** A line that was loaded without its end is loaded again when it has one. */
function endOf({ cut, load }: Load): Place {
  const { file, wholeBytes, takesRest } = cut;
  const from = file.slice?.from ?? fileStart;
  const { lines, records } = load.read ?? { lines: 0, records: 0 };
  return {
    bytes: wholeBytes,
    lines: from.lines + lines,
    records: from.records + records - (takesRest ? 1 : 0),
  };
}

function fileOf({ cut, load }: Load, madeIds: ReadonlySet<string>): LoadedFile {
  const { path: _, slice: __, ...file } = cut.file;
  return {
    ...file,
    state: cut.state,
    canGrow: cut.canGrow && load.read !== undefined,
    hasMadeIds: load.hasMadeIds || madeIds.has(file.name),
  };
}
