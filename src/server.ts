import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Companion } from './cli/demo.js';
import {
  curlLine,
  type ExampleRequest,
  exampleRequest,
  explorerLink,
  sourceRequest,
} from './cli/example.js';
import { printAside, printOutput } from './cli/output.js';
import { untilOrphaned, untilSignal } from './cli/signals.js';
import type { CompilerTarget } from './compiler/compile.js';
import { createCompilePool } from './compiler/pool/pool.js';
import type { Tokens } from './config/config.js';
import { ownPresets } from './config/preset.js';
import type { Settings } from './config/settings.js';
import { checkEndpoints } from './config/tokens.js';
import { createScope } from './endpoint/scope.js';
import { printTimestamp } from './endpoint/timestamp.js';
import type { EnginePool } from './engine/pool/pool.js';
import { createApp } from './http/app.js';
import { openExplorer } from './http/explorer-routes.js';
import { failureLine, failureReason } from './http/failure-line.js';
import { listen } from './http/listen.js';
import { logRequest } from './http/log-request.js';
import { isLoopback } from './http/loopback.js';
import { createAppServices, mcpOptions } from './http/service-app.js';
import { createSessionCode } from './http/session-code.js';
import { callStatus, type Session } from './mcp/session.js';
import { readVersion } from './process/package-paths.js';
import { createDescribeEndpoints } from './run/describe-endpoints.js';
import { createInspectEndpoint } from './run/inspect-endpoint.js';
import { createRunEndpoint } from './run/run-endpoint.js';
import { createRefreshEndpoints } from './start/follow-endpoints.js';
import { createFollower } from './start/follow-logs.js';
import { createCheckPreset } from './start/follow-preset.js';
import { inputLines } from './start/input-lines.js';
import type { LoadedLogs, Logs } from './start/logs.js';
import { endpointFolders, openServices } from './start/start-up.js';

/** The parts that `main.ts` has started before the server. */
export interface EarlyParts {
  readonly settings: Settings;
  readonly log: Logger;
  /** Logs a warning about the log files. */
  readonly onWarning: (line: string) => void;
  /** The number of callers that share the engine. */
  readonly callers: number;
  readonly pool: EnginePool;
  /** Waits for the logs. @throws SetupError */
  readonly openLogs: (settings: Settings) => Promise<Logs>;
  readonly target: CompilerTarget | undefined;
}

/** All parts of the server. */
type Parts = Opened & ReturnType<typeof openPage> & { readonly tokens: Tokens };

/** Opens everything, serves until a signal arrives, then drains. */
export async function serve(
  early: EarlyParts,
  tokens: Tokens,
  companion?: Companion,
): Promise<number> {
  const { settings, log } = early;
  const shared = await open(early);
  const names = shared.opened.catalog.endpoints.map(({ name }) => name);
  checkEndpoints(tokens.known, names);
  const parts = { ...shared, tokens, ...openPage(settings, tokens) };
  const services = createServices(parts);
  const server = await listen(createApp(services).fetch, settings);
  // Before the address is printed: from then on a signal must not cut a request.
  const stopped = Promise.race([
    untilSignal(),
    ...(settings.exitWithParent ? [untilOrphaned()] : []),
  ]);
  await announce(server.url, parts);
  // The example runs a query; a signal does not wait for it.
  if (!settings.quiet) await Promise.race([announceExample(server.url, parts, companion), stopped]);
  follow(parts);
  const stop = companion?.start((error) => log.warn({ err: String(error) }, 'demo'));
  await stopped;
  stop?.();
  log.info('draining');
  // Drain first: the follower of the files may be in the middle of a load.
  const drained = services.inFlight.drain();
  // Running queries finish while the port still answers `/ready` with 503.
  await close(parts, async () => {
    await Promise.race([drained, sleep(settings.queryTimeout)]);
    await server.close(2000);
  });
  return 0;
}

/** Opens everything and answers a language model over standard input and output, until the input ends. */
export async function mcp(early: EarlyParts): Promise<number> {
  const parts = await open(early);
  const session = createSession(parts);
  follow(parts);
  const { answerOverStdio } = await import('./mcp/stdio.js');
  await Promise.race([answerOverStdio(session), untilSignal()]);
  await close(parts);
  return 0;
}

type Opened = Awaited<ReturnType<typeof open>>;

/**
 * Compiles the endpoints, opens the first engine as soon as the logs are loaded, and prepares to follow the files.
 * Endpoints are refreshed after the logs, because they may read columns that only the newest logs have.
 */
async function open({ callers, openLogs, target, ...early }: EarlyParts) {
  const { settings, log, onWarning, pool } = early;
  const { compileTimeout: timeoutMs, maxQueuedQueries, preset } = settings;
  const compilePool = createCompilePool({ timeoutMs, maxQueuedQueries, callers });
  const opened = await openServices(settings, pool.open, {
    spare: () => pool.state().spare,
    openLogs,
    target,
    openCompile: compilePool.open,
    onWarning,
    onEmpty: settings.quiet ? onWarning : printAside,
    onRenewalFailure: (endpoint, error) =>
      log.warn({ endpoint, ...failureReason(error), err: failureLine(error) }, 'renewal'),
  });
  const { logs: first, allLogs: logs } = opened;
  const folders = (declared: LoadedLogs['declared']) => endpointFolders(settings, declared);
  const refreshEndpoints = createRefreshEndpoints({ ...opened, folders, log }, first.declared);
  const checkPreset = createCheckPreset(preset, log);
  const onLoaded = ({ declared }: LoadedLogs) => {
    checkPreset();
    return refreshEndpoints(declared);
  };
  const follower = createFollower({ ...opened, first, logs, log, onLoaded });
  return { ...early, compilePool, opened, follower };
}

