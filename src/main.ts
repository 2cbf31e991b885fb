#!/usr/bin/env node
import type { Logger } from 'pino';
import { runCommand } from './cli/cli.js';
import type { Companion } from './cli/demo.js';
import { exitOnFailedOutput, printFailure } from './cli/output.js';
import { exitOnSignals } from './cli/signals.js';
import { readCommand, removeTokens, takeTokens } from './config/config.js';
import type { Settings } from './config/settings.js';
import { createEnginePool } from './engine/pool/pool.js';
import { createLog, logUncaught } from './http/server-log.js';
import { closeLostTerminal } from './process/lost-terminal.js';
import type { EarlyParts } from './server.js';
import { engineLimits } from './start/engine-limits.js';
import { loadLogs } from './start/load-logs.js';
import { progressOutput } from './start/show-progress.js';
import { removeDeadFolders } from './start/temporary-folder.js';

await main().then(
  (code) => process.exit(code),
  (error: unknown) => process.exit(printFailure(error)),
);

async function main(): Promise<number> {
  const command = readCommand(process.argv.slice(2));
  exitOnFailedOutput(command.verb === 'serve' || command.verb === 'demo');
  exitOnSignals();
  closeLostTerminal();
  return runCommand(command, { serve, mcp });
}

/** Starts the log and the {@link startEarly early parts}, then serves until a signal arrives. */
async function serve(settings: Settings, companion?: Companion): Promise<number> {
  const log = createLog(settings.logLevel);
  const tokens = takeTokens(undefined, settings.allowShortTokens);
  for (const { where, isShort } of tokens.known) {
    if (isShort) log.warn({ line: `${where}: it is short enough to be guessed` }, 'tokens');
  }
  logUncaught(log, settings.logQueries);
  const early = await startEarly(settings, tokens.known.length, log);
  const server = await import('./server.js');
  return server.serve(early, tokens, companion);
}

/**
 * Starts the log and the {@link startEarly early parts}, then answers a language model over standard input and output.
 */
async function mcp(settings: Settings): Promise<number> {
  const log = createLog(settings.logLevel);
  removeTokens();
  logUncaught(log, settings.logQueries);
  const early = await startEarly(settings, 1, log);
  const server = await import('./server.js');
  return server.mcp(early);
}

/**
 * Starts the two slowest steps: loading the logs, and starting an engine process. They need little code, so the rest of
 * the program is imported while they run.
 */
async function startEarly(settings: Settings, callers: number, log: Logger): Promise<EarlyParts> {
  const onWarning = (line: string) => log.warn({ line }, 'load');
  // Imported only if it is the engine.
  const bigQuery =
    settings.engine === 'bigquery'
      ? await (await import('./bigquery/bigquery.js')).openBigQuery(settings, callers)
      : undefined;
  const pool =
    bigQuery?.pool ??
    createEnginePool({
      ...engineLimits(settings),
      callers,
      onStartFailure: (error) => log.error({ why: String(error) }, 'no engine process'),
    });
  // Before the logs load, because it must not see the new folders of that load.
  for (const line of removeDeadFolders()) onWarning(line);
  const openLogs = bigQuery?.openLogs ?? startLoading(settings, log);
  return { settings, callers, log, onWarning, pool, openLogs, target: bigQuery?.target };
}

function startLoading(settings: Settings, log: Logger): EarlyParts['openLogs'] {
  const output = progressOutput((progress) => log.info(progress, 'loading'));
  const logs = loadLogs(settings, { output });
  // `openServices` awaits this promise and reports its failure. Until then it must not count as unhandled.
  logs.catch(() => {});
  return () => logs;
}
