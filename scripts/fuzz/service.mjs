import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { residentBytes } from '../faults/processes.mjs';
import { waitForAddress } from '../wait-for-address.mjs';

// The service under test.

const token = 'a-token-of-the-fuzzer-0123456789';
/** A service that uses more memory is killed to protect the machine. */
const maxBytes = 3_000_000_000;
const watchIntervalMs = 300;
const queryTimeoutMs = 3_000;
/** The time beyond the query timeout that an answer may take on a busy machine. */
const graceMs = 5_000;

/** @typedef {{ readonly status: number, readonly headers: Headers, readonly text: string }} Answer */

/** Sends one query; undefined if there is no answer in time. @typedef {(parameters: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>) => Promise<Answer | undefined>} Ask */

/**
 * @typedef {object} Service
 * @property {string} url
 * @property {Ask} ask
 * @property {(requestId: string) => Promise<string>} findErrorLine the last line in the log about a failed request, or empty
 * @property {() => Promise<void>} stop
 */

/** Records without an id have the same one in both worlds. */
const idKey = 'the key of both worlds';

/**
 * Starts the built program over a folder of logs, with `temporary` as its temporary folder.
 * @param {{ root: string, port: string, data: string, temporary: string, secret: string, flags?: readonly string[] }} options
 * @returns {Promise<Service>}
 */
export async function startService({ root, port, data, temporary, secret, flags: more = [] }) {
  const { PATH } = process.env;
  const flags = ['--port', port, '--data', data, '--now', '2026-03-10T14:00:00Z', ...more];
  const limits = ['--memory-limit', '1GB', '--query-timeout', `${queryTimeoutMs / 1_000}s`];
  const child = spawn(
    process.execPath,
    [join(root, 'dist/main.js'), 'serve', '--exit-with-parent', ...flags, ...limits],
    {
      env: {
        PATH,
        HOME: temporary,
        TMPDIR: temporary,
        LOG_ENDPOINTS_TOKENS: token,
        LOG_ENDPOINTS_ID_KEY: idKey,
        FUZZ_SECRET: secret,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const watch = setInterval(() => {
    if (residentBytes(child.pid ?? 0) > maxBytes) child.kill('SIGKILL');
  }, watchIntervalMs);
  const exited = once(child, 'exit').finally(() => clearInterval(watch));
  const url = await waitForAddress(child.stdout);
  /** @type {string[]} */
  const errors = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      if (line.includes('"level":50')) errors.push(line);
    });
  }
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = globalThis.setTimeout(() => child.kill('SIGKILL'), 2 * queryTimeoutMs);
    await exited;
    clearTimeout(timer);
  };
  const findErrorLine = async (/** @type {string} */ id) => {
    // The line may arrive after the answer.
    await setTimeout(50);
    return errors.findLast((line) => line.includes(id)) ?? '';
  };
  return { url, ask: askAt(url), findErrorLine, stop };
}

/** @param {string} url @returns {Ask} */
function askAt(url) {
  return async (parameters, headers = {}) => {
    try {
      const response = await fetch(`${url}/api/endpoints/query/logs.all`, {
        method: 'POST',
        headers: { 'x-api-key': token, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(parameters),
        signal: AbortSignal.timeout(queryTimeoutMs + graceMs),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch {
      return undefined;
    }
  };
}

/**
 * Whether a status means that the service failed: not that it was late, or busy.
 * @param {number} status
 */
export function isFailure(status) {
  return status >= 500 && status !== 503 && status !== 504;
}

/**
 * Every file below a folder, with the digest of its content.
 * @param {string} folder
 * @returns {readonly string[]}
 */
export function listFiles(folder) {
  return (
    readdirSync(folder, { recursive: true })
      .map((name) => join(folder, String(name)))
      // The service renews its leases all the time.
      .filter((path) => !path.endsWith('.lease.new'))
      .filter((path) => statSync(path).isFile())
      .map((path) => `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)
      .sort()
  );
}
