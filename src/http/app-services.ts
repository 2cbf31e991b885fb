import type { AnswerLimits } from '../mcp/session.js';
import type { DescribeEndpoints } from '../run/describe-endpoints.js';
import type { InspectEndpoint } from '../run/inspect-endpoint.js';
import type { ListProjects } from '../run/known-projects.js';
import type { RunEndpoint } from '../run/run-endpoint.js';
import type { FollowTable } from '../run/tail.js';
import type { Authenticate } from './authenticate.js';
import type { DecodeOptions } from './decode-request.js';
import type { EncodeOptions } from './encode-response.js';
import type { Explorer } from './explorer-routes.js';
import type { InFlight } from './in-flight.js';
import type { RequestReporting } from './log-request.js';
import type { SessionCode } from './session-code.js';
import type { TailSlots } from './tail-slots.js';

/** The services and settings that the app depends on. */
export interface AppServices extends DecodeOptions, EncodeOptions, RequestReporting {
  readonly runEndpoint: RunEndpoint;
  readonly inspectEndpoint: InspectEndpoint;
  readonly describeEndpoints: DescribeEndpoints;
  readonly listProjects: ListProjects;
  readonly authenticate: Authenticate;
  readonly inFlight: InFlight;
  /** Whether an engine process can be started. */
  readonly canRun: () => boolean;
  /** Serves the current log files and endpoint files; rejects if one cannot be loaded. */
  readonly reload: () => Promise<void>;
  readonly maxBodyBytes: number;
  /** Whether a failed query is answered with status 200 and only its message. */
  readonly failsWith200?: boolean;
  /** Whether endpoints also answer at the path of a hosted service's management API. */
  readonly hasManagementApi?: boolean;
  /** The tails; by default no table can be followed. */
  readonly tails?: Tails | undefined;
  /** The page for the browser; by default none. */
  readonly explorer?: Explorer;
  /** The code in the printed link to the page; by default none. */
  readonly session?: SessionCode | undefined;
  /** The Model Context Protocol; by default it is off. */
  readonly mcp?: McpOptions;
  /** The origins whose pages may call the service; if empty, no response has CORS headers. */
  readonly corsOrigins: readonly string[];
}

/** The Model Context Protocol over HTTP. */
export interface McpOptions {
  readonly limits: AnswerLimits;
  /** The version of this program. */
  readonly version: string;
}

/** Follows tables, for a bounded number of callers. */
export interface Tails {
  readonly follow: FollowTable;
  readonly slots: TailSlots;
}
