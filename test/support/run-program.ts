import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { main } from './paths.js';
import { token } from './start-service.js';

/** Folders of a test: of logs, endpoints, what is kept between starts, and temporary files. */
export interface Folders {
  readonly root: string;
  readonly data: string;
  readonly cache: string;
  readonly temporary: string;
  readonly endpoints: string;
  readonly remove: () => void;
}

/** Endpoints that tell what is stored: every id, how many, and the newest. */
const endpoints: Readonly<Record<string, string>> = {
  ids: 'select id from `logs.db_logs` order by timestamp desc, id desc',
  since: 'select id from `logs.db_logs` where timestamp > @from order by timestamp desc, id desc',
  sums: `select count(*) as records, count(distinct id) as ids, max(cast(substr(id, 2) as int64)) as last
    from \`logs.edge_logs\``,
  newest: 'select id from `logs.edge_logs` order by timestamp desc, id desc limit 50',
  kept: 'select count(*) as records from `logs.db_logs`',
};

const parameters: Readonly<Record<string, string>> = { since: '-- @from: timestamp, required\n' };

export function makeFolders(): Folders {
  const root = mkdtempSync(join(tmpdir(), 'program-test-'));
  const [data = '', cache = '', temporary = '', own = ''] = [
    'data',
    'cache',
    'temporary',
    'own',
  ].map((name) => join(root, name));
  for (const folder of [data, temporary, own]) mkdirSync(folder);
  for (const [place, [name, sql]] of Object.entries(endpoints).entries()) {
    const header = [
      `name: ${name}`,
      `id: 00000000-0000-4000-8000-00000000000${place}`,
      'max-rows: 100000',
      `cache-seconds: ${name === 'kept' ? 900 : 0}`,
      'warm-seconds: 0',
      'sandbox: false',
      'redact-pii: false',
    ];
    const lines = header.map((line) => `-- ${line}\n`).join('');
    writeFileSync(join(own, `${name}.sql`), `${lines}${parameters[name] ?? ''}--\n${sql}\n`);
  }
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  return { root, data, cache, temporary, endpoints: own, remove };
}

/** The options for starting the built program. */
export interface ProgramOptions {
  readonly flags?: readonly string[];
  /** Before it in the shell: `ulimit -f 2000;`. */
  readonly prefix?: string;
  readonly cache?: string;
}

function start(folders: Folders, argv: readonly string[], { prefix = '', cache }: ProgramOptions) {
  const { PATH } = process.env;
  return spawn('sh', ['-c', `${prefix} exec "$0" "$@"`, process.execPath, main, ...argv], {
    env: {
      PATH,
      TMPDIR: folders.temporary,
      LOG_ENDPOINTS_TOKENS: token,
      LOG_ENDPOINTS_CACHE_DIR: cache ?? folders.cache,
      LOG_ENDPOINTS_THREADS: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The result of a run of the program. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built program to its end; `onStart` gets its number. */
export async function runProgram(
  folders: Folders,
  argv: readonly string[],
  options: ProgramOptions = {},
): Promise<Ended> {
  return readAll(start(folders, argv, options));
}

/** Runs a command of a shell, in which `"$0"` is Node. */
export function runShell({ temporary }: Folders, command: string): Promise<Ended> {
  const child = spawn('sh', ['-c', command, process.execPath], {
    env: {
      PATH: process.env['PATH'],
      TMPDIR: temporary,
      LOG_ENDPOINTS_TOKENS: token,
      LOG_ENDPOINTS_NO_DISK_CACHE: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return readAll(child);
}

async function readAll(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

/** A row of one of those endpoints. */
export interface Row {
  readonly id?: string;
  readonly records?: number;
  readonly ids?: number;
  readonly last?: number;
}

export interface Server {
  readonly pid: number;
  output(): string;
  /** The rows of an endpoint. @throws Error with the answer where it is none */
  rows(endpoint: string, parameters?: string): Promise<readonly Row[]>;
  get(path: string): Promise<Response>;
  post(path: string): Promise<Response>;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts the built server on a free port. */
export async function startServer(folders: Folders, options: ProgramOptions = {}): Promise<Server> {
  const argv = ['serve', '--port', '0', '--data', folders.data, '--endpoints', folders.endpoints];
  const child = start(folders, [...argv, ...(options.flags ?? [])], options);
  const ended = once(child, 'exit');
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    ended.then(() => reject(new Error(output)), reject);
  });
  const send = (method: string) => (path: string) =>
    fetch(`${url}${path}`, { method, headers: { 'x-api-key': token } });
  const get = send('GET');
  return {
    pid: child.pid ?? 0,
    output: () => output,
    get,
    post: send('POST'),
    async rows(endpoint, parameters = '') {
      const response = await get(`/api/endpoints/query/${endpoint}?${parameters}`);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${response.status} ${text}`);
      return JSON.parse(text).result;
    },
    async kill(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
    },
  };
}

/** The child processes of a process, by number. */
export function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** Counts the open files of a process, without sockets: idle connections of clients stay open for a while. */
export function openFilesOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  const links = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      // It was closed meanwhile.
      return 'socket:';
    }
  });
  return links.filter((link) => !link.startsWith('socket:')).length;
}

/** The files below a cache folder whose names end so, as paths. */
export function cacheFiles(cache: string, end: string): readonly string[] {
  return readdirSync(cache, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => join(cache, name))
    .sort();
}
