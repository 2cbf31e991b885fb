import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { addressOf } from '../address-of.mjs';
import { childrenOf, isEngine, residentBytesOf } from './processes.mjs';

// The service under the fault test.

/** Above this much memory the service is ended: it has failed the test, and the machine must not. */
const mostBytes = 3_000_000_000;
const watchMs = 200;

/** Each is another caller, who takes turns with the others. */
export const tokens = {
  cheap: 'a-token-of-the-cheap-0123456789',
  dear: 'a-token-of-the-dear-01234567890',
  hostile: 'a-token-of-the-hostile-01234567',
  leaving: 'a-token-of-the-leaving-01234567',
};

const { PATH } = process.env;

const limits = [
  ...['--query-timeout', '1500ms', '--memory-limit', '500MB', '--threads', '2'],
  ...['--max-concurrent-queries', '4', '--max-queued-queries', '8', '--max-body', '200KB'],
];

/**
 * Starts the built command over the fixtures; its temporary files go to a folder of its own.
 * @param {string} root
 */
export async function startService(root) {
  const temporary = mkdtempSync(join(tmpdir(), 'faults-log-endpoints-'));
  const child = start(root, temporary);
  process.on('exit', () => {
    child.kill('SIGKILL');
    rmSync(temporary, { recursive: true, force: true });
  });
  const watched = watch(child);
  const ended = once(child, 'exit').finally(watched.end);
  const errors = readErrors(child.stderr);
  return {
    url: await addressOf(child.stdout),
    pid: child.pid ?? 0,
    /** Lines of the log that tell of failures. */
    errors,
    mostMegabytes: watched.mostMegabytes,
    /** Ends it and tells what it left. */
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      const [code, signal] = await ended;
      clearTimeout(timer);
      // A process that has lost its parent ends at once, but not in the same instant.
      await new Promise((resolve) => setTimeout(resolve, 500));
      const left = { files: readdirSync(temporary), processes: watched.seen().filter(isEngine) };
      return { code: code ?? signal, ...left };
    },
  };
}

/**
 * @param {string} root
 * @param {string} temporary
 */
function start(root, temporary) {
  const logs = ['--data', join(root, 'fixtures'), '--now', '2026-03-10T12:00:00Z'];
  const program = join(root, 'dist/main.js');
  return spawn(
    process.execPath,
    [program, 'serve', '--port', '0', '--no-disk-cache', ...logs, ...limits],
    {
      env: {
        PATH,
        HOME: temporary,
        TMPDIR: temporary,
        LOG_ENDPOINTS_TOKENS: Object.values(tokens).join(','),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}

/**
 * Notes every engine process, and the most memory of all.
 * @param {import('node:child_process').ChildProcess} child
 */
function watch(child) {
  const { pid = 0 } = child;
  /** @type {Set<number>} */
  const seen = new Set();
  let most = 0;
  const timer = setInterval(() => {
    const engines = childrenOf(pid);
    for (const one of engines) seen.add(one);
    const bytes = [pid, ...engines].reduce((sum, one) => sum + residentBytesOf(one), 0);
    most = Math.max(most, bytes);
    if (bytes > mostBytes) child.kill('SIGKILL');
  }, watchMs);
  return {
    seen: () => [...seen],
    mostMegabytes: () => Math.round(most / 1e6),
    end: () => clearInterval(timer),
  };
}

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/**
 * @param {import('node:stream').Readable} input
 * @returns {readonly string[]}
 */
function readErrors(input) {
  /** @type {string[]} */
  const errors = [];
  createInterface({ input }).on('line', (line) => {
    const isOrdinary = line.startsWith('{"level":30') || line.startsWith('{"level":40');
    if (!isOrdinary) errors.push(line);
  });
  return errors;
}
