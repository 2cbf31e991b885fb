import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { addressOf } from '../address-of.mjs';
import { residentBytesOf } from '../faults/processes.mjs';

// The service under the fuzzer: started, asked, watched, looked after.

const token = 'a-token-of-the-fuzzer-0123456789';
const mostBytes = 3_000_000_000;
const watchMs = 300;
export const queryTimeoutMs = 3_000;
/** What a machine with other work may need beyond the service's own limit. */
const graceMs = 5_000;

/** @typedef {{ readonly status: number, readonly headers: Headers, readonly text: string }} Answer */

/** undefined: late, or gone. @typedef {(parameters: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>) => Promise<Answer | undefined>} Ask */

/**
 * @typedef {object} Service
 * @property {string} url
 * @property {Ask} ask
 * @property {(requestId: string) => string} whyOf what the log says of a request that failed
 * @property {() => Promise<void>} stop
 */

/**
 * Starts the built command over a folder of logs; its temporary files go to `temporary`.
 * @param {{ root: string, port: string, data: string, temporary: string, secret: string, flags?: readonly string[] }} options
 * @returns {Promise<Service>}
 */
export async function startService({ root, port, data, temporary, secret, flags: more = [] }) {
  const { PATH } = process.env;
  const flags = ['--port', port, '--data', data, '--now', '2026-03-10T14:00:00Z', ...more];
  const limits = ['--memory-limit', '1GB', '--query-timeout', `${queryTimeoutMs / 1_000}s`];
  const child = spawn(
    process.execPath,
    [join(root, 'dist/main.js'), 'serve', ...flags, ...limits],
    {
      env: {
        PATH,
        HOME: temporary,
        TMPDIR: temporary,
        LOG_ENDPOINTS_TOKENS: token,
        FUZZ_SECRET: secret,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const watch = setInterval(() => {
    if (residentBytesOf(child.pid ?? 0) > mostBytes) child.kill('SIGKILL');
  }, watchMs);
  const ended = once(child, 'exit').finally(() => clearInterval(watch));
  const url = await addressOf(child.stdout);
  /** @type {string[]} */
  const errors = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      if (line.includes('"level":50')) errors.push(line);
    });
  }
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 2 * queryTimeoutMs);
    await ended;
    clearTimeout(timer);
  };
  const whyOf = (/** @type {string} */ id) => errors.find((line) => line.includes(id)) ?? '';
  return { url, ask: askAt(url), whyOf, stop };
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
 * Every file below a folder, with the digest of what is in it.
 * @param {string} folder
 * @returns {readonly string[]}
 */
export function listing(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)
    .sort();
}
