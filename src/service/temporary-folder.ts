import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOwnFolder } from '../common/own-path.js';
import { processExists } from '../common/process-start.js';
import { removeAtExit } from '../common/remove-at-exit.js';
import { SetupError } from '../errors/errors.js';

/**
 * An empty folder that goes when the process does; mode 0700.
 * @throws SetupError where the folder for temporary files cannot be written
 */
export function makeTemporaryFolder(): string {
  const folder = use(() => mkdtempSync(join(tmpdir(), `log-endpoints-${process.pid}-`)));
  removeAtExit(folder);
  return folder;
}

/** @throws SetupError where the folder for temporary files cannot be written, by us or by the engine */
export function checkTemporaryFolder(): void {
  use(() => {
    rmdirSync(mkdtempSync(join(tmpdir(), `log-endpoints-${process.pid}-`)));
    // The engine takes what comes behind it for options.
    if (tmpdir().includes('?'))
      throw new Error(`${tmpdir()}: its name must not have a question mark`);
  });
}

/**
 * A line for each folder that a killed process has left; to be called before this one makes its own.
 * They are named and not removed: a process that cannot be seen from here, in another container, may
 * share the folder for temporary files.
 * @throws SetupError where the folder for temporary files cannot be read
 */
export function findLeftovers(): readonly string[] {
  return use(() => readdirSync(tmpdir())).flatMap((name) => {
    const pid = Number(/^log-endpoints-(?:load-)?(\d+)-(?:[0-9a-f]{16}-)?\w{6}$/.exec(name)?.[1]);
    // In a container the process before this one had this one's number.
    if (Number.isNaN(pid) || (pid !== process.pid && processExists(pid))) return [];
    const folder = join(tmpdir(), name);
    return isOwnFolder(folder)
      ? [`${folder}: left by a process that was killed; it can be removed`]
      : [];
  });
}

function use<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetupError([`Cannot use the folder for temporary files (TMPDIR): ${reason}`]);
  }
}
