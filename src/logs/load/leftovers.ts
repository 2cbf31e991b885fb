import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isOwnFolder } from '../../common/own-path.js';
import type { LoadOptions } from './job.js';

/**
 * Removes what a load needed for a while, or left behind where its process, of the given number, crashed.
 * @throws an error of the file system
 */
export function removeLeftovers(options: LoadOptions, processId: number | undefined): void {
  rmSync(spillFolder(options), { recursive: true, force: true });
  const prefix = basename(linksPrefix(options, processId ?? 0));
  const links = readdirSync(tmpdir())
    .filter((name) => name.startsWith(prefix) && /^\w{6}$/.test(name.slice(prefix.length)))
    .map((name) => join(tmpdir(), name));
  for (const folder of links.filter(isOwnFolder)) {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes a database that was not built to its end. */
export function removeDatabase({ database }: LoadOptions): void {
  rmSync(database, { force: true });
  rmSync(`${database}.wal`, { force: true });
}

/**
 * How the path of each folder begins in which a load has links, in a process of the given number. The
 * database tells it from a load of another container with that number, whose folders are not to be removed.
 */
export function linksPrefix({ database }: LoadOptions, processId: number): string {
  const digest = createHash('sha256').update(database).digest('hex').slice(0, 16);
  return join(tmpdir(), `log-endpoints-load-${processId}-${digest}-`);
}

/** Where a load puts what has no room in memory. */
export function spillFolder({ database }: LoadOptions): string {
  return `${database}.spill`;
}
