import { randomBytes } from 'node:crypto';
import {
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isOwnFile } from '../../common/own-path.js';
import { isRunning, startOf } from '../../common/process-start.js';
import { removeAtExit } from '../../common/remove-at-exit.js';
import { namesIn, removeFile, removeOwnName } from './entry.js';

/** Says to other processes which files of a folder this one uses. */
export interface Lease {
  /** Says it anew. @throws an error of the file system */
  write(): void;
}

/** How often a lease is renewed, in milliseconds. */
const renewedMs = 60_000;

/** After which time without that it counts for nothing, in milliseconds. */
const expiresMs = 10 * renewedMs;

const suffix = '.lease';
/** Of one that is being written. */
const buildingSuffix = `${suffix}.new`;

/** Other files may end like a lease; only these are ours to judge and remove. */
const leaseName = /^[0-9a-f]{16}\.lease$/;
const buildingName = /^[0-9a-f]{16}\.lease\.new$/;

/** The leases of this process: another one may have had its number. */
const own = new Set<string>();

/** A lease of the files that `names` gives, until the process ends. */
export function holdLease(folder: string, names: () => readonly string[]): Lease {
  const name = randomBytes(8).toString('hex');
  const path = join(folder, `${name}${suffix}`);
  const building = join(folder, `${name}${buildingSuffix}`);
  // Put there whole: half of one would tell others that nothing is used.
  const start = startOf(process.pid);
  const write = () => {
    const lease = { pid: process.pid, start, host: hostOf(), names: names() };
    writeFileSync(building, JSON.stringify(lease), { mode: 0o600 });
    renameSync(building, path);
  };
  const renew = () => {
    try {
      utimesSync(path, new Date(), new Date());
    } catch {
      // Whoever removed the folder wanted it gone: what is open stays readable.
    }
  };
  own.add(path);
  write();
  setInterval(renew, renewedMs).unref();
  removeAtExit(path);
  return { write };
}

/** The files of a folder that some process uses; leases of processes that are gone are removed. */
export function leasedFiles(folder: string): ReadonlySet<string> {
  return new Set(leasesOf(folder).flatMap(({ names }) => names));
}

/** Whether some process uses a folder. */
export function isLeased(folder: string): boolean {
  return leasesOf(folder).length > 0;
}

/** Removes the files of a folder that nobody uses, but those to be kept; leases half written, too. */
export function sweepFolder(folder: string, namesToKeep: () => readonly string[]): void {
  // In this order: what is made, leased or kept meanwhile stays.
  const names = readdirSync(folder);
  const leased = leasedFiles(folder);
  const kept = new Set(namesToKeep());
  removeHalfWritten(folder, names);
  for (const name of names) {
    const [base = ''] = /^[0-9a-f]{16}\.(duckdb|json)(?=$|\.wal$|\.spill$)/.exec(name) ?? [];
    if (base === '' || kept.has(base) || leased.has(base)) continue;
    removeOwnName(folder, name);
  }
}

/** Only a process that was killed takes as long as that to write one. */
function removeHalfWritten(folder: string, names: readonly string[]): void {
  for (const name of names.filter((each) => buildingName.test(each))) {
    const path = join(folder, name);
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - written >= expiresMs) removeOwnName(folder, name);
  }
}

interface HeldLease {
  readonly pid: number;
  /** When that process began, where the system says it. */
  readonly start?: string;
  readonly host: string;
  readonly names: readonly string[];
}

function leasesOf(folder: string): readonly HeldLease[] {
  const leases = namesIn(folder).filter(
    (name) => leaseName.test(name) && isOwnFile(join(folder, name)),
  );
  return leases.flatMap((name) => readLease(join(folder, name)));
}

function readLease(path: string): readonly HeldLease[] {
  try {
    const lease = JSON.parse(readFileSync(path, 'utf8')) as HeldLease;
    if (isHeld(path, lease)) return [lease];
  } catch (error) {
    // It is gone since, or was cut off when the power was.
    if (!(error instanceof SyntaxError)) return [];
  }
  removeFile(path);
  return [];
}

// A process of another container cannot be seen from here: only the time tells whether it lives.
function isHeld(path: string, { pid, start, host }: HeldLease): boolean {
  if (host !== hostOf()) return Date.now() - statSync(path).mtimeMs < expiresMs;
  return pid === process.pid ? own.has(path) : isRunning(pid, start);
}

/** Where the numbers of processes mean the same: containers may share the name of their host. */
function hostOf(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}
