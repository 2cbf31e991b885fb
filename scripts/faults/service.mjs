import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { waitForAddress } from '../wait-for-address.mjs';
import { engineProcesses, isEngine, residentBytes } from './processes.mjs';

// The service under test.

/** A service that uses more memory has failed the test, and is killed to protect the machine. */
const maxBytes = 3_000_000_000;
const watchIntervalMs = 200;

/** One token for each caller: the service's queue is fair between callers. */
export const tokens = {
  cheap: 'token-of-cheap-caller-0123456789',
  expensive: 'token-of-expensive-caller-012345',
  hostile: 'token-of-hostile-caller-01234567',
  aborting: 'token-of-aborting-caller-0123456',
};

const { PATH } = process.env;

const narrowLimits = [
  ...['--query-timeout', '1500ms', '--memory-limit', '500MB', '--threads', '2'],
  ...['--max-concurrent-queries', '4', '--max-queued-queries', '8', '--max-body', '200KB'],
];

/**
 * The log files, and further flags.
 * @typedef {{ readonly data: string, readonly flags: readonly string[] }} Options
 */

/**
 * Starts the built program with a temporary folder of its own; by default over the fixtures, with narrow limits.
 * @param {string} root
 * @param {Options} [options]
 */
export async function startService(
  root,
  options = { data: join(root, 'fixtures'), flags: narrowLimits },
) {
  const temporary = mkdtempSync(join(tmpdir(), 'faults-log-endpoints-'));
  const child = start(root, temporary, options);
  process.on('exit', () => {
    child.kill('SIGKILL');
    rmSync(temporary, { recursive: true, force: true });
  });
  const watched = watch(child);
  const exited = once(child, 'exit').finally(watched.end);
  const { errors, warnings } = readProblems(child.stderr);
  return {
    url: await waitForAddress(child.stdout),
    pid: child.pid ?? 0,
    /** Lines of stderr above the level of warnings, and those of that level. */
    errors,
    warnings,
    maxMegabytes: watched.maxMegabytes,
    /** Stops the service; returns its exit code and what it has left behind. */
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      const [code, signal] = await exited;
      clearTimeout(timer);
      // Give engine processes a moment to notice that their parent has exited.
      await new Promise((resolve) => setTimeout(resolve, 500));
      const left = { files: readdirSync(temporary), processes: watched.seen().filter(isEngine) };
      return { code: code ?? signal, ...left };
    },
  };
}

/**
 * @param {string} root
 * @param {string} temporary
 * @param {Options} options
 */
function start(root, temporary, { data, flags }) {
  const logs = ['--data', data, '--now', '2026-03-10T12:00:00Z'];
  const program = join(root, 'dist/main.js');
  return spawn(
    process.execPath,
    [program, 'serve', '--port', '0', '--exit-with-parent', '--no-disk-cache', ...logs, ...flags],
    {
      env: {
        PATH,
        HOME: temporary,
        TMPDIR: temporary,
        LOG_ENDPOINTS_TOKENS: Object.values(tokens).join(','),
        // A restarted service makes the same ids.
        LOG_ENDPOINTS_ID_KEY: 'a-key-for-the-ids-of-faults',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}

/**
 * Records every engine process and the peak memory of all processes together.
 * @param {import('node:child_process').ChildProcess} child
 */
function watch(child) {
  const { pid = 0 } = child;
  /** @type {Set<number>} */
  const seen = new Set();
  let peakBytes = 0;
  const timer = setInterval(() => {
    const engines = engineProcesses(pid);
    for (const engine of engines) seen.add(engine);
    const bytes = [pid, ...engines].reduce((sum, each) => sum + residentBytes(each), 0);
    peakBytes = Math.max(peakBytes, bytes);
    if (bytes > maxBytes) child.kill('SIGKILL');
  }, watchIntervalMs);
  return {
    seen: () => [...seen],
    maxMegabytes: () => Math.round(peakBytes / 1e6),
    end: () => clearInterval(timer),
  };
}

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/** @param {import('node:stream').Readable} input */
function readProblems(input) {
  /** @type {string[]} */
  const errors = [];
  /** @type {string[]} */
  const warnings = [];
  createInterface({ input }).on('line', (line) => {
    if (line.startsWith('{"level":40')) warnings.push(line);
    else if (!line.startsWith('{"level":30')) errors.push(line);
  });
  return { errors, warnings };
}
