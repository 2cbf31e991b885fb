import type { EntryReads } from '../cache/entry.js';
import type { Catalog } from '../endpoint/catalog.js';
import type { Dialect, Statement } from '../engine/engine.js';
import { digestValue } from '../process/digest.js';
import type { ServedData } from './serving.js';

/** The inputs that determine the version of an answer. */
export interface Versioned {
  readonly catalog: Pick<Catalog, 'version'>;
  readonly serving: Pick<ServedData, 'version' | 'sources'>;
}

/**
 * Returns a version that differs for every state of the endpoint files and of the records of some sources, by default
 * of all: results of one version never answer for another.
 */
export function servedVersion({ catalog, serving }: Versioned, reads?: EntryReads): string {
  const own = reads?.map((name) => {
    const source = serving.sources.find((each) => each.name === name);
    return source === undefined ? serving.version : digestValue(source);
  });
  return [...(own ?? [serving.version]), catalog.version].join(' ');
}

/** The sources that a statement reads, derived from the tables that it names; undefined for a remote engine. */
export function versionedReads(
  { tables, steps = [] }: Statement,
  { isRemote }: Pick<Dialect, 'isRemote'>,
): EntryReads {
  if (isRemote) return undefined;
  const all = [tables, ...steps.map((step) => step.tables)].flat();
  const names = all.flatMap((table) => /^logs\.([^/]*)/.exec(table)?.[1] ?? []);
  return [...new Set(names)].sort();
}
