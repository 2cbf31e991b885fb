import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isOwnFolder } from '../../common/own-path.js';
import { processSpace } from '../../common/process-space.js';
import type { LoadOptions } from './job.js';

/**
 * Removes the temporary files of a load by the process with this pid, which may have crashed.
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

/** Removes an incomplete database. */
export function removeDatabase({ database }: LoadOptions): void {
  rmSync(database, { force: true });
  rmSync(`${database}.wal`, { force: true });
}

/**
 * The path prefix of the folders in which a load creates links. It says where the pid is unique, because a process
 * in another container may have the same one, and includes a digest of the database's path.
 */
export function linksPrefix({ database }: LoadOptions, processId: number): string {
  const digest = createHash('sha256').update(database).digest('hex').slice(0, 16);
  return join(tmpdir(), `log-endpoints-load-${processId}-${processSpace()}-${digest}-`);
}

/** The folder to which a load spills data that does not fit into memory. */
export function spillFolder({ database }: LoadOptions): string {
  return `${database}.spill`;
}
