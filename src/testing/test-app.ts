import type { Logger } from 'pino';
import { readVersion } from '../common/package-paths.js';
import type { Settings } from '../config/settings.js';
import { createApp } from '../http/app.js';
import { createAuthenticate, type KnownToken } from '../http/authenticate.js';
import { createInFlight } from '../http/in-flight.js';
import type { McpOptions } from '../http/mcp-route.js';
import { createMetrics } from '../http/metrics.js';
import { createTailSlots } from '../http/tail-slots.js';
import { createDescribeEndpoints } from '../service/describe-endpoints.js';
import type { Follower } from '../service/follow-logs.js';
import { createInspectEndpoint } from '../service/inspect-endpoint.js';
import { createRunEndpoint } from '../service/run-endpoint.js';
import type { OpenedServices } from '../service/start-up.js';
import { createFollowTable } from '../service/tail.js';
import type { Clock } from './clock.js';

/** What the app consists of. */
export interface AppParts {
  readonly settings: Settings;
  readonly opened: OpenedServices;
  readonly follower: Follower;
  readonly log: Logger;
  readonly clock: Pick<Clock, 'now'>;
  readonly tokens: readonly KnownToken[];
}

/** Creates the HTTP app of a service for tests, whose clock may be set at any time. */
export function createTestApp({
  settings,
  opened,
  follower,
  log,
  clock,
  tokens,
}: AppParts): ReturnType<typeof createApp> {
  const noStats = () => ({ waiting: 0, running: 0, restarts: 0 });
  const runEndpoint = createRunEndpoint(opened);
  const describeEndpoints = createDescribeEndpoints(opened);
  const slots = createTailSlots();
  return createApp({
    runEndpoint,
    tails: { follow: createFollowTable({ ...opened, describeEndpoints, runEndpoint }), slots },
    inspectEndpoint: createInspectEndpoint(opened),
    describeEndpoints,
    authenticate: createAuthenticate(tokens, () => performance.now()),
    inFlight: createInFlight(),
    log,
    metrics: createMetrics({
      endpointName: opened.catalog.nameOf,
      engineStats: noStats,
      compileStats: noStats,
      cacheStats: opened.cache.stats,
      openTails: () => slots.open,
      files: () => follower.current().files,
      withProcessMetrics: false,
      now: () => performance.now(),
    }),
    canRun: () => true,
    ...(settings.mcp === 'on' && { mcp: mcpOptions(settings) }),
    reload: follower.refresh,
    isWatched: true,
    maxBodyBytes: settings.maxBody,
    corsOrigins: [],
    headerPrefix: settings.headerPrefix,
    failsWith200: settings.errorStatus === '200',
    allowNowHeader: true,
    // Always set, so that rows of another instant are never reused.
    get fixedNow() {
      return clock.now();
    },
    now: Date.now,
    logQueries: true,
  });
}

function mcpOptions({ mcpMaxRows, mcpMaxBytes }: Settings): McpOptions {
  return { limits: { maxRows: mcpMaxRows, maxBytes: mcpMaxBytes }, version: readVersion() };
}
