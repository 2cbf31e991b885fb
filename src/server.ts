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
import { type CompilePool, createCompilePool } from './compiler/pool/pool.js';
import type { Tokens } from './config/config.js';
import { ownPresets } from './config/preset.js';
import type { Settings } from './config/settings.js';
import { checkEndpoints } from './config/tokens.js';
import { scopeOf } from './endpoint/scope.js';
import { printTimestamp } from './endpoint/timestamp.js';
import type { EnginePool } from './engine/pool/pool.js';
import { createApp } from './http/app.js';
import { type Explorer, openExplorer } from './http/explorer-routes.js';
import { failureLine, reasonOf } from './http/failure-line.js';
import { createInFlight, type InFlight } from './http/in-flight.js';
import { type Listening, listen } from './http/listen.js';
import { logRequest } from './http/log-request.js';
import { isLoopback } from './http/loopback.js';
import { createAppServices, mcpOptions } from './http/service-app.js';
import { createSessionCode, type SessionCode } from './http/session-code.js';
import { type Session, statusOf } from './mcp/session.js';
import { readVersion } from './process/package-paths.js';
import { createDescribeEndpoints } from './run/describe-endpoints.js';
import { createInspectEndpoint } from './run/inspect-endpoint.js';
import { createRunEndpoint } from './run/run-endpoint.js';
import { createRefreshEndpoints } from './start/follow-endpoints.js';
import { createFollower, type Follower } from './start/follow-logs.js';
import { createCheckPreset } from './start/follow-preset.js';
import { inputLines } from './start/input-lines.js';
import type { LoadedLogs, Logs } from './start/logs.js';
import { endpointFolders, type OpenedServices, openServices } from './start/start-up.js';

/** The parts that `main.ts` has started before the server. */
export interface EarlyParts {
  readonly settings: Settings;
  readonly log: Logger;
  /** Logs a warning about the log files. */
  readonly onWarning: (line: string) => void;
  /** How many callers share the engine. */
  readonly callers: number;
  readonly pool: EnginePool;
  /** Waits for the logs. @throws SetupError */
  readonly openLogs: (settings: Settings) => Promise<Logs>;
  readonly target: CompilerTarget | undefined;
}

/** All parts of the server. */
interface Parts extends Pools {
  readonly follower: Follower;
  readonly settings: Settings;
  readonly tokens: Tokens;
  readonly log: Logger;
  readonly opened: OpenedServices;
  readonly inFlight: InFlight;
  readonly explorer: Explorer;
  readonly session: SessionCode | undefined;
}

interface Pools {
  readonly pool: EnginePool;
  readonly compilePool: CompilePool;
}

/** Opens everything, serves until a signal arrives, then drains. */
export async function serve(
  early: EarlyParts,
  tokens: Tokens,
  companion?: Companion,
): Promise<number> {
  const { settings, log } = early;
  const pools = createPools(early);
  const opened = await open(early, pools);
  const names = opened.catalog.endpoints.map(({ name }) => name);
  checkEndpoints(tokens.known, names);
  const parts = {
    ...pools,
    follower: followFiles({ settings, opened, log }),
    settings,
    tokens,
    log,
    opened,
    inFlight: createInFlight(),
    ...openPage(settings, tokens),
  };
  const server = await listen(createServiceApp(parts).fetch, settings);
  // Before the address is printed: from then on a signal must not cut a request.
  const stopped = Promise.race([
    untilSignal(),
    ...(settings.exitWithParent ? [untilOrphaned()] : []),
  ]);
  await announce(server.url, parts);
  // The example runs a query; a signal does not wait for it.
  if (!settings.quiet) await Promise.race([announceExample(server.url, parts, companion), stopped]);
  if (settings.watch) watch(parts);
  void parts.follower.verify();
  const stop = companion?.start((error) => log.warn({ err: String(error) }, 'demo'));
  await stopped;
  stop?.();
  log.info('draining');
  await drain(parts, server);
  return 0;
}

/** Opens everything and answers a language model over standard input and output, until the input ends. */
export async function mcp(early: EarlyParts): Promise<number> {
  const { settings, log } = early;
  const pools = createPools(early);
  const opened = await open(early, pools);
  const follower = followFiles({ settings, opened, log });
  const session = createSession(settings, opened, log);
  if (settings.watch) watch({ follower, settings });
  void follower.verify();
  const { answerOverStdio } = await import('./mcp/stdio.js');
  await Promise.race([answerOverStdio(session), untilSignal()]);
  await follower.close();
  opened.cache.close();
  await Promise.all([opened.serving.close(), pools.compilePool.close()]);
  return 0;
}

/** @throws ServiceError for an endpoint that does not exist */
function createSession(settings: Settings, opened: OpenedServices, log: Logger): Session {
  const { now, project, endpoint: names, redactPii, logQueries } = settings;
  for (const name of names ?? []) opened.catalog.find(name);
  const scope = scopeOf({
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
      const status = statusOf(report);
      const request = { ...report, requestId: randomUUID(), method: 'MCP', status };
      logRequest({ log, logQueries }, request);
    },
  };
}

