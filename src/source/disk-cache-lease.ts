import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Says to other processes which files of a folder this one uses. */
export interface Lease {
  /** Says it anew. */
  write(): void;
}

/** How often a lease is renewed, in milliseconds. */
const renewedMs = 60_000;

/** After which time without that it counts for nothing, in milliseconds. */
const expiresMs = 10 * renewedMs;

const suffix = '.lease';

/** What a folder is the cache of. */
export const aboutName = 'about.json';

/** A lease of the files that `names` gives, until the process ends. */
export function holdLease(folder: string, names: () => readonly string[]): Lease {
  const path = join(folder, `${randomBytes(8).toString('hex')}${suffix}`);
  const write = () => {
    const lease = { pid: process.pid, host: hostname(), names: names() };
    writeFileSync(path, JSON.stringify(lease), { mode: 0o600 });
  };
  const renew = () => {
    try {
      utimesSync(path, new Date(), new Date());
    } catch {
      // Whoever removed the folder wanted it gone: what is open stays readable.
    }
  };
  write();
  setInterval(renew, renewedMs).unref();
  process.once('exit', () => rmSync(path, { force: true }));
  return { write };
}

/** The files of a folder that some process uses; leases of processes that are gone are removed. */
export function leasedFiles(folder: string): ReadonlySet<string> {
  const leases = readdirSync(folder).filter((name) => name.endsWith(suffix));
  return new Set(leases.flatMap((name) => namesOf(join(folder, name))));
}

/** Removes the files of a folder that nobody uses, but those to be kept. */
export function sweepFolder(folder: string, kept: ReadonlySet<string>): void {
  const leased = leasedFiles(folder);
  for (const name of readdirSync(folder)) {
    const isOurs = /^[0-9a-f]{16}\.(duckdb|json|duckdb\.wal)$/.test(name);
    if (!isOurs || kept.has(name) || leased.has(name)) continue;
    rmSync(join(folder, name), { force: true });
  }
}

function namesOf(path: string): readonly string[] {
  try {
    const { pid, host, names } = JSON.parse(readFileSync(path, 'utf8')) as {
      readonly pid: number;
      readonly host: string;
      readonly names: readonly string[];
    };
    if (isHeld(path, pid, host)) return names;
    rmSync(path, { force: true });
    return [];
  } catch {
    return [];
  }
}

// A process of another container cannot be seen from here: only the time tells whether it lives.
function isHeld(path: string, pid: number, host: string): boolean {
  if (host === hostname()) return isAlive(pid);
  return Date.now() - statSync(path).mtimeMs < expiresMs;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
