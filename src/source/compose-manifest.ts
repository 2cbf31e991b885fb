import { type FileStat, stateOf } from './file-state.js';
import type { Cut } from './find-slices.js';
import { fileStart, type Place } from './load-file.js';
import type { FileLoad } from './load-source.js';
import type { LoadedFile, Manifest, Slice, StoredPart } from './manifest.js';
import type { FoundFile } from './plan-changes.js';
import type { Done } from './refresh.js';

/** What is stored once changes are made, its files in the order in which they were found. */
export function composeManifest(
  before: Manifest,
  done: Done,
  found: readonly FoundFile[],
): Manifest {
  const loads = loadsOf(done);
  const files = new Map(done.same.map((file) => [file.name, file]));
  for (const load of loads) files.set(load.cut.file.name, fileOf(load, found, before));
  const fresh = done.sources.map(({ schema }): StoredPart => {
    const slices = loads.filter(({ cut }) => cut.file.source === schema.name).map(sliceOf);
    const records = slices.reduce((sum, { report }) => sum + report.records, 0);
    return { source: schema.name, database: done.database, slices, records };
  });
  const isGrowing = new Set(
    fresh.filter(({ slices }) => slices.length > 0).map(({ source }) => source),
  );
  const kept = done.kept.filter(
    ({ source, slices }) => slices.length > 0 || !isGrowing.has(source),
  );
  const schemas = new Map(before.schemas.map((schema) => [schema.name, schema]));
  for (const { schema } of done.sources) schemas.set(schema.name, schema);
  const told = done.sources.map(({ schema, warnings }) => [schema.name, warnings] as const);
  return {
    files: found.flatMap(({ file }) => files.get(file.name) ?? []),
    parts: [...kept, ...fresh],
    schemas: [...schemas.values()],
    warnings: { ...before.warnings, ...Object.fromEntries(told) },
  };
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
  const { file } = load.cut;
  return {
    file: file.name,
    from: file.slice?.from ?? fileStart,
    to: endOf(load),
    report: load.load.report,
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

function fileOf({ cut, load }: Load, found: readonly FoundFile[], before: Manifest): LoadedFile {
  const { path, slice: _, ...file } = cut.file;
  const stat = found.find((each) => each.file.name === file.name)?.stat ?? nothing;
  return {
    ...file,
    state: stateOf(path, stat, cut.wholeBytes),
    canGrow: cut.canGrow && load.read !== undefined,
    hasMadeIds:
      load.hasMadeIds ||
      before.files.some(({ name, hasMadeIds }) => hasMadeIds && name === file.name),
  };
}

const nothing: FileStat = { size: 0, changedMs: 0, inode: 0 };
