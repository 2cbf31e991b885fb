// Not the global one: a test that uses the service in its own process may have replaced it with one that waits.
import { setImmediate } from 'node:timers';
import { ServiceError } from '../errors/errors.js';

/**
 * Waits for a caller's next turn on the server's thread. Rejects if the signal fires meanwhile.
 * @throws ServiceError `backendBusy` if a thousand of the caller's requests wait
 */
export type TakeTurn = (caller: string, signal: AbortSignal) => Promise<void>;

const maxWaiting = 1_000;

/** The maximum duration of one caller's turns in one round of the event loop, in milliseconds. */
const maxRoundMs = 1;

/** A caller's turns in one round of the event loop. */
interface Round {
  readonly startedAt: number;
  /** Starts each of the waiting turns. */
  readonly waiting: (() => void)[];
  isInTurn: boolean;
}

/**
 * Lets callers take turns on the server's thread: a turn is the work of a request until it waits for something. In
 * each round of the event loop, a caller has turns for a millisecond, at least one. The others wait for the next
 * rounds, so that they do not all delay the requests and answers of other callers.
 */
export function createTurns(now: () => number): TakeTurn {
  const rounds = new Map<string, Round>();
  const mayStart = (round: Round) =>
    !round.isInTurn && round.waiting.length > 0 && now() - round.startedAt < maxRoundMs;

  function startTurns(round: Round): void {
    if (!mayStart(round)) return;
    round.isInTurn = true;
    round.waiting.shift()?.();
    // Node runs the next tick when no more promises settle: then the turn is over.
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
