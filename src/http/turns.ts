/** Waits for a caller's next turn on the server's thread. */
export type TakeTurn = (caller: string) => Promise<void>;

/** How long the turns of one caller may last in one round of the event loop, in milliseconds. */
const maxRoundMs = 1;

/** A caller's turns in one round of the event loop. */
interface Round {
  readonly startedAt: number;
  readonly waiting: (() => void)[];
}

/**
 * Lets callers take turns on the server's thread: what a request does there before it waits for something is a turn, and
 * in each round of the event loop a caller has turns for a millisecond, at least one. The others wait for the next rounds,
 * so that the requests and answers of other callers that come meanwhile do not wait for all of them.
 */
export function createTurns(now: () => number): TakeTurn {
  const rounds = new Map<string, Round>();

  function begin(caller: string, waiting: (() => void)[]): void {
    const round = { startedAt: now(), waiting };
    rounds.set(caller, round);
    startNext(round);
    setImmediate(() => {
      if (waiting.length === 0) rounds.delete(caller);
      else begin(caller, waiting);
    });
  }

  /** Starts waiting turns until the time of the round is used up. */
  function startNext(round: Round): void {
    const start = round.waiting.shift();
    if (start === undefined) return;
    start();
    // A turn is over once no more of its promises are settled: then Node runs the next tick.
    queueMicrotask(() =>
      process.nextTick(() => now() - round.startedAt < maxRoundMs && startNext(round)),
    );
  }

  return (caller) => {
    const round = rounds.get(caller);
    if (round === undefined) begin(caller, []);
    else if (round.waiting.length > 0 || now() - round.startedAt >= maxRoundMs)
      return new Promise((resolve) => round.waiting.push(resolve));
    return Promise.resolve();
  };
}
