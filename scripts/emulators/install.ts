import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An emulator of BigQuery's REST API. */
export interface Emulator {
  readonly name: EmulatorName;
  readonly version: string;
  /** Its packages, as the folder's name has them: another list is installed anew. */
  readonly folder: string;
  /** The commands that install it into an empty folder. */
  readonly install: (folder: string) => readonly (readonly string[])[];
  /** The command that starts it on that port of the loopback interface. */
  readonly command: (folder: string, port: number) => readonly string[];
}

export type EmulatorName = 'bqemulator' | 'bigquery-local';

const { XDG_CACHE_HOME: cacheHome } = process.env;

/** One folder for all checkouts of a user. */
const cache = join(cacheHome ?? join(homedir(), '.cache'), 'log-endpoints');

export const emulators: readonly Emulator[] = [
  {
    // MIT; SQLGlot translates GoogleSQL for DuckDB.
    name: 'bqemulator',
    version: '1.4.0',
    folder: 'emulator-bqemulator-1.4.0',
    install: (folder) => [
      ['python3', '-m', 'venv', folder],
      [
        join(folder, 'bin/pip'),
        'install',
        '--quiet',
        'bqemulator==1.4.0',
        'duckdb==1.5.6',
        'numpy',
      ],
    ],
    command: (folder, port) => [
      join(folder, 'bin/python'),
      launcher('start-bqemulator.py'),
      ...['start', '--rest-host', '127.0.0.1', '--rest-port', String(port)],
      ...['--grpc-host', '127.0.0.1', '--grpc-port', '0', '--log-level', 'error'],
    ],
  },
  {
    // MIT; its own translation of GoogleSQL for DuckDB. It needs Node 24.
    name: 'bigquery-local',
    version: '0.7.1',
    folder: 'emulator-bigquery-local-0.7.1',
    install(folder) {
      // npm itself runs on this process's Node.
      const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
      const flags = ['--no-save', '--engine-strict=false', ...quiet];
      return [['npm', 'install', ...flags, '--prefix', folder, 'bigquery-local@0.7.1', 'node@24']];
    },
    command: (folder, port) => [
      join(folder, 'node_modules/.bin/node'),
      launcher('start-bigquery-local.mjs'),
      ...[join(folder, 'node_modules'), String(port)],
    ],
  },
];

/**
 * The folder of an emulator, which is installed once; each command may take that long.
 * @throws Error if it cannot be installed
 */
export function installEmulator(
  { name, version, folder, install }: Emulator,
  timeout = 300_000,
): string {
  const own = join(cache, folder);
  const whole = join(own, 'whole');
  if (existsSync(whole)) return own;
  console.log(`installing ${name} ${version} into ${own}`);
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  for (const [program = '', ...flags] of install(own)) {
    execFileSync(program, flags, { stdio: ['ignore', 'inherit', 'inherit'], timeout });
  }
  mkdirSync(whole);
  return own;
}

function launcher(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
