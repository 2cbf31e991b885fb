import { ServiceError } from '../errors.js';
import type { Engine } from './engine.js';
import type { EngineProcessOptions } from './engine-messages.js';
import { type EngineProcess, startEngineProcess } from './engine-process.js';
import { createQueue } from './queue.js';

export interface EnginePoolOptions extends EngineProcessOptions {
  readonly maxConcurrentQueries: number;
  readonly maxQueuedQueries: number;
}

/** How long a process that nobody needs stays, in milliseconds. */
const idleMs = 60_000;

/**
 * An engine that runs each statement in one of a number of processes, which can be thrown away: at
 * most `maxConcurrentQueries` at work and a spare that waits, opened before anybody asks.
 * @throws SetupError where the first process cannot open the database
 */
export async function openEnginePool(options: EnginePoolOptions): Promise<Engine> {
  const { maxConcurrentQueries, maxQueuedQueries, queryTimeoutMs } = options;
  const queue = createQueue(maxConcurrentQueries, maxQueuedQueries);
  const processes = createProcesses(options);
  await processes.spare().opened;
  return {
    dialect: 'duckdb',
    async run(statement, { signal }) {
      const asked = performance.now();
      const leave = await queue.enter(signal);
      const one = processes.take();
      try {
        await one.opened;
        const queueMs = performance.now() - asked;
        const limit = AbortSignal.any([signal, AbortSignal.timeout(queryTimeoutMs)]);
        const result = await one.run(statement, limit);
        return { ...result, timings: { ...result.timings, queueMs } };
      } catch (error) {
        if (keepsMemory(error)) one.end();
        throw error;
      } finally {
        processes.giveBack(one);
        leave();
      }
    },
    close: async () => processes.end(),
  };
}

/** Memory stays high in a process that has run out of it. */
function keepsMemory(error: unknown): boolean {
  return error instanceof ServiceError && error.faults[0].reason === 'resourcesExceeded';
}

/** The processes that are open: those at work, and those that wait, of which one is the spare. */
function createProcesses(options: EnginePoolOptions) {
  const open = new Set<EngineProcess>();
  let idle: EngineProcess[] = [];
  const start = (): EngineProcess => {
    const one = startEngineProcess(options);
    open.add(one);
    // Whoever takes it hears why; a spare that nobody takes is dropped.
    one.opened.catch(() => one.end());
    return one;
  };
  const alive = (): EngineProcess[] => {
    for (const one of open) if (!one.isAlive()) open.delete(one);
    return idle.filter((one) => one.isAlive());
  };
  const spare = (): EngineProcess => {
    idle = alive();
    const [first = start()] = idle;
    if (idle.length === 0) idle.push(first);
    return first;
  };
  const sweep = setInterval(() => {
    idle = alive();
    for (const one of idle.splice(1)) one.end();
  }, idleMs);
  sweep.unref();
  return {
    spare,
    take(): EngineProcess {
      idle = alive();
      const one = idle.pop() ?? start();
      if (open.size <= options.maxConcurrentQueries) spare();
      return one;
    },
    giveBack(one: EngineProcess): void {
      if (one.isAlive()) idle.push(one);
      else if (open.size <= options.maxConcurrentQueries) spare();
    },
    end(): void {
      clearInterval(sweep);
      for (const one of open) one.end();
    },
  };
}
