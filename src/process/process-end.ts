import { ServiceError } from '../errors/errors.js';

/**
 * The reason for the end of a process: this program ended it, it exceeded its memory limit, another program or the
 * system killed it, or it could not be started; any other end is a crash.
 */
export type EndKind = 'ended' | 'out of memory' | 'killed' | 'not started' | 'crashed';

/** The end of a process, as the error of its unfinished tasks. */
export class ProcessEnd extends Error {
  readonly kind: EndKind;
  /** The signal that ended it, its exit code, or the reason why it could not be started. */
  readonly how: string;

  constructor(kind: EndKind, how: string) {
    super(kind === 'not started' ? `cannot be started: ${how}` : `ended by ${how}`);
    this.kind = kind;
    this.how = how;
  }
}

/**
 * The signal with which a process ends itself for using too much memory. A message would queue after a result that is
 * being sent, and be lost with it; an unhandled signal ends the process immediately.
 */
export const memorySignal = 'SIGUSR2' satisfies NodeJS.Signals;

/** The signals with which others kill a process. Except SIGKILL, they end it only before it begins to ignore them. */
const killSignals: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']);

/** Classifies the end of a process that this program did not end. */
export function endKind(how: string): EndKind {
  if (how === memorySignal) return 'out of memory';
  return killSignals.has(how) ? 'killed' : 'crashed';
}

/** Whether an error says that another program or the system killed a process. */
export function isKill(error: unknown): boolean {
  return error instanceof ProcessEnd && error.kind === 'killed';
}

/**
 * Runs work in a process, and once more in another process if the first was killed. There is no retry after a crash
 * or an exceeded limit, which would happen again.
 * @throws the error of the work; ProcessEnd if the second process was killed too
 */
export async function runAgainIfKilled<T>(work: (isAgain: boolean) => Promise<T>): Promise<T> {
  try {
    return await work(false);
  } catch (error) {
    if (!isKill(error)) throw error;
    return await work(true);
  }
}

/** The error of a request whose process was killed twice. */
export function killedAgain(cause: unknown): ServiceError {
  const message = 'The process that ran the query was killed twice; try again later';
  return new ServiceError('backendBusy', message, { cause });
}
