import { rmSync } from 'node:fs';
import type { LoadOptions } from './job.js';

/**
 * Removes the temporary files of a load.
 * @throws an error of the file system
 */
export function removeLeftovers(options: LoadOptions): void {
  rmSync(spillFolder(options), { recursive: true, force: true });
}

/** Removes an incomplete database, and the temporary files of its load. */
export function removeDatabase(options: LoadOptions): void {
  removeLeftovers(options);
  const { database } = options;
  rmSync(database, { force: true });
  rmSync(`${database}.wal`, { force: true });
}

/** The folder to which a load spills data that does not fit into memory. */
export function spillFolder({ database }: LoadOptions): string {
  return `${database}.spill`;
}
