import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadOptions } from './load-job.js';

/** Removes what a load needed for a while, or left behind where its process, of the given number, crashed. */
export function removeLeftovers(options: LoadOptions, processId: number | undefined): void {
  rmSync(spillFolder(options), { recursive: true, force: true });
  const prefix = linksPrefix(processId ?? 0);
  const links = readdirSync(tmpdir()).filter((name) => join(tmpdir(), name).startsWith(prefix));
  for (const name of links) rmSync(join(tmpdir(), name), { recursive: true, force: true });
}

/** Removes a database that was not built to its end. */
export function removeDatabase({ database }: LoadOptions): void {
  rmSync(database, { force: true });
  rmSync(`${database}.wal`, { force: true });
}

/** How the path of each folder begins in which a load has links, in a process of the given number. */
export function linksPrefix(processId: number): string {
  return join(tmpdir(), `log-endpoints-load-${processId}-`);
}

/** Where a load puts what has no room in memory. */
export function spillFolder({ database }: LoadOptions): string {
  return `${database}.spill`;
}
