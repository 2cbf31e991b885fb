import type { Settings } from '../config/settings.js';
import { SetupError } from '../errors/errors.js';
import { type CacheEntry, clearCaches, listCaches } from '../logs/store/manage-entries.js';
import { printSize } from '../process/print-size.js';
import { describeLeft, errorCode } from '../start/log-cache.js';
import { printCount } from './check-report.js';

const actions: Readonly<Record<string, (cacheDir: string) => readonly string[]>> = { list, clear };

/**
 * Lists the entries of the disk cache, or clears those that are not in use.
 * @returns the output
 * @throws SetupError for any other action, or if there is no cache folder or it cannot be changed
 */
export function manageCache({ cacheDir }: Settings, action: string): string {
  const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (act === undefined) {
    const known = Object.keys(actions).join(', ');
    throw new SetupError([`Unknown action for cache: ${action}; expected one of ${known}`]);
  }
  if (cacheDir === undefined) throw new SetupError(['--cache-dir is missing: HOME is not set']);
  try {
    return `${act(cacheDir).join('\n')}\n`;
  } catch (error) {
    throw new SetupError([`the disk cache in ${cacheDir} cannot be changed (${errorCode(error)})`]);
  }
}

function list(cacheDir: string): readonly string[] {
  const entries = listCaches(cacheDir);
  return [...entries.map(print), `${cacheDir}: ${sum(entries)}`];
}

function clear(cacheDir: string): readonly string[] {
  const cleared = clearCaches(cacheDir);
  const used = listCaches(cacheDir);
  return [
    ...[...cleared, ...used].map(print),
    ...cleared.flatMap(describeLeft),
    `${cacheDir}: cleared ${sum(cleared)}`,
  ];
}

/** `2026-03-10T12:00:00Z  12.3 MB  /var/log/app (in use)`. */
function print({ dataFolder, bytes, changedMs, isUsed }: CacheEntry): string {
  const when = new Date(changedMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return `${when}  ${printSize(bytes)}  ${dataFolder}${isUsed ? ' (in use)' : ''}`;
}

function sum(entries: readonly CacheEntry[]): string {
  const bytes = entries.reduce((all, entry) => all + entry.bytes, 0);
  return `${printCount(entries.length, 'data folder')}, ${printSize(bytes)}`;
}