/** Follows the files if the settings say so, and checks the stored ones. */
function follow({ follower, settings }: Opened): void {
  const { data, sources, preset, paths = [], piped } = settings;
  const folders = endpointFolders(settings, []).filter((folder) => typeof folder === 'string');
  // Standard input is kept in a file in a folder of its own.
  const named = paths.map((path) => (path === '-' ? dirname(piped ?? '') : path));
  const own = [data, sources, ...named].filter((path) => path !== undefined);
  if (settings.watch) follower.watch(...own, ...ownPresets(preset), ...folders);
  void follower.verify();
}

/** Closes everything; `finish` waits for running queries and closes the server. */
async function close({ follower, opened, compilePool }: Opened, finish = async () => {}) {
  await follower.close();
  opened.cache.close();
  await finish();
  await Promise.all([opened.serving.close(), compilePool.close()]);
}

/** @throws ServiceError for an endpoint that does not exist */
function createSession({ settings, opened, log }: Opened): Session {
  const { now, project, endpoint: names, redactPii, logQueries } = settings;
  for (const name of names ?? []) opened.catalog.find(name);
  const scope = createScope({
    ...(project !== undefined && { project }),
    ...(names !== undefined && { endpoints: new Set(names) }),
  });
  const clock = () => ({ now: now ?? printTimestamp(Date.now()), fixed: now !== undefined });
  return {
    runEndpoint: createRunEndpoint(opened),
    inspectEndpoint: createInspectEndpoint(opened),
    describeEndpoints: createDescribeEndpoints(opened),
    ...mcpOptions(settings),
    terms: () => ({ caller: '0', scope, redact: redactPii, clock: clock() }),
    onCall: (report) => {
      const status = callStatus(report);
      const request = { ...report, requestId: randomUUID(), method: 'MCP', status };
      logRequest({ log, logQueries }, request);
    },
  };
}

function createServices(parts: Parts) {
  const { pool, compilePool, tokens, explorer, session } = parts;
  const services = createAppServices({
    ...parts,
    tokens: tokens.known,
    engineStats: pool.state,
    compileStats: compilePool.state,
    withProcessMetrics: true,
    canRun: () => pool.state().canStart,
  });
  return { ...services, explorer, session };
}

/**
 * Opens the explorer. It has a session code only if the token was generated in this run, and only on a loopback host.
 */
function openPage({ explorer: setting, host }: Settings, { made }: Tokens) {
  const isOwn = isLoopback(host);
  const explorer = openExplorer(setting ?? (isOwn ? 'on' : 'off'));
  const hasCode = isOwn && made !== undefined && explorer.files.size > 0;
  const session = hasCode ? createSessionCode(made, () => performance.now()) : undefined;
  return { explorer, session };
}

/** Returns the line with the link to the explorer, if there is one. */
function linkTo(
  url: string,
  { explorer, session }: Parts,
  example: ExampleRequest | undefined,
): readonly string[] {
  if (explorer.files.size === 0) return [];
  return [`explorer: ${explorerLink(url, example, session?.code)}`];
}

/** Prints the address; unless `--quiet`, the endpoints, the size of the data and a new token too. */
function announce(url: string, parts: Parts): Promise<number> {
  const { opened, tokens, settings } = parts;
  const { catalog, logs } = opened;
  const { made } = tokens;
  if (settings.quiet) return printLines([url]);
  const names = catalog.endpoints.map(({ name }) => name).join(', ');
  return printLines([
    `log-endpoints ${readVersion()} on ${url}`,
    `${names} over ${describeLogs(parts, logs)}`,
    ...(made === undefined ? [] : [`token, made for this run: ${made}`]),
  ]);
}

/** Prints a request to try: the link to the explorer and a `curl` command. */
async function announceExample(
  url: string,
  parts: Parts,
  companion: Companion | undefined,
): Promise<number> {
  const { opened, tokens, settings } = parts;
  const token = tokens.made ?? '$TOKEN';
  const inputs = inputLines(opened.logs);
  const first = settings.data === undefined ? inputs[0] : undefined;
  const own = first && sourceRequest(opened, first.source);
  const example = own ?? (await exampleRequest(opened));
  // The link of the only source is the one that is printed last.
  const hasLinks = own === undefined || inputs.length > 1;
  for (const { source, line } of inputs) {
    const links = hasLinks ? linkTo(url, parts, sourceRequest(opened, source)) : [];
    const link = links.map((one) => `  ${one}`);
    process.stderr.write(`${[line, ...link].join('\n')}\n`);
  }
  // The page of an endpoint of all sources lists several files.
  const shown = own && inputs.length > 1 ? await exampleRequest(opened) : example;
  return printLines([
    ...linkTo(url, parts, shown),
    example === undefined ? '' : curlLine(example, url, token),
    ...(companion?.tips(url, token) ?? []),
  ]);
}

function printLines(lines: readonly string[]): Promise<number> {
  return printOutput(`${lines.join('\n')}\n`);
}

function describeLogs({ settings }: Parts, { files, sources }: LoadedLogs): string {
  if (settings.engine === 'bigquery') return `the tables ${settings.bigqueryTables} of BigQuery`;
  const records = files.reduce((sum, file) => sum + file.records, 0);
  return `${records} records of ${sources.length} sources`;
}
