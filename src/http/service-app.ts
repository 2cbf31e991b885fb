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
import { createAuthenticate, type KnownToken } from './authenticate.js';
import type { Explorer } from './explorer-routes.js';
import { createInFlight } from './in-flight.js';
import { createMetrics, type MetricsOptions } from './metrics.js';
import type { SessionCode } from './session-code.js';
import { createTailSlots } from './tail-slots.js';

/** An opened service, and the other parts that its app needs. */
export interface AppParts
  extends Pick<MetricsOptions, 'engineStats' | 'compileStats' | 'withProcessMetrics'> {
  /** Whether an engine process can be started. */
  readonly canRun: () => boolean;
  readonly settings: Settings;
  readonly opened: OpenedServices;
  readonly follower: Pick<Follower, 'current' | 'refresh'>;
  readonly log: Logger;
  readonly tokens: readonly KnownToken[];
}

/** The services and settings that the app depends on. */
export type AppServices = ReturnType<typeof createAppServices> & {
  /** The page for the browser; by default none. */
  readonly explorer?: Explorer;
  /** The code in the printed link to the page; by default none. */
  readonly session?: SessionCode | undefined;
};

/** Creates the services of an HTTP app, by the settings. */
export function createAppServices(parts: AppParts) {
  const { settings, opened, follower, tokens } = parts;
  const runEndpoint = createRunEndpoint(opened);
  const slots = createTailSlots();
  const describeEndpoints = createDescribeEndpoints(opened);
  const follow = createFollowTable({ ...opened, describeEndpoints, runEndpoint });
  const now = () => performance.now();
  return {
    runEndpoint,
    /**
     * The tails. Undefined without `--watch`, and with `--shift-to-now`, where each new record would change the time of
     * all others.
     */
    tails: settings.watch && !settings.shiftToNow ? { follow, slots } : undefined,
    inspectEndpoint: createInspectEndpoint(opened),
    describeEndpoints,
    listProjects: createListProjects(opened),
    authenticate: createAuthenticate(tokens, now),
    inFlight: createInFlight(),
    log: parts.log,
    metrics: createMetrics({
      ...parts,
      endpointName: opened.catalog.findName,
      cacheStats: opened.cache.stats,
      openTails: () => slots.open,
      files: () => follower.current().files,
      now,
    }),
    canRun: parts.canRun,
    /** Serves the current log files and endpoint files; rejects if one cannot be loaded. */
    reload: follower.refresh,
    isWatched: settings.watch,
    maxBodyBytes: settings.maxBody,
    /** The Model Context Protocol; undefined if it is off. */
    mcp: settings.mcp === 'on' ? mcpOptions(settings) : undefined,
    /** The origins whose pages may call the service; if empty, no response has CORS headers. */
    corsOrigins: settings.corsOrigin ?? [],
    headerPrefix: settings.headerPrefix,
    /** Whether endpoints also answer at the path of a hosted service's management API. */
    hasManagementApi: settings.managementApi,
    /** Whether a failed query is answered with status 200 and only its message. */
    failsWith200: settings.errorStatus === '200',
    allowNowHeader: settings.allowNowHeader,
    fixedNow: settings.now,
    now: Date.now,
    logQueries: settings.logQueries,
  };
}

/** Returns the options of every MCP session of a service. */
export function mcpOptions({ mcpMaxRows, mcpMaxBytes }: Settings) {
  return { limits: { maxRows: mcpMaxRows, maxBytes: mcpMaxBytes }, version: readVersion() };
}
