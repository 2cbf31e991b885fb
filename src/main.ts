#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { exampleCurl } from './cli/example.js';
import { packagePath } from './common/package-paths.js';
import { type CompilePool, createCompilePool } from './compiler/pool/pool.js';
import { readCommand, type Tokens, takeTokens } from './config/config.js';
import { printHelp, type Settings, type Verb } from './config/settings.js';
import { checkEndpoints } from './config/tokens.js';
import { createEnginePool, type EnginePool } from './engine/pool/pool.js';
import { ServiceError, SetupError } from './errors/errors.js';
import { createApp } from './http/app.js';
import { createAuthenticate } from './http/authenticate.js';
import { failureLine, reasonOf } from './http/failure-line.js';
import { createGate, type Gate } from './http/in-flight.js';
import { type Listening, listen } from './http/listen.js';
import { createMetrics } from './http/metrics.js';
import { createFollower, type Follower } from './service/follow-logs.js';
import { alone, engineLimits, type Opened, openServices } from './service/open-services.js';
import { createRunEndpoint } from './service/run-endpoint.js';
import { progressOutput } from './service/show-progress.js';
import { findLeftovers } from './service/temporary-folder.js';

const signals = ['SIGTERM', 'SIGINT'] as const;

type RunVerb = (settings: Settings, endpoint: string) => Promise<number>;

// The server has its engines in other processes: without one of its own it starts in half the time.
const verbs: Readonly<Record<Verb, RunVerb>> = {
  serve,
  query: async (settings, endpoint) => {
    const { query } = await import('./cli/query.js');
    const onWarning = (line: string) => process.stderr.write(`${line}\n`);
    return print(await query(settings, endpoint, { ...alone, onWarning }));
  },
  explain: async (settings, endpoint) => {
    const { explain } = await import('./cli/explain.js');
    return print(await explain(settings, endpoint));
  },
  check: async (settings) => {
    const { check } = await import('./cli/check.js');
    const { lines, ok } = await check(settings);
    await print(`${lines.join('\n')}\n`);
    return ok ? 0 : 1;
  },
  cache: async (settings, action) => {
    const { manageCache } = await import('./cli/manage-cache.js');
    return print(manageCache(settings, action));
  },
  tokens: async (settings, action) => {
    const { newToken } = await import('./cli/new-token.js');
    return print(newToken(settings, action));
  },
};

await main().then(
  (code) => process.exit(code),
  (error: unknown) => process.exit(printFailure(error)),
);

async function main(): Promise<number> {
  process.stdout.on('error', exitOnClosedOutput);
  const command = readCommand(process.argv.slice(2));
  if (command.verb === 'help') return print(`${printHelp()}\n`);
  if (command.verb === 'version') return print(`${readVersion()}\n`);
  // Until the server drains, a signal ends the process in a way that lets it clean up.
  onSignals(exitOnSignal);
  return verbs[command.verb](command.settings, command.endpoint);
}

// A reader such as head may go before the last row; a full disk is a failure.
function exitOnClosedOutput(error: NodeJS.ErrnoException): never {
  process.exit(error.code === 'EPIPE' ? 0 : printFailure(error));
}

// Node's own end waits for a query that runs in the engine, the signal's default action for nothing.
function exitOnSignal(signal: NodeJS.Signals): never {
  process.removeAllListeners(signal);
  process.on('exit', () => process.kill(process.pid, signal));
  process.exit();
}

/** Waits until the reader of a pipe has taken it all: the process ends right after. */
function print(text: string): Promise<number> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve(0)));
}

function printFailure(error: unknown): number {
  if (error instanceof SetupError) {
    process.stderr.write(`${error.lines.join('\n')}\n`);
    return 2;
  }
  if (error instanceof ServiceError) {
    const lines = error.faults.map(({ reason, message }) => `${reason}: ${message}`);
    process.stderr.write(`${lines.join('\n')}\n`);
    return 1;
  }
  console.error(error);
  return 1;
}

