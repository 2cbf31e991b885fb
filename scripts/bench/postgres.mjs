import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, createReadStream, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { killOnExit } from './kill-on-exit.mjs';
import { queries } from './queries.mjs';
import { fetchRows } from './service.mjs';

const run = promisify(execFile);

/** Debian keeps the server's programs here, outside of PATH. */
const debian = '/usr/lib/postgresql';

/** Debian's `nobody`: the server refuses to run as root. */
const nobody = { uid: 65_534, gid: 65_534 };

const settings = {
  listen_addresses: '',
  shared_buffers: '1GB',
  work_mem: '64MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '4GB',
  fsync: 'off',
  autovacuum: 'off',
};

const tables = `
  create unlogged table raw (log jsonb);
  create table edge_logs (project text, timestamp timestamptz, log jsonb);`;

// A quote and a delimiter that never occur, so that each line is one value.
const copyRaw = "copy raw from stdin with (format csv, quote e'\\x01', delimiter e'\\x02')";

const insert = `
  insert into edge_logs select log ->> 'project', (log ->> 'timestamp')::timestamptz, log from raw;
  truncate raw;`;

const finish = `
  drop table raw;
  create index on edge_logs (project, timestamp);
  analyze edge_logs;`;

/** Starts a server with a new database in the scratch folder; undefined if PostgreSQL is not installed. @param {string} scratch */
export async function openPostgres(scratch) {
  const programs = findPrograms();
  if (programs === undefined) return undefined;
  const folder = join(scratch, 'postgres');
  mkdirSync(folder);
  const user = process.getuid?.() === 0 ? nobody : undefined;
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder };
  await run(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C'],
    options,
  );
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  const server = [...flags, `-k '${folder}'`].join(' ');
  const control = join(programs, 'pg_ctl');
  await run(control, ['-D', data, '-w', 'start', '-l', join(folder, 'log'), '-o', server], options);
  const end = () => spawnSync(control, ['-D', data, 'stop', '-m', 'immediate'], options);
  // If this process exits early, stop the server before its folder is removed.
  process.prependOnceListener('exit', end);
  const psql = createPsql(join(programs, 'psql'), folder);
  return {
    /** @param {string} logs */
    load: async (logs) => {
      await psql([tables]);
      for (const file of readdirSync(join(logs, 'edge_logs')).sort()) {
        await psql([copyRaw], join(logs, 'edge_logs', file));
        await psql([insert]);
      }
      await psql([finish]);
    },
    /** Starts the handler that answers with the rows of a query. */
    serve: () => startPeer(folder),
    close: async () => {
      process.off('exit', end);
      end();
      rmSync(folder, { recursive: true });
    },
  };
}

/** @param {string} socket */
async function startPeer(socket) {
  const script = new URL('postgres-server.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  killOnExit(child);
  const [url] = await once(createInterface(child.stdout), 'line');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    /** @param {import('./queries.mjs').Query} query */
    ask: (query) => fetchRows(`${url}/query/${queries.indexOf(query)}`, { agent }),
    stop: async () => {
      agent.destroy();
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** The folder of the server's programs. */
function findPrograms() {
  const { PATH = '' } = process.env;
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const newest = versions.sort((left, right) => Number(right) - Number(left));
  const folders = [
    ...newest.map((version) => join(debian, version, 'bin')),
    ...PATH.split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/** @param {string} program @param {string} socket @returns {(commands: readonly string[], input?: string) => Promise<string>} */
function createPsql(program, socket) {
  const connection = ['-h', socket, '-U', 'bench', '-d', 'postgres'];
  const format = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'];
  return async (commands, input) => {
    const args = [...connection, ...format, ...commands.flatMap((command) => ['-c', command])];
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    if (input === undefined) child.stdin.end();
    else createReadStream(input).pipe(child.stdin);
    const ended = once(child, 'exit');
    let output = '';
    for await (const chunk of child.stdout) output += chunk;
    const [code] = await ended;
    if (code !== 0) throw new Error(`psql ended with code ${code}`);
    return output;
  };
}
