import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A program that others wrote. It has a folder of its own, and is never a dependency. */
export interface Tool {
  readonly name: string;
  readonly version: string;
  /** Its packages, as the folder's name has them: another list is installed anew. */
  readonly folder: string;
  /** The commands that install it into an empty folder. */
  readonly install: (folder: string) => readonly (readonly string[])[];
  /** The time that each command may take; by default five minutes. */
  readonly installMinutes?: number;
}

const { XDG_CACHE_HOME: cacheHome } = process.env;

/** One folder for all checkouts of a user. */
const cache = join(cacheHome || join(homedir(), '.cache'), 'log-endpoints');

/**
 * The folder of a tool, which is installed once. Each command may take `timeout` milliseconds, by default as long as the
 * tool says.
 * @throws Error if it cannot be installed
 */
export async function installTool(
  { name, version, folder, install, installMinutes = 5 }: Tool,
  timeout = installMinutes * 60_000,
): Promise<string> {
  const own = join(cache, folder);
  const whole = join(own, 'whole');
  if (existsSync(whole)) return own;
  console.log(`installing ${name} ${version} into ${own}`);
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  for (const command of install(own)) await run(command, timeout);
  mkdirSync(whole);
  return own;
}

async function run([program = '', ...flags]: readonly string[], timeout: number): Promise<void> {
  const child = spawn(program, flags, { stdio: ['ignore', 'inherit', 'pipe'], timeout });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk}`.slice(-1000);
  });
  const [code] = await once(child, 'close');
  if (code !== 0)
    throw new Error(
      `${program} ${flags.join(' ')}: ${errors.trim() || (code ?? `took longer than ${timeout / 1000} s`)}`,
    );
}

/** A virtual environment of Python with these packages. Without a network, pip gives up at once. */
export function pipInstall(folder: string, ...packages: readonly string[]) {
  const flags = ['--quiet', '--disable-pip-version-check', '--retries', '1', '--timeout', '15'];
  return [
    ['python3', '-m', 'venv', folder],
    [join(folder, 'bin/pip'), 'install', ...flags, ...packages],
  ];
}

/** A folder of `node_modules` with these packages. Without a network, npm gives up at once. */
export function npmInstall(folder: string, ...packages: readonly string[]) {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const patience = ['--fetch-retries=1', '--fetch-timeout=60000', '--fetch-retry-mintimeout=1000'];
  // npm itself runs on this process's Node, and some packages need another one.
  const flags = ['--no-save', '--engine-strict=false', ...quiet, ...patience];
  return [['npm', 'install', ...flags, '--prefix', folder, ...packages]];
}

/** A program of a Go module, built into a folder; clang compiles its C and C++. */
export function goBuild(folder: string, module: string, version: string, program: string) {
  const go = ['go', '-C', folder];
  const compilers = ['CC=clang', 'CXX=clang++', 'CGO_CFLAGS=-O1 -g0 -w', 'CGO_CXXFLAGS=-O1 -g0 -w'];
  return [
    [...go, 'mod', 'init', 'tool'],
    [...go, 'mod', 'edit', `-require=${module}@v${version}`],
    ['env', ...compilers, ...go, 'build', '-mod=mod', '-o', folder, `${module}/${program}`],
  ];
}
