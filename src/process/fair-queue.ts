import { ServiceError } from '../errors/errors.js';

/** Limits how many tasks run at once; the others wait, and callers take turns. */
export type Queue = ReturnType<typeof createQueue>;

/** The number of tasks that may run at once. */
export interface Capacity {
  readonly maxRunning: number;
  /** If this is below `maxRunning`, no caller can use all of the capacity. */
  readonly maxRunningPerCaller: number;
}

/** Limits of a queue. */
export interface QueueOptions extends Capacity {
  readonly maxWaiting: number;
}

/** A waiting task. */
interface Turn {
  readonly caller: string;
  start(): void;
  refuse(error: ServiceError): void;
}

/**
 * Creates a queue in which the next turn goes to the caller with the fewest running tasks; among equals, to the one
 * whose last turn was longest ago. When the queue is full, the caller with the most waiting tasks loses its newest one.
 */
export function createQueue({ maxWaiting, ...first }: QueueOptions) {
  let capacity: Capacity = first;
  const waiting: Turn[] = [];
  const running = new Map<string, number>();
  /** The sequence number of each caller's last turn, over all callers. */
  const lastTurns = new Map<string, number>();
  let totalRunning = 0;
  let turnCount = 0;

  const countRunning = (caller: string) => running.get(caller) ?? 0;
  const mayStart = (caller: string) =>
    totalRunning < capacity.maxRunning && countRunning(caller) < capacity.maxRunningPerCaller;
  const start = (caller: string) => {
    totalRunning += 1;
    turnCount += 1;
    running.set(caller, countRunning(caller) + 1);
    lastTurns.set(caller, turnCount);
  };
  const startNext = () => {
    const ready = waiting.filter((turn) => mayStart(turn.caller));
    const next = pickTurn(ready, countRunning, (caller) => lastTurns.get(caller) ?? 0);
    if (next === undefined) return false;
    waiting.splice(waiting.indexOf(next), 1);
    start(next.caller);
    next.start();
    return true;
  };
  const leave = (caller: string) => {
    totalRunning -= 1;
    running.set(caller, countRunning(caller) - 1);
    startNext();
  };

  return {
    /**
     * Waits for a turn; the returned function ends it.
     * @throws ServiceError `backendBusy` if the queue is full, `timeout` if the signal fires first
     */
    async enter({ signal, caller }: Omit<Waiting, 'maxWaiting'>): Promise<() => void> {
      if (signal.aborted) throw cancelledError();
      if (mayStart(caller)) start(caller);
      else await waitForTurn(waiting, { signal, caller, maxWaiting });
      return () => leave(caller);
    },
    /** Changes how many tasks run at once. */
    resize(next: Capacity): void {
      capacity = next;
      while (startNext());
    },
    get running() {
      return totalRunning;
    },
    get waiting() {
      return waiting.length;
    },
  };
}

type Count = (caller: string) => number;

/** Picks the turn whose caller has the fewest running tasks; among equals, the longest without a turn. */
function pickTurn(ready: readonly Turn[], running: Count, lastTurn: Count): Turn | undefined {
  const [next] = ready.toSorted(
    ({ caller: one }, { caller: other }) =>
      running(one) - running(other) || lastTurn(one) - lastTurn(other),
  );
  return next;
}

/**
 * Refuses the newest task of the caller with the most waiting tasks.
 * @throws ServiceError `backendBusy` if no other caller has more waiting tasks than this one
 */
function makeRoom(waiting: Turn[], caller: string, maxWaiting: number): void {
  const counts = new Map([[caller, 0]]);
  for (const turn of waiting) counts.set(turn.caller, (counts.get(turn.caller) ?? 0) + 1);
  const [greediest, max] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one));
  const last = waiting.findLast((turn) => turn.caller === greediest);
  if (last === undefined || max <= (counts.get(caller) ?? 0) + 1) throw queueFullError(maxWaiting);
  last.refuse(queueFullError(maxWaiting));
}

interface Waiting extends Pick<QueueOptions, 'maxWaiting'> {
  readonly signal: AbortSignal;
  readonly caller: string;
}

function waitForTurn(waiting: Turn[], { signal, caller, maxWaiting }: Waiting): Promise<void> {
  if (waiting.length >= maxWaiting) makeRoom(waiting, caller, maxWaiting);
  return new Promise((resolve, reject) => {
    const stopListening = () => signal.removeEventListener('abort', giveUp);
    const refuse = (error: ServiceError) => {
      waiting.splice(waiting.indexOf(one), 1);
      stopListening();
      reject(error);
    };
    const giveUp = () => refuse(cancelledError());
    const start = () => {
      stopListening();
      resolve();
    };
    const one: Turn = { caller, start, refuse };
    signal.addEventListener('abort', giveUp, { once: true });
    waiting.push(one);
  });
}

function cancelledError(): ServiceError {
  return new ServiceError('timeout', 'The query was cancelled while it waited');
}

function queueFullError(maxWaiting: number): ServiceError {
  const message = `The query queue is full (--max-queued-queries is ${maxWaiting}); try again later`;
  return new ServiceError('backendBusy', message);
}
