import type { SourceSchema } from '../../types/schema.js';
import { budgetWarnings, contentsOfParts, joinContents } from '../columns/contents.js';
import { fileStart } from '../files/files.js';
import type { FileLoad, LoadedSource } from '../load/job.js';
import type { LoadedFile, Manifest, Slice, StoredPart } from '../store/manifest.js';
import { countRecords, underSchema } from '../store/manifest.js';
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
  const loads = cutLoads(done);
  const files = new Map(done.same.map((file) => [file.name, file]));
  for (const load of loads) files.set(load.file.name, loadedFile(load));
  const fresh = done.sources.map(({ schema, contents: own, project, partColumns }): StoredPart => {
    const carried = (done.carried ?? []).filter(({ source }) => source === schema.name);
    const read = loads.filter(({ file }) => file.source === schema.name).map(loadedSlice);
    const slices = [...carried.flatMap((part) => part.slices), ...read];
    const records = countRecords([...carried, ...read.map(({ report }) => report)]);
    const contents = joinContents([...carried, { contents: own }]);
    const part = { source: schema.name, database: done.database, slices, records, project };
    return { ...part, contents, ...(partColumns && { columns: partColumns }) };
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
  const warnings = new Map(Object.entries(before.warnings));
  return {
    files: found.flatMap(({ file }) => files.get(file.name) ?? []),
    parts,
    schemas: [...schemas.values()],
    warnings: Object.fromEntries(
      declared.map((source) => {
        const databases = (all: readonly StoredPart[]) =>
          all.flatMap((part) => (part.source === source.name ? part.database : [])).join();
        const isSame = databases(before.parts) === databases(parts);
        // Joining contents takes a while, and most sources do not change.
        const known = isSame ? warnings.get(source.name) : undefined;
        return [source.name, known ?? sourceWarnings(source, parts)];
      }),
    ),
  };
}

function sourceWarnings(source: SourceSchema, parts: readonly StoredPart[]): readonly string[] {
  const slices = parts.flatMap((part) => (part.source === source.name ? part.slices : []));
  const reports = slices.map(({ report }) => report).filter(({ takesFileTime }) => takesFileTime);
  const files = [...new Set(reports.map(({ file }) => file))];
  return [
    ...files.map((file) => `${file}: no record has a time; the time of the file is theirs`),
    ...budgetWarnings(source, contentsOfParts(source, parts)),
  ];
}

/** A loaded file with the result. */
type Load = Cut & FileLoad;

function cutLoads({ cuts, sources }: Done): readonly Load[] {
  const loads = sources.flatMap(({ files }) => files);
  const byName = new Map(loads.map((load) => [load.report.file, load]));
  return cuts.flatMap((cut) => {
    const load = byName.get(cut.file.name);
    return load === undefined ? [] : [{ ...cut, ...load }];
  });
}

/** Returns a slice up to the last complete line: a partial line is loaded again when it is complete. */
function loadedSlice({ file, wholeBytes, includesPartialLine, report, lines = 0 }: Load): Slice {
  const from = file.slice?.from ?? fileStart;
  const to = { bytes: wholeBytes, lines: from.lines + lines };
  const partial = includesPartialLine && { partialLine: to.lines + 1 };
  return { file: file.name, from, to, report, ...partial };
}

function loadedFile({ file: cutFile, state, canGrow, lines }: Load): LoadedFile {
  const { path: _, slice: __, mapping: ___, ...file } = cutFile;
  return { ...file, state, canGrow: canGrow && lines !== undefined };
}
