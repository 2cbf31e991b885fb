import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOwnFolder } from '../common/own-path.js';
import { processExists } from '../common/process-start.js';
import { removeAtExit } from '../common/remove-at-exit.js';
import { SetupError } from '../errors/errors.js';

/**
 * Creates an empty folder with mode 0700 that is removed when the process exits.
 * @throws SetupError if the folder for temporary files cannot be written
 */
export function makeTemporaryFolder(): string {
  const folder = withSetupErrors(() =>
    mkdtempSync(join(tmpdir(), `log-endpoints-${process.pid}-`)),
  );
  removeAtExit(folder);
  return folder;
}

/** @throws SetupError if we or the engine cannot write to the folder for temporary files */
export function checkTemporaryFolder(): void {
  withSetupErrors(() => {
    rmdirSync(mkdtempSync(join(tmpdir(), `log-endpoints-${process.pid}-`)));
    // DuckDB parses everything after a question mark in a path as options.
    if (tmpdir().includes('?'))
      throw new Error(`${tmpdir()}: its path must not contain a question mark`);
  });
}

/**
 * Lists the folders that killed processes have left, one line each; call it before this process creates
 * its own. They are not removed, because they may belong to a process in another container, invisible
 * here, that shares the folder for temporary files.
 * @throws SetupError if the folder for temporary files cannot be read
 */
export function findLeftovers(): readonly string[] {
  return withSetupErrors(() => readdirSync(tmpdir())).flatMap((name) => {
    const pid = Number(/^log-endpoints-(?:load-)?(\d+)-(?:[0-9a-f]{16}-)?\w{6}$/.exec(name)?.[1]);
    // In a container, the previous process had the same pid as this one.
    if (Number.isNaN(pid) || (pid !== process.pid && processExists(pid))) return [];
    const folder = join(tmpdir(), name);
    return isOwnFolder(folder)
      ? [`${folder}: left by a process that was killed; it can be removed`]
      : [];
  });
}

/** Runs work on the folder; any error becomes a SetupError. */
function withSetupErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetupError([`Cannot use the folder for temporary files (TMPDIR): ${reason}`]);
  }
}
