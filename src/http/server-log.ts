import { type Logger, pino } from 'pino';
import { failureLine } from './failure-line.js';

/** Creates the server's log: JSON lines on standard error, buffered by default; `level` is the least severe one. */
export function createLog(level: string, { isBuffered = true } = {}): Logger {
  // One write for each line would cost more than everything else a cached answer does.
  const buffering = { minLength: 8_192, periodicFlush: 100, maxLength: 16_777_216 };
  const output = pino.destination({ fd: 2, sync: !isBuffered, ...(isBuffered && buffering) });
  // A full disk or a stalled reader loses log lines, not requests.
  output.on('error', () => {
    // At exit, flushing would retry for ever.
    output.flushSync = () => {};
  });
  return pino({ base: null, level }, output);
}

/** Settles once the buffered lines are written, or cannot be. */
export function flushed(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
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
