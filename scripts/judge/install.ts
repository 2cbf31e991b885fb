import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The package that carries the reference implementation, about 350 MB: MIT, by Fivetran. */
const name = '@fivetrandevelopers/zetasql';
const version = '1.13.0';

const { XDG_CACHE_HOME: cacheHome } = process.env;

/** The folder of the package: one for all checkouts of a user. */
const folder = join(cacheHome || join(homedir(), '.cache'), `log-endpoints/judge-${version}`);

/**
 * Installs the reference implementation, once, and returns the folder of its `node_modules`.
 * @throws Error if npm cannot install it
 */
export function installReference(): string {
  const modules = join(folder, 'node_modules');
  if (existsSync(join(modules, name))) return modules;
  console.log(`installing ${name}@${version} into ${folder}`);
  mkdirSync(folder, { recursive: true });
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  execFileSync('npm', ['install', ...flags, `${name}@${version}`], { stdio: 'inherit' });
  return modules;
}

/** The server's program for this machine, and the folder of its protocol. */
export function serverFiles(modules: string): {
  readonly program: string;
  readonly protos: string;
} {
  const files = join(modules, name, 'lib/zetasql');
  const machine = process.arch.startsWith('arm') ? '_arm' : '';
  const system = process.platform === 'darwin' ? '' : '.so';
  return {
    program: join(files, `remote_server${machine}${system}`),
    protos: join(files, 'protos'),
  };
}
