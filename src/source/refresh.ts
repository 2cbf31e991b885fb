import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { composeManifest } from './compose-manifest.js';
import type { DatabaseFolder } from './disk-cache.js';
import { hasGrown } from './file-state.js';
import { type Cut, cutFile, lookAtFiles, statOfAny } from './find-slices.js';
import type { LoadOptions } from './load.js';
import { fileStart } from './load-file.js';
import type { LoadedSource, SourceLoad } from './load-source.js';
import type { Manifest } from './manifest.js';
import { type Changes, type FoundFile, planChanges } from './plan-changes.js';
import type { SourceSchema } from './schema.js';

/** What a refresh works with. */
export interface RefreshOptions {
  readonly dataFolder: string;
  readonly declared: readonly SourceSchema[];
  /** Where database files are written. */
  readonly cache: Pick<DatabaseFolder, 'folder' | 'newDatabase'>;
  /** Loads into one database file; the limits are its own. */
  readonly load: (
    options: Pick<LoadOptions, 'sources' | 'database'>,
  ) => Promise<readonly LoadedSource[]>;
  /** Whether a last line without an end is left to be loaded when it has one. */
  readonly awaitsLines: boolean;
  /** The wall clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Loads what the files of a data folder hold beyond what is stored of them; the same manifest where
 * that is nothing.
 * @throws SetupError where the folder cannot be read or the database not be written
 */
export async function refresh(before: Manifest, options: RefreshOptions): Promise<Manifest> {
  const names = options.declared.map(({ name }) => name);
  const found = lookAtFiles(options.dataFolder, names);
  const changes = planChanges(before, found, ({ file, stat }, { state }) =>
    hasGrown(file.path, stat, state),
  );
  if (isNothing(changes, before)) return before;
  const doing = { before, found, options, busy: new Set<string>() };
  const done = await loadChanges(changes, doing);
  return composeManifest(before, done, found);
}

function isNothing({ kept, load, same }: Changes, { parts, files }: Manifest): boolean {
  const isSame =
    kept.length === parts.length &&
    same.length === files.length &&
    same.every(({ name }) => files.some((file) => file.name === name));
  return load.length === 0 && parts.length > 0 && isSame;
}

interface Doing {
  readonly before: Manifest;
  readonly found: readonly FoundFile[];
  readonly options: RefreshOptions;
  /** Files that were written to while they were read where they stand. */
  readonly busy: ReadonlySet<string>;
}

/** Changes that were made: beside what is kept, what was loaded. */
export interface Done extends Changes {
  readonly cuts: readonly Cut[];
  /** The database file that was written, by its name; where nothing had to be, there are no sources. */
  readonly database: string;
  readonly sources: readonly LoadedSource[];
}

/**
 * A source whose new records are not stored as the others is loaded anew, from all of its files; so
 * is everything, from copies, where files were written to meanwhile.
 */
async function loadChanges(changes: Changes, doing: Doing): Promise<Done> {
  const { options, busy } = doing;
  const done = await loadOnce(changes, doing);
  const misfits = new Set(done.sources.flatMap(({ fits, schema }) => (fits ? [] : [schema.name])));
  const written = done.cuts.filter((cut) => !busy.has(cut.file.name) && wasWritten(cut, changes));
  if (misfits.size === 0 && written.length === 0) return done;
  rmSync(join(options.cache.folder, done.database), { force: true });
  const names = [...busy, ...written.map(({ file }) => file.name)];
  return loadChanges(withAll(changes, doing.found, misfits), { ...doing, busy: new Set(names) });
}

/** The changes with all of these sources loaded from the beginning. */
function withAll(
  { kept, load, same }: Changes,
  found: readonly FoundFile[],
  sources: ReadonlySet<string>,
): Changes {
  const isOther = (source: string) => !sources.has(source);
  return {
    kept: kept.filter(({ source }) => isOther(source)),
    same: same.filter(({ source }) => isOther(source)),
    load: [
      ...load.filter(({ file }) => isOther(file.source)),
      ...found
        .filter(({ file }) => !isOther(file.source))
        .map((each) => ({ ...each, from: fileStart })),
    ],
  };
}

async function loadOnce(changes: Changes, doing: Doing): Promise<Done> {
  const { options, busy, before } = doing;
  const { declared, cache, awaitsLines } = options;
  const cuts = changes.load.map((each) => cutFile(each, { awaitsLines, busy }, options.now()));
  const sources = declared.flatMap((source): readonly SourceLoad[] => {
    const files = cuts.map(({ file }) => file).filter((file) => file.source === source.name);
    const kept = changes.kept.filter((part) => part.source === source.name);
    if (files.length === 0 && kept.length > 0) return [];
    const hasRecords = kept.some(({ records }) => records > 0);
    const base = hasRecords ? before.schemas.find(({ name }) => name === source.name) : undefined;
    return [{ source, files, parts: [], ...(base && { base }) }];
  });
  const database = cache.newDatabase();
  const loaded =
    sources.length === 0
      ? []
      : await options.load({ sources, database: join(cache.folder, database) });
  return { ...changes, cuts, database, sources: loaded };
}

/** Whether a file of lines that was read where it stands is not as it was before. */
function wasWritten({ file, canGrow }: Cut, { load }: Changes): boolean {
  const before = load.find((each) => each.file.name === file.name);
  if (!canGrow || file.slice !== undefined || before === undefined) return false;
  const { size, changedMs } = statOfAny(file.path);
  return size !== before.stat.size || changedMs !== before.stat.changedMs;
}