/** Endpoints are refreshed after the logs, because they may read columns that only the newest logs have. */
function followFiles({ settings, opened, log }: Pick<Parts, 'settings' | 'opened' | 'log'>) {
  const { logs: first, allLogs: logs } = opened;
  const folders = (declared: LoadedLogs['declared']) => endpointFolders(settings, declared);
  const refreshEndpoints = createRefreshEndpoints({ ...opened, folders, log }, first.declared);
  const checkPreset = createCheckPreset(settings.preset, log);
  const onLoaded = ({ declared }: LoadedLogs) => {
    checkPreset();
    return refreshEndpoints(declared);
  };
  return createFollower({ ...opened, first, logs, log, onLoaded });
}

function watch({ follower, settings }: Pick<Parts, 'follower' | 'settings'>): void {
  const { data, sources, preset, paths = [], piped } = settings;
  const folders = endpointFolders(settings, []).filter((folder) => typeof folder === 'string');
  // Standard input is kept in a file in a folder of its own.
  const named = paths.map((path) => (path === '-' ? dirname(piped ?? '') : path));
  const own = [data, sources, ...named].filter((path) => path !== undefined);
  follower.watch(...own, ...ownPresets(preset), ...folders);
}

function createPools({ settings, callers, pool }: EarlyParts): Pools {
  const compilePool = createCompilePool({
    timeoutMs: settings.compileTimeout,
    maxQueuedQueries: settings.maxQueuedQueries,
    callers,
  });
  return { pool, compilePool };
}

/** Compiles the endpoints, and opens the first engine as soon as the logs are loaded. */
function open(
  { settings, log, onWarning, openLogs, target }: EarlyParts,
  { pool, compilePool }: Pools,
): Promise<OpenedServices> {
  return openServices(settings, pool.open, {
    spare: () => pool.state().spare,
    openLogs,
    target,
    openCompile: compilePool.open,
    onWarning,
    onEmpty: settings.quiet ? onWarning : printAside,
    onRenewalFailure: (endpoint, error) =>
      log.warn({ endpoint, ...reasonOf(error), err: failureLine(error) }, 'renewal'),
  });
}

function createServiceApp(parts: Parts) {
  const { pool, compilePool, tokens, explorer, session } = parts;
  const services = createAppServices({
    ...parts,
    tokens: tokens.known,
    engineStats: pool.state,
    compileStats: compilePool.state,
    withProcessMetrics: true,
    canRun: () => pool.state().canStart,
  });
  return createApp({ ...services, explorer, session });
}

/** Only a token that was made for this run is known as it is written, and only on this machine is it given out. */
function openPage({ explorer: setting, host }: Settings, { made }: Tokens) {
  const isOwn = isLoopback(host);
  const explorer = openExplorer(setting ?? (isOwn ? 'on' : 'off'));
  const hasCode = isOwn && made !== undefined && 'files' in explorer;
  const session = hasCode ? createSessionCode(made, () => performance.now()) : undefined;
  return { explorer, session };
}

/** Where the page is. */
function linkTo(
  url: string,
  { explorer, session }: Parts,
  example: ExampleRequest | undefined,
): readonly string[] {
  return 'files' in explorer ? [`explorer: ${explorerLink(url, example, session?.code)}`] : [];
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
    `${names} over ${sizeOf(parts, logs)}`,
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
  for (const { source, line } of inputs) {
    const request = sourceRequest(opened, source);
    const link = linkTo(url, parts, request).map((one) => `  ${one}`);
    process.stderr.write(`${[line, ...link].join('\n')}\n`);
  }
  return printLines([
    ...linkTo(url, parts, example),
    example === undefined ? '' : curlLine(example, url, token),
    ...(companion?.tips(url, token) ?? []),
  ]);
}

function printLines(lines: readonly string[]): Promise<number> {
  return printOutput(`${lines.join('\n')}\n`);
}

function sizeOf({ settings }: Parts, { files, sources }: LoadedLogs): string {
  if (settings.engine === 'bigquery') return `the tables ${settings.bigqueryTables} of BigQuery`;
  const records = files.reduce((sum, file) => sum + file.records, 0);
  return `${records} records of ${sources.length} sources`;
}

/** Lets running queries finish while the port still answers `/ready` with 503, then closes everything. */
async function drain(parts: Parts, server: Listening): Promise<void> {
  const { inFlight, opened, compilePool, settings } = parts;
  // First: what follows the files may be in the middle of a load.
  const drained = inFlight.drain();
  await parts.follower.close();
  opened.cache.close();
  await Promise.race([drained, sleep(settings.queryTimeout)]);
  await server.close(2000);
  await Promise.all([opened.serving.close(), compilePool.close()]);
}
