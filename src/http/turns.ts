// Not the global one: a test that uses the service in its own process may have replaced that by one that waits.
import { setImmediate } from 'node:timers';
import { ServiceError } from '../errors/errors.js';

/**
 * Waits for a caller's next turn on the server's thread. Rejects if the signal fires meanwhile.
 * @throws ServiceError `backendBusy` if a thousand of the caller's requests wait
 */
export type TakeTurn = (caller: string, signal: AbortSignal) => Promise<void>;

const maxWaiting = 1_000;

/** How long the turns of one caller may last in one round of the event loop, in milliseconds. */
const maxRoundMs = 1;

/** A caller's turns in one round of the event loop. */
interface Round {
  readonly startedAt: number;
  /** Starts the turns that are to come. */
  readonly waiting: (() => void)[];
  isInTurn: boolean;
}

/**
 * Lets callers take turns on the server's thread: what a request does there before it waits for something is a turn, and
 * in each round of the event loop a caller has turns for a millisecond, at least one. The others wait for the next rounds,
 * so that requests and answers of other callers that come meanwhile do not wait for all of them.
 */
export function createTurns(now: () => number): TakeTurn {
  const rounds = new Map<string, Round>();
  const mayStart = (round: Round) =>
    !round.isInTurn && round.waiting.length > 0 && now() - round.startedAt < maxRoundMs;

  function startTurns(round: Round): void {
    if (!mayStart(round)) return;
    round.isInTurn = true;
    round.waiting.shift()?.();
    // Node runs the next tick when no more promises settle: the turn is over then.
    queueMicrotask(() =>
      process.nextTick(() => {
        round.isInTurn = false;
        startTurns(round);
      }),
    );
  }

  function begin(caller: string, waiting: (() => void)[]): Round {
    const round = { startedAt: now(), waiting, isInTurn: false };
    rounds.set(caller, round);
    setImmediate(() => {
      if (waiting.length === 0) rounds.delete(caller);
      else startTurns(begin(caller, waiting));
    });
    return round;
  }

  return (caller, signal) =>
    new Promise((resolve, reject) => {
      const round = rounds.get(caller) ?? begin(caller, []);
      const { waiting } = round;
      if (waiting.length === maxWaiting) {
        throw new ServiceError('backendBusy', 'Too many requests of this token wait: try again');
      }
      waiting.push(resolve);
      startTurns(round);
      // Most turns start at once.
      if (waiting.at(-1) !== resolve) return;
      const leave = () => {
        if (waiting.includes(resolve)) waiting.splice(waiting.indexOf(resolve), 1);
        reject(new Error('the client has disconnected'));
      };
      signal.addEventListener('abort', leave, { once: true });
    });
}
