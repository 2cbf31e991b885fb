import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { requestId, type World } from '../../scripts/worlds/interference.mjs';
import { type Layout, type WorldName, writeWorld } from '../../scripts/worlds/world.mjs';
import { createCache, type ResultCache } from '../../src/cache/cache.js';
import type { Compiler } from '../../src/compiler/compile.js';
import { compileHere } from '../../src/compiler/compile-sandbox.js';
import { readCommand } from '../../src/config/config.js';
import type { Settings } from '../../src/config/settings.js';
import { digestToken } from '../../src/config/tokens.js';
import { unbound } from '../../src/endpoint/scope.js';
import { type DuckDbEngine, openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { createApp } from '../../src/http/app.js';
import { createAuthenticate } from '../../src/http/authenticate.js';
import { createInFlight } from '../../src/http/in-flight.js';
import { createMetrics } from '../../src/http/metrics.js';
import { createDescribeEndpoints } from '../../src/service/describe-endpoints.js';
import { createInspectEndpoint } from '../../src/service/inspect-endpoint.js';
import { createRunEndpoint, type Services } from '../../src/service/run-endpoint.js';
import { createServing } from '../../src/service/serving.js';
import { type OpenedServices, openServices } from '../../src/service/start-up.js';
import { root } from './paths.js';

/** One world, loaded and opened in this process. */
export interface OpenWorld {
  readonly name: WorldName;
  readonly opened: OpenedServices<DuckDbEngine>;
  readonly settings: Settings;
  close(): Promise<void>;
}

const token = 'a-token-of-the-worlds-0123456789';
const now = '2026-03-10T14:00:00Z';

/** Writes and opens a world. Its engine has one thread: rows come in the same order each time. */
export async function openWorld(
  name: WorldName,
  { layout = 'structs' }: { readonly layout?: Layout } = {},
): Promise<OpenWorld> {
  const folder = mkdtempSync(join(tmpdir(), `log-endpoints-world-${name}-`));
  writeWorld(folder, name, { declarations: join(root, 'sql/sources'), layout });
  const limits = ['--threads', '1', '--memory-limit', '1GB', '--query-timeout', '20s'];
  const flags = ['--data', folder, '--now', now, '--no-disk-cache', ...limits];
  const command = readCommand(['serve', ...flags], {});
  if (command.verb !== 'serve') throw new Error('not the verb');
  const opened = await openServices(command.settings, openDuckDbEngine);
  // What was loaded lies elsewhere.
  rmSync(folder, { recursive: true });
  const { settings } = command;
  const close = async () => {
    await opened.engine.close();
    opened.logs.release();
  };
  return { name, opened, settings, close };
}

/** Asks an open world over HTTP, as far as that goes without a socket; `compiler` replaces its own. */
export function askWorld(
  { opened, settings }: OpenWorld,
  compiler: Compiler = opened.compiler,
): World {
  const { engine, serving } = opened;
  const compileSandbox = compileHere(compiler);
  const { sources } = opened.logs;
  const { version } = serving;
  const own = createServing({ compiler, compileSandbox, engine, sources, version });
  const app = openFrontDoor({ ...opened, serving: own, cache: emptyCache() }, settings);
  return async ({ endpoint, parameters, redact = false }) => {
    const response = await app.request(`/api/endpoints/query/${endpoint}`, {
      method: 'POST',
      headers: {
        'x-api-key': token,
        'content-type': 'application/json',
        'x-request-id': requestId,
        ...(redact ? { 'svc-endpoint-redact-pii': 'true' } : {}),
      },
      body: JSON.stringify(parameters),
    });
    const { status, headers } = response;
    return { status, headers, text: await response.text() };
  };
}

/** A cache that nobody else has asked. */
function emptyCache(): ResultCache {
  return createCache({
    maxBytes: 1_000_000,
    now: () => 0,
    dataVersion: () => '1',
    spare: () => 0,
    schedule: () => () => {},
    onRenewalFailure: () => {},
  });
}

function openFrontDoor(services: Services, { now, maxBody, headerPrefix }: Settings) {
  return createApp({
    runEndpoint: createRunEndpoint(services),
    inspectEndpoint: createInspectEndpoint(services),
    describeEndpoints: createDescribeEndpoints(services),
    authenticate: createAuthenticate([{ digest: digestToken(token), scope: unbound }], () =>
      performance.now(),
    ),
    inFlight: createInFlight(),
    log: pino({ level: 'silent' }),
    metrics: createMetrics({
      endpointName: () => undefined,
      engineStats: () => ({ running: 0, waiting: 0, processes: 1, restarts: 0 }),
      compileStats: () => ({ running: 0, waiting: 0, restarts: 0 }),
      cacheStats: services.cache.stats,
      openTails: () => 0,
      files: () => [],
      withProcessMetrics: false,
    }),
    canRun: () => true,
    maxBodyBytes: maxBody,
    corsOrigins: [],
    headerPrefix,
    allowNowHeader: false,
    fixedNow: now,
    now: Date.now,
    reload: async () => {},
    isWatched: false,
    logQueries: false,
  });
}
