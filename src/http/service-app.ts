import type { Logger } from 'pino';
import type { Settings } from '../config/settings.js';
import { readVersion } from '../process/package-paths.js';
import { createDescribeEndpoints } from '../run/describe-endpoints.js';
import { createInspectEndpoint } from '../run/inspect-endpoint.js';
import { createListProjects } from '../run/known-projects.js';
import { createRunEndpoint } from '../run/run-endpoint.js';
import { createFollowTable } from '../run/tail.js';
import type { Follower } from '../start/follow-logs.js';
import type { OpenedServices } from '../start/start-up.js';
import type { AppServices, McpOptions } from './app-services.js';
import { createAuthenticate, type KnownToken } from './authenticate.js';
import { createInFlight, type InFlight } from './in-flight.js';
import { createMetrics, type MetricsOptions } from './metrics.js';
import { createTailSlots } from './tail-slots.js';

/** An opened service, and the other parts that its app needs. */
export interface AppParts
  extends Pick<MetricsOptions, 'engineStats' | 'compileStats' | 'withProcessMetrics'>,
    Pick<AppServices, 'canRun'> {
  readonly settings: Settings;
  readonly opened: OpenedServices;
  readonly follower: Pick<Follower, 'current' | 'refresh'>;
  readonly log: Logger;
  readonly tokens: readonly KnownToken[];
  readonly inFlight?: InFlight;
}

/** Creates the services of an HTTP app, by the settings. */
export function createAppServices(parts: AppParts): AppServices {
  const { settings, opened, follower, tokens, inFlight = createInFlight() } = parts;
  const runEndpoint = createRunEndpoint(opened);
  const slots = createTailSlots();
  const describeEndpoints = createDescribeEndpoints(opened);
  const follow = createFollowTable({ ...opened, describeEndpoints, runEndpoint });
  const now = () => performance.now();
  return {
    runEndpoint,
    // Each new record would change the time of shifted records.
    tails: settings.watch && !settings.shiftToNow ? { follow, slots } : undefined,
    inspectEndpoint: createInspectEndpoint(opened),
    describeEndpoints,
    listProjects: createListProjects(opened),
    authenticate: createAuthenticate(tokens, now),
    inFlight,
    log: parts.log,
    metrics: createMetrics({
      ...parts,
      endpointName: opened.catalog.nameOf,
      cacheStats: opened.cache.stats,
      openTails: () => slots.open,
      files: () => follower.current().files,
      now,
    }),
    canRun: parts.canRun,
    reload: follower.refresh,
    isWatched: settings.watch,
    maxBodyBytes: settings.maxBody,
    ...(settings.mcp === 'on' && { mcp: mcpOptions(settings) }),
    corsOrigins: settings.corsOrigin ?? [],
    headerPrefix: settings.headerPrefix,
    hasManagementApi: settings.managementApi,
    failsWith200: settings.errorStatus === '200',
    allowNowHeader: settings.allowNowHeader,
    fixedNow: settings.now,
    now: Date.now,
    logQueries: settings.logQueries,
  };
}

/** Returns the options of every MCP session of a service. */
export function mcpOptions({ mcpMaxRows, mcpMaxBytes }: Settings): McpOptions {
  return { limits: { maxRows: mcpMaxRows, maxBytes: mcpMaxBytes }, version: readVersion() };
}
