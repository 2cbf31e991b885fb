import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterferenceOracle, requestId } from '../worlds/interference.mjs';
import { project, writeWorld } from '../worlds/world.mjs';
import { isFailure, startService } from './service.mjs';

/** @typedef {import('../worlds/world.mjs').Layout} Layout */
/** @typedef {import('../worlds/interference.mjs').Totals} Totals */

/**
 * Two running services whose logs differ only in other projects' records.
 * @typedef {object} Worlds
 * @property {(parameters: Readonly<Record<string, string>>, redact: boolean) => Promise<string | undefined>} compare
 * the answers, if they differ; otherwise undefined
 * @property {Totals} totals
 * @property {() => boolean} isBlind whether too few answers could be compared
 * @property {() => Promise<void>} stop
 */

/**
 * Writes the worlds and starts their services. Engines have one thread, so that queries without ORDER BY
 * return rows in a deterministic order.
 * @param {{ root: string, seed: number, layout: Layout, onFailure: (line: string, request: unknown) => void }} options
 * `onFailure` gets the line in the log about each request that ended in status 500
 * @returns {Promise<Worlds>}
 */
export async function startWorlds({ root, seed, layout, onFailure }) {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-worlds-'));
  const declarations = join(root, 'sql/sources');
  const flags = ['--threads', '1', '--max-concurrent-queries', '2', '--no-disk-cache'];
  const services = await Promise.all(
    /** @type {const} */ (['one', 'two']).map((name) => {
      const data = join(folder, name);
      writeWorld(data, name, { declarations, seed, layout });
      return startService({ root, port: '0', data, temporary: folder, secret: '', flags });
    }),
  );
  const oracle = createInterferenceOracle(
    services.map(({ ask, findErrorLine }) => async ({ parameters, redact }) => {
      const answer = await ask(parameters, requestHeaders(redact));
      if (isFailure(answer?.status ?? 0)) onFailure(await findErrorLine(requestId), parameters);
      return answer;
    }),
  );
  const stop = async () => {
    await Promise.all(services.map((service) => service.stop()));
    rmSync(folder, { recursive: true });
  };
  /** @type {Worlds['compare']} */
  const compare = async (parameters, redact) => {
    const request = { endpoint: 'logs.all', parameters: { project, ...parameters }, redact };
    const finding = await oracle.check(request);
    return finding?.answers.map(shorten).join('\n  ');
  };
  return { compare, totals: oracle.totals, isBlind: oracle.isBlind, stop };
}

/** @param {boolean | undefined} redact */
function requestHeaders(redact) {
  return {
    'x-request-id': requestId,
    ...(redact === true ? { 'svc-endpoint-redact-pii': 'true' } : {}),
  };
}

/** @param {string} answer */
function shorten(answer) {
  return answer.replaceAll('\n', ' | ').slice(0, 900);
}
