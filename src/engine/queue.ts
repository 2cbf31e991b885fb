import { ServiceError } from '../errors.js';

/** Lets a number of statements run at once, and the others wait in the order they came. */
export interface Queue {
  /**
   * Waits for a turn; the function that it gives ends it.
   * @throws ServiceError `backendBusy` when too many wait already, `timeout` when the signal fires first
   */
  enter(signal: AbortSignal): Promise<() => void>;
}

/** A queue with room for `maxRunning` at work and `maxWaiting` behind them. */
export function createQueue(maxRunning: number, maxWaiting: number): Queue {
  const waiting: (() => void)[] = [];
  let running = 0;
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  };
  return {
    async enter(signal) {
      if (signal.aborted) throw gone();
      if (running < maxRunning) {
        running++;
        return leave;
      }
      if (waiting.length >= maxWaiting) throw full(maxWaiting);
      await turn(waiting, signal);
      return leave;
    },
  };
}

function turn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = () => {
      waiting.splice(waiting.indexOf(start), 1);
      reject(gone());
    };
    signal.addEventListener('abort', giveUp, { once: true });
    waiting.push(start);
  });
}

function gone(): ServiceError {
  return new ServiceError('timeout', 'The query was cancelled while it waited');
}

function full(maxWaiting: number): ServiceError {
  const message = `The query queue is full (--max-queued-queries is ${maxWaiting}); try again later`;
  return new ServiceError('backendBusy', message);
}
