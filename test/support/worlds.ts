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
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import type { Engine } from '../../src/engine/engine.js';
import { createApp } from '../../src/http/app.js';
import { createAuthenticate } from '../../src/http/authenticate.js';
import { createInFlight } from '../../src/http/in-flight.js';
import { createMetrics } from '../../src/http/metrics.js';
import type { AppServices } from '../../src/http/service-app.js';
import { createDescribeEndpoints } from '../../src/run/describe-endpoints.js';
import { createInspectEndpoint } from '../../src/run/inspect-endpoint.js';
import { createListProjects } from '../../src/run/known-projects.js';
import { createRunEndpoint, type Services } from '../../src/run/run-endpoint.js';
import { createServing, type ServedData } from '../../src/run/serving.js';
import { type EngineOptions, type OpenedServices, openServices } from '../../src/start/start-up.js';
import { idKey } from './load-logs.js';
import { root } from './paths.js';

/** One world, loaded and opened in this process. */
export interface OpenWorld {
  readonly name: WorldName;
  readonly opened: OpenedServices<Engine>;
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
  const opened = await openServed(name, flags);
  // The loaded records are stored elsewhere.
  rmSync(folder, { recursive: true });
  return opened;
}

type OpenEngine = (options: EngineOptions) => Promise<Engine>;

/** Opens what `serve` would open with these flags, in this process; the engine, too, unless `engineFor` opens another. */
export async function openServed(
  name: WorldName,
  flags: readonly string[],
  engineFor: (settings: Settings) => OpenEngine = () => openDuckDbEngine,
): Promise<OpenWorld> {
  const command = readCommand(['serve', ...flags], { LOG_ENDPOINTS_ID_KEY: idKey });
  if (command.verb !== 'serve') throw new Error('not the verb');
  const { settings } = command;
  const opened = await openServices<Engine>(settings, engineFor(settings));
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
  const { services } = serveWorld({ opened }, compiler);
  const app = openFrontDoor(services, settings);
  return async ({ endpoint, parameters, redact = false }) => {
    const response = await app.request(`/api/endpoints/query/${endpoint}`, {
      method: 'POST',
      headers: { ...tokenHeaders(redact), 'content-type': 'application/json' },
      body: JSON.stringify(parameters),
    });
    const { status, headers } = response;
    return { status, headers, text: await response.text() };
  };
}

/** The headers of every request. */
export function tokenHeaders(redact: boolean): Readonly<Record<string, string>> {
  return {
    'x-api-key': token,
    'x-request-id': requestId,
    ...(redact ? { 'svc-endpoint-redact-pii': 'true' } : {}),
  };
}

/** The services over a world's data, and the data, whose engine stays open when they are no longer served. */
export function serveWorld(
  { opened }: Pick<OpenWorld, 'opened'>,
  compiler: Compiler = opened.compiler,
) {
  const data: ServedData = {
    compiler,
    compile: compileHere(compiler),
    engine: { ...opened.engine, close: async () => {} },
    sources: opened.logs.sources,
    version: opened.serving.version,
  };
  const services: Services = { ...opened, serving: createServing(data), cache: emptyCache() };
  return { data, services };
}

/** A cache that nobody else has asked. */
function emptyCache(): ResultCache {
  return createCache({
    maxKeptBytes: 0,
    maxBytes: 1_000_000,
    now: () => 0,
    dataVersion: () => '1',
    spare: () => 0,
    schedule: () => () => {},
    onRenewalFailure: () => {},
  });
}

/** The app over the services of a world. */
export function openFrontDoor(
  services: Services,
  { now, maxBody, headerPrefix }: Settings,
  tails?: AppServices['tails'],
) {
  return createApp({
    tails,
    ...{ mcp: undefined, failsWith200: false, hasManagementApi: false },
    runEndpoint: createRunEndpoint(services),
    inspectEndpoint: createInspectEndpoint(services),
    describeEndpoints: createDescribeEndpoints(services),
    listProjects: createListProjects(services),
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
      now: () => 0,
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
