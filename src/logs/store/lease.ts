import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ignoreErrors } from '../../process/ignore-errors.js';
import { isOwnFile } from '../../process/own-path.js';
import { isRunning, processStart } from '../../process/process-identity.js';
import { removeAtExit } from '../../process/remove-at-exit.js';
import { namesIn, removeFile, removeOwnName } from './entry.js';

/** The interval between renewals of a lease, in milliseconds. */
const renewMs = 60_000;

/** The time for which a lease of another host stays valid without renewal, in milliseconds. */
const expiresMs = 10 * renewMs;

/** Other files may have the same suffix; only names like these are ours. */
const leaseName = /^[0-9a-f]{16}\.lease$/;
const buildingName = /^([0-9a-f]{16}\.lease\.new|about\.json\.\d+)$/;

/** The leases of this process: an earlier process may have had the same pid. */
const own = new Set<string>();

/**
 * Tells other processes which files of an entry this process uses, until it exits: those that `names` returns. The
 * engine's own lock on an open database is not enough: engine processes constantly open and close it, and POSIX drops
 * the lock when a process closes any of its descriptors of the file.
 * @returns a function that writes the current names; it throws an error of the file system
 * @see https://man7.org/linux/man-pages/man2/fcntl_locking.2.html
 */
export function holdLease(folder: string, names: () => readonly string[]): () => void {
  const name = randomBytes(8).toString('hex');
  const path = join(folder, `${name}.lease`);
  const building = `${path}.new`;
  const start = processStart(process.pid);
  // Written atomically: other processes would discard a partial lease as invalid.
  const write = () => {
    const lease = { pid: process.pid, start, host: hostIdentity(), names: names() };
    fs.writeFileSync(building, JSON.stringify(lease), { mode: 0o600 });
    fs.renameSync(building, path);
  };
  const renew = () => {
    // If the folder was removed, that was intended; open files stay readable.
    ignoreErrors(() => fs.utimesSync(path, new Date(), new Date()));
  };
  own.add(path);
  write();
  setInterval(renew, renewMs).unref();
  removeAtExit(path);
  return write;
}

/** Returns the files of an entry that some process uses. Removes the leases of processes that have ended. */
export function leasedFiles(folder: string): ReadonlySet<string> {
  return new Set(readLeases(folder).flatMap(({ names }) => names));
}

/** Whether some process uses an entry. */
export function isLeased(folder: string): boolean {
  return readLeases(folder).length > 0;
}

/**
 * Removes the files of an entry that are neither leased nor in `namesToKeep`, and partially written leases and markers.
 */
export function sweepEntry(folder: string, namesToKeep: () => readonly string[]): void {
  // List first, so that files created, leased or kept in the meantime stay.
  const names = fs.readdirSync(folder);
  const leased = leasedFiles(folder);
  const kept = new Set(namesToKeep());
  for (const name of names.filter((each) => buildingName.test(each))) {
    const stat = fs.statSync(join(folder, name), { throwIfNoEntry: false });
    // The process that was writing an old file must have been killed.
    if (stat && Date.now() - stat.mtimeMs >= expiresMs) removeOwnName(folder, name);
  }
  for (const name of names) {
    const [base = ''] =
      /^[0-9a-f]{16}\.(duckdb|json)(?=$|\.wal$|\.copy\d+$|\.spill$)/.exec(name) ?? [];
    if (base === '' || kept.has(base) || leased.has(base)) continue;
    removeOwnName(folder, name);
  }
}

interface HeldLease {
  readonly pid: number;
  /** The start time of that process; absent if the system does not provide it. */
  readonly start?: string;
  readonly host: string;
  readonly names: readonly string[];
}

function readLeases(folder: string): readonly HeldLease[] {
  const leases = namesIn(folder).filter(
    (name) => leaseName.test(name) && isOwnFile(join(folder, name)),
  );
  return leases.flatMap((name) => readLease(join(folder, name)));
}

function readLease(path: string): readonly HeldLease[] {
  try {
    const lease = JSON.parse(fs.readFileSync(path, 'utf8')) as HeldLease;
    if (isHeld(path, lease)) return [lease];
  } catch (error) {
    // A lease that is not JSON was truncated by a power cut; any other error means it was just
    // removed.
    if (!(error instanceof SyntaxError)) return [];
  }
  removeFile(path);
  return [];
}

// Processes of another container are not visible here; their leases are valid while they are renewed.
function isHeld(path: string, { pid, start, host }: HeldLease): boolean {
  if (host !== hostIdentity()) return Date.now() - fs.statSync(path).mtimeMs < expiresMs;
  return pid === process.pid ? own.has(path) : isRunning(pid, start);
}

/** Identifies the pid namespace, not only the host: containers may share a host name. */
function hostIdentity(): string {
  const space = ignoreErrors(() => fs.readlinkSync('/proc/self/ns/pid'));
  return space === undefined ? hostname() : `${hostname()} ${space}`;
}
