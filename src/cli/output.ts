import { ApiFailure } from '../bigquery/engine/api.js';
import { ServiceError, SetupError, StatementFault } from '../errors/errors.js';

/** Writes to standard output and waits until the reader has taken it all; resolves to exit code 0. */
export function printOutput(text: string | Uint8Array): Promise<number> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve(0)));
}

/** @throws SetupError for a binary format on a terminal */
export function checkOutput(format: string, isTerminal: boolean): void {
  if (!isTerminal || (format !== 'arrow' && format !== 'parquet')) return;
  throw new SetupError([
    `--format ${format} is binary: send it to a file or a program, as in > rows.${format}`,
  ]);
}

/**
 * Ends the process when standard output fails: with exit code 2, or, if its reader (such as `head`) has closed the
 * pipe, with the exit code that the verb has set. Text that standard error cannot accept is lost.
 */
export function exitOnFailedOutput(serves: boolean): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    const isClosed = code === 'EPIPE';
    if (isClosed && !serves) process.exit();
    const why = isClosed ? 'its reader has closed the pipe' : message;
    process.exit(printFailure(new SetupError([`Cannot write to standard output: ${why}`])));
  });
}

/** Prints text to standard error. */
export function printAside(text: string): void {
  process.stderr.write(`${withoutControls(text)}\n`);
}

/** Removes control characters, so that logs cannot control the terminal. */
export function withoutControls(text: string): string {
  return text.replaceAll(/(?!\n)\p{Cc}/gu, '?');
}

/** Prints why a verb failed; returns the exit code, 2 for a setup error and 1 for any other. */
export function printFailure(error: unknown): number {
  if (error instanceof SetupError) {
    printAside(error.lines.join('\n'));
    return 2;
  }
  if (error instanceof ServiceError) {
    const lines = error.faults.map(({ reason, message, location }) => {
      const flag = reason === 'required' ? ` (--param ${location}=VALUE)` : '';
      return `${reason}: ${message}${flag}`;
    });
    printAside(lines.join('\n'));
    return 1;
  }
  const failure = error instanceof StatementFault ? error.cause : error;
  if (failure instanceof ApiFailure) {
    process.stderr.write(`BigQuery ${failure.reason}: ${failure.message}\n`);
    return 1;
  }
  console.error(error);
  return 1;
}
