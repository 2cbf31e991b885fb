#!/usr/bin/env node
import type { Logger } from 'pino';
import { runCommand } from './cli/cli.js';
import type { Companion } from './cli/demo.js';
import { exitOnClosedOutput, printFailure } from './cli/output.js';
import { exitOnSignals } from './cli/signals.js';
import { readCommand, removeTokens, takeTokens } from './config/config.js';
import type { Settings } from './config/settings.js';
import { createEnginePool } from './engine/pool/pool.js';
import { createLog, logUncaught } from './http/server-log.js';
import type { Begun } from './server.js';
import { engineLimits } from './service/engine-limits.js';
import { loadLogs } from './service/load-logs.js';
import { progressOutput } from './service/show-progress.js';
import { removeDeadFolders } from './service/temporary-folder.js';

await main().then(
  (code) => process.exit(code),
  (error: unknown) => process.exit(printFailure(error)),
);

async function main(): Promise<number> {
  exitOnClosedOutput();
  const command = readCommand(process.argv.slice(2));
  exitOnSignals();
  return runCommand(command, { serve, mcp });
}

/** Serves until a signal arrives. */
async function serve(settings: Settings, companion?: Companion): Promise<number> {
  const log = createLog(settings.logLevel);
  const tokens = takeTokens(undefined, settings.allowShortTokens);
  for (const { where, isShort } of tokens.known) {
    if (isShort) log.warn({ line: `${where}: it is short enough to be guessed` }, 'tokens');
  }
  logUncaught(log, settings.logQueries);
  const begun = await begin(settings, tokens.known.length, log);
  const server = await import('./server.js');
  return server.serve(begun, tokens, companion);
}

/** Answers a language model over standard input and output, until the input ends. */
async function mcp(settings: Settings): Promise<number> {
  const log = createLog(settings.logLevel);
  removeTokens();
  logUncaught(log, settings.logQueries);
  const begun = await begin(settings, 1, log);
  const server = await import('./server.js');
  return server.mcp(begun);
}

/**
 * Begins what takes longest at a start, and needs little code: to load the logs, and to start an engine process.
 * The rest of the program is imported meanwhile.
 */
async function begin(settings: Settings, callers: number, log: Logger): Promise<Begun> {
  const begun = { settings, log, callers };
  const onWarning = (line: string) => log.warn({ line }, 'load');
  for (const line of removeDeadFolders()) onWarning(line);
  if (settings.engine === 'bigquery') {
    const { openBigQuery } = await import('./service/open-bigquery.js');
    const bigQuery = await openBigQuery(settings, callers);
    if (bigQuery !== undefined) return { ...begun, ...bigQuery };
  }
  const output = progressOutput((progress) => log.info(progress, 'loading'));
  const logs = loadLogs(settings, { output });
  // The server reports a failure when it opens the logs.
  logs.catch(() => {});
  const pool = createEnginePool({
    ...engineLimits(settings),
    callers,
    onStartFailure: (error) => log.error({ why: String(error) }, 'no engine process'),
  });
  pool.prepare();
  return { ...begun, pool, openLogs: () => logs };
}