function readVersion(): string {
  const text = readFileSync(packagePath('package.json'), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return version;
}

function createLog(): Logger {
  // A write for each line of a busy server would cost more than all else of a kept answer.
  const pace = { minLength: 8_192, periodicFlush: 100, maxLength: 16_777_216 };
  const output = pino.destination({ fd: 2, sync: false, ...pace });
  // A full disk, or a reader that has stopped, loses lines of the log, not requests.
  output.on('error', () => {
    // At the end it would be tried for ever.
    output.flushSync = () => {};
  });
  return pino({ base: null }, output);
}

/**
 * Has the log tell of what nobody caught: a rejection is one piece of work that failed, and the server
 * goes on; after an exception nobody knows what was half done, and it ends with exit code 1.
 */
function logAccidents(log: Logger, logQueries: boolean): void {
  const tell = (error: unknown) => ({ err: logQueries ? error : failureLine(error) });
  process.on('unhandledRejection', (error) => log.error(tell(error), 'unhandled rejection'));
  process.on('uncaughtException', (error) => {
    log.fatal(tell(error), 'uncaught exception');
    process.exit(1);
  });
}

async function serve(settings: Settings): Promise<number> {
  const log = createLog();
  const tokens = takeTokens();
  logAccidents(log, settings.logQueries);
  const pool = createEnginePool({
    ...engineLimits(settings),
    callers: tokens.known.length,
    onStartFailure: (error) => log.error({ why: String(error) }, 'no engine process'),
  });
  pool.prepare();
  const compilePool = createCompilePool({
    timeoutMs: settings.compileTimeout,
    maxQueuedQueries: settings.maxQueuedQueries,
    callers: tokens.known.length,
  });
  const onWarning = (line: string) => log.warn({ line }, 'load');
  for (const line of findLeftovers()) onWarning(line);
  const opened = await openServices(settings, pool.open, {
    spare: () => pool.state().spare,
    openCompile: compilePool.open,
    onWarning,
    onRenewalFailure: (endpoint, error) =>
      log.warn({ endpoint, ...reasonOf(error), err: failureLine(error) }, 'renewal'),
    output: progressOutput((progress) => log.info(progress, 'loading')),
  });
  checkEndpoints(
    tokens.known,
    opened.catalog.endpoints.map(({ name }) => name),
  );
  const gate = createGate();
  const follower = createFollower({ ...opened, first: opened.logs, logs: opened.allLogs, log });
  const pools = { pool, compilePool };
  const app = createServiceApp({ settings, opened, follower, ...pools, tokens, gate, log });
  const server = await listen(app.fetch, settings);
  await announce(server.url, opened, tokens);
  if (settings.watch && settings.data !== undefined) follower.watch(settings.data);
  void follower.verify();
  await signalled();
  log.info('draining');
  await follower.close();
  await drain({ gate, server, opened, compilePool, timeoutMs: settings.queryTimeout });
  return 0;
}

interface Parts {
  readonly settings: Settings;
  readonly opened: Opened;
  readonly follower: Follower;
  readonly pool: EnginePool;
  readonly compilePool: CompilePool;
  readonly tokens: Tokens;
  readonly gate: Gate;
  readonly log: Logger;
}

function createServiceApp(parts: Parts) {
  const { settings, opened, follower, pool, compilePool, tokens, gate, log } = parts;
  return createApp({
    runEndpoint: createRunEndpoint(opened),
    authenticate: createAuthenticate(tokens.known, () => performance.now()),
    gate,
    log,
    metrics: createMetrics({
      endpoints: opened.catalog.endpoints,
      engineStats: pool.state,
      compileStats: compilePool.state,
      cacheStats: opened.cache.stats,
      files: () => follower.current().files,
      ofProcess: true,
    }),
    canRun: () => pool.state().canStart,
    maxBodyBytes: settings.maxBody,
    corsOrigins: settings.corsOrigin ?? [],
    headerPrefix: settings.headerPrefix,
    allowNowHeader: settings.allowNowHeader,
    fixedNow: settings.now,
    now: Date.now,
    logQueries: settings.logQueries,
  });
}

async function announce(url: string, opened: Opened, { made }: Tokens): Promise<number> {
  const { catalog, logs } = opened;
  const { endpoints } = catalog;
  const records = logs.files.reduce((sum, file) => sum + file.records, 0);
  const lines = [
    `log-endpoints ${readVersion()} on ${url}`,
    `${endpoints.map(({ name }) => name).join(', ')} over ${records} records of ${logs.sources.length} sources`,
    ...(made === undefined ? [] : [`token, made for this run: ${made}`]),
    await exampleCurl(opened, url, made ?? '$TOKEN'),
  ];
  return print(`${lines.join('\n')}\n`);
}

/** Settles at the first signal; a second one ends the process at once. */
async function signalled(): Promise<void> {
  await new Promise<void>((resolve) => onSignals(() => resolve()));
  onSignals(() => {});
  // npm hands on the terminal's signal, so that one Ctrl-C comes twice.
  void sleep(300).then(() => onSignals(exitOnSignal));
}

/**
 * Has signals do this and nothing else. The new listener comes before the old ones go: while there
 * is none, Node loses a signal that has come already.
 */
function onSignals(listener: (signal: NodeJS.Signals) => void): void {
  for (const signal of signals) {
    const before = process.listeners(signal);
    process.on(signal, listener);
    for (const old of before) process.off(signal, old);
  }
}

interface Draining {
  readonly gate: Gate;
  readonly server: Listening;
  readonly opened: Opened;
  readonly compilePool: CompilePool;
  readonly timeoutMs: number;
}

/** Lets running queries finish while the port still says that it is not ready, then closes everything. */
async function drain(parts: Draining): Promise<void> {
  const { gate, server, opened, compilePool, timeoutMs } = parts;
  opened.cache.close();
  await Promise.race([gate.close(), sleep(timeoutMs)]);
  await server.close(2000);
  await Promise.all([opened.serving.close(), compilePool.close()]);
}
