import { mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withSetupError } from '../errors/errors.js';
import { ignoreErrors } from '../process/ignore-errors.js';
import { isOwnFolder } from '../process/own-path.js';
import { processExists, processSpace } from '../process/process-identity.js';
import { removeAtExit } from '../process/remove-at-exit.js';

const unusable = 'Cannot use the folder for temporary files (TMPDIR)';

/** The folders that this process has created. */
const created = new Set<string>();

/**
 * Creates an empty folder with mode 0700 that is removed when the process exits.
 * @throws SetupError if the folder for temporary files cannot be written
 */
export function makeTemporaryFolder(): string {
  const folder = withSetupError(unusable, createFolder);
  created.add(folder);
  removeAtExit(folder);
  return folder;
}

/** @throws SetupError if we or the engine cannot write to the folder for temporary files */
export function checkTemporaryFolder(): void {
  withSetupError(unusable, () => {
    rmdirSync(createFolder());
    // DuckDB parses everything after a question mark in a path as options.
    if (tmpdir().includes('?'))
      throw new Error(`${tmpdir()}: its path must not contain a question mark`);
  });
}

function createFolder(): string {
  return mkdtempSync(join(tmpdir(), `log-endpoints-${process.pid}-${processSpace()}-`));
}

/**
 * Removes the folders left by killed processes.
 * @returns a line for each folder that stays because it may belong to a process in another container, not visible
 * here, that shares the folder for temporary files
 * @throws SetupError if the folder for temporary files cannot be read
 */
export function removeDeadFolders(): readonly string[] {
  const here = processSpace();
  return withSetupError(unusable, () => readdirSync(tmpdir())).flatMap((name) => {
    const [, pid, space] = ownName.exec(name) ?? [];
    const folder = join(tmpdir(), name);
    if (pid === undefined || created.has(folder) || !isOwnFolder(folder)) return [];
    if (space !== here) {
      return [`${folder}: left by a process of another container, or before a restart`];
    }
    // The previous process may have had the same id as this one.
    if (Number(pid) === process.pid || !processExists(Number(pid))) {
      // On failure, the next start retries.
      ignoreErrors(() => rmSync(folder, { recursive: true, force: true }));
    }
    return [];
  });
}

/** Contains the process id and its {@link processSpace}; folders of a load also have a digest of the database. */
const ownName = /^log-endpoints-(\d+)-([0-9a-f]{12})-\w{6}$/;
