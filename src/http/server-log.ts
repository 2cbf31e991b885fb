import { type Logger, pino } from 'pino';
import { failureLine } from './failure-line.js';
import { createLogOutput } from './log-output.js';

/** Creates the server's log: JSON lines on standard error, buffered by default; `level` is the least severe one. */
export function createLog(level: string, { isBuffered = true } = {}): Logger {
  // One write per line would cost more than everything else a cached answer does.
  const output = createLogOutput(2);
  const write = (line: string) => {
    output.write(line);
    output.flushSync();
  };
  return pino({ base: null, level }, isBuffered ? output : { write });
}

/**
 * Logs uncaught errors. A rejection means that one piece of work has failed, so the server continues; after an
 * exception its state is unknown, and it exits with code 1.
 */
export function logUncaught(log: Logger, logQueries: boolean): void {
  const describe = (error: unknown) => ({ err: logQueries ? error : failureLine(error) });
  process.on('unhandledRejection', (error) => log.error(describe(error), 'unhandled rejection'));
  process.on('uncaughtException', (error) => {
    log.fatal(describe(error), 'uncaught exception');
    process.exit(1);
  });
}
