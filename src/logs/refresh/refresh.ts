import { join } from 'node:path';
import type { SourceSchema } from '../../types/schema.js';
import { type Holding, holdingOfParts, joinHoldings, schemaOf } from '../columns/contents.js';
import { canShow } from '../columns/removed-fields.js';
import { hasGrown, isSame } from '../files/file-state.js';
import { fileStart } from '../files/files.js';
import type { LoadedSource, LoadOptions, SourceLoad } from '../load/job.js';
import type { Manifest, StoredPart } from '../store/manifest.js';
import type { DatabaseFolder } from '../store/store.js';
import { composeManifest, type Done } from './compose-manifest.js';
import { type Cut, cutFile, isStill, lookAtFiles, statOfAny } from './find-slices.js';
import { readHalfLines } from './partial-line.js';
import { type Changes, type FoundFile, planChanges } from './plan-changes.js';

/** What a refresh works with. */
export interface RefreshOptions {
  readonly dataFolder: string;
  readonly declared: readonly SourceSchema[];
  /** Where database files are written. */
  readonly cache: Pick<DatabaseFolder, 'folder' | 'newDatabase' | 'discard'>;
  /** Loads into one database file; the limits are its own. */
  readonly load: (
    options: Pick<LoadOptions, 'sources' | 'database'>,
  ) => Promise<readonly LoadedSource[]>;
  /** Whether a last line without an end is left to be loaded when it has one. */
  readonly awaitsLines: boolean;
  /** The wall clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** How often everything is planned anew because files were replaced while they were loaded. */
const mostTries = 5;

/**
 * Loads what the files of a data folder hold beyond what is stored of them; the same manifest where
 * that is nothing.
 * @throws SetupError where the folder cannot be read or the database not be written
 */
export async function refresh(
  stored: Manifest,
  options: RefreshOptions,
  tries = mostTries,
): Promise<Manifest> {
  const before = readHalfLines(stored, options.awaitsLines);
  const names = options.declared.map(({ name }) => name);
  const found = lookAtFiles(options.dataFolder, names);
  const changes = planChanges(before, found, ({ file, stat }, { state }) =>
    hasGrown(file.path, stat, state),
  );
  if (isNothing(changes, before)) return before;
  const doing = { before, found, options, busy: new Set<string>() };
  const done = await loadChanges(withAll(changes, found, narrowed(changes, doing)), doing);
  const replaced = done.cuts.filter((cut) => !isStill(cut)).map(({ file }) => file.name);
  if (replaced.length > 0 && tries > 1) {
    options.cache.discard(done.database);
    return refresh(before, options, tries - 1);
  }
  const { declared } = options;
  return composeManifest(before, withUnknown(done, new Set(replaced)), { found, declared });
}

/** What was read of a replaced file may be of this one or of that: next time it is not known. */
function withUnknown(done: Done, replaced: ReadonlySet<string>): Done {
  const cuts = done.cuts.map((cut) =>
    replaced.has(cut.file.name) ? { ...cut, state: { ...cut.state, ...unknown } } : cut,
  );
  return { ...done, cuts };
}

const unknown = { changedMs: -1, inode: -1, samples: '' } as const;

/** Whether every part stays under the names that its files had, and every file is the same. */
function isNothing({ kept, load, same }: Changes, { parts, files }: Manifest): boolean {
  const isSame = same.length === files.length && namesIn(kept) === namesIn(parts);
  return load.length === 0 && parts.length > 0 && isSame;
}

function namesIn(parts: readonly StoredPart[]): string {
  return JSON.stringify(parts.map(({ slices }) => slices.map(({ file }) => file)));
}

interface Doing {
  readonly before: Manifest;
  readonly found: readonly FoundFile[];
  readonly options: RefreshOptions;
  /** Files that were written to while they were read where they stand. */
  readonly busy: ReadonlySet<string>;
}

/**
 * A source whose new records are not stored as the others is loaded anew, from all of its files; so
 * is everything, from copies, where files were written to meanwhile.
 */
async function loadChanges(changes: Changes, doing: Doing): Promise<Done> {
  const { options, busy } = doing;
  const done = await loadOnce(changes, doing);
  const misfits = misfitting(done, doing);
  const written = done.cuts.filter((cut) => !busy.has(cut.file.name) && wasWritten(cut));
  if (misfits.size === 0 && written.length === 0) return done;
  options.cache.discard(done.database);
  const names = [...busy, ...written.map(({ file }) => file.name)];
  return loadChanges(withAll(changes, doing.found, misfits), { ...doing, busy: new Set(names) });
}

/** The sources of which nothing is loaded and what stays cannot be shown as it is stored. */
function narrowed({ kept, load }: Changes, { before, options }: Doing): ReadonlySet<string> {
  const narrower = options.declared.filter((source) => {
    const isLoaded = load.some(({ file }) => file.source === source.name);
    const stays = kept.some((part) => part.source === source.name);
    return stays && !isLoaded && !canStay(source, before, holdingOfParts(source, kept));
  });
  return new Set(narrower.map(({ name }) => name));
}

/** The sources whose new records are not stored as the others, or that cannot be shown so with these. */
function misfitting({ kept, sources }: Done, { before, options }: Doing): ReadonlySet<string> {
  const misfits = sources.filter(({ schema: { name }, fits, holds }) => {
    const source = options.declared.find((each) => each.name === name);
    const isAlone = !kept.some((part) => part.source === name && part.slices.length > 0);
    if (source === undefined || isAlone) return !fits;
    const present = joinHoldings(source, [holdingOfParts(source, kept), holds]);
    return !fits || !canStay(source, before, present);
  });
  return new Set(misfits.map(({ schema }) => schema.name));
}

/** Whether records that hold this can be shown as what was stored before asks for, and they. */
function canStay(source: SourceSchema, before: Manifest, present: Holding): boolean {
  const schema = before.schemas.find(({ name }) => name === source.name);
  if (schema === undefined) return true;
  const all = joinHoldings(source, [storedHolding(source, before), present]);
  return canShow(schemaOf(source, all, schema), schemaOf(source, present, schema, 'first'));
}

/** What asks for how a source is stored: what its parts hold, and held that are gone. */
function storedHolding(source: SourceSchema, { parts, gone }: Manifest): Holding {
  return joinHoldings(source, [holdingOfParts(source, parts), gone[source.name]]);
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
    // Where no file is in it, a part goes with the first.
    const hasFiles = kept.some(({ slices }) => slices.length > 0);
    const base = hasFiles ? before.schemas.find(({ name }) => name === source.name) : undefined;
    const holds = storedHolding(source, before);
    return [{ source, files, parts: [], ...(base && { base, holds }) }];
  });
  if (sources.length === 0) return { ...changes, cuts, database: '', sources: [] };
  const database = cache.newDatabase();
  try {
    const loaded = await options.load({ sources, database: join(cache.folder, database) });
    return { ...changes, cuts, database, sources: loaded };
  } catch (error) {
    cache.discard(database);
    throw error;
  }
}

/** Whether a file of lines that was read where it stands is not as it was before. */
function wasWritten({ file, canGrow, state }: Cut): boolean {
  return canGrow && file.slice === undefined && !isSame(statOfAny(file.path), state);
}
