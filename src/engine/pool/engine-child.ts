import { lowerPriority } from '../../common/lower-priority.js';
import { sendError } from '../../common/sent-error.js';
import { SetupError } from '../../errors/errors.js';
import { type DuckDbEngine, openDuckDbEngine } from '../duckdb/duckdb.js';
import {
  type EngineProcessOptions,
  type EngineReply,
  type EngineRequest,
  memorySignal,
} from './engine-messages.js';

/** How often the process checks its own memory, in milliseconds; its event loop stays free while DuckDB works. */
const watchMs = 20;

/**
 * The main function of an engine process: opens a database and runs one statement after another until its parent
 * disconnects. DuckDB can exceed its memory limit or ignore an interrupt; then only this process is lost.
 * @throws SetupError if the process has no parent to talk to
 */
export async function runEngineChild(): Promise<never> {
  if (process.send === undefined) {
    throw new SetupError(['engine: an internal command that only the program itself starts']);
  }
  process.once('disconnect', endNow);
  // The parent may have disconnected before the listener was added.
  if (!process.connected) endNow();
  lowerPriority();
  // A Ctrl-C in the terminal reaches the children too, but the server ends them itself once it has drained.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  let engine: DuckDbEngine | undefined;
  let running = new AbortController();
  process.on('message', (request: EngineRequest) => {
    if (request.kind === 'stop') running.abort();
    else if (request.kind === 'open')
      void open(request.options).then((opened) => (engine = opened));
    else if (engine !== undefined) {
      running = new AbortController();
      const { signal } = running;
      void engine.run(request.statement, { signal }).then(
        (result) => reply({ kind: 'result', result }),
        (error: unknown) => reply({ kind: 'error', error: sendError(error) }),
      );
    }
  });
  return new Promise<never>(() => {});
}

async function open(options: EngineProcessOptions): Promise<DuckDbEngine | undefined> {
  watchMemory(options.maxResidentBytes);
  try {
    const engine = await openDuckDbEngine(options);
    reply({ kind: 'open' });
    return engine;
  } catch (error) {
    const lines =
      error instanceof SetupError ? error.lines : [`the engine cannot start: ${String(error)}`];
    process.send?.({ kind: 'closed', lines } satisfies EngineReply, endNow);
    return undefined;
  }
}

/** Kills the process as soon as it exceeds the limit, because a statement can allocate more every millisecond. */
function watchMemory(maxResidentBytes: number): void {
  setInterval(() => {
    if (process.memoryUsage.rss() <= maxResidentBytes) return;
    process.kill(process.pid, memorySignal);
    endNow();
  }, watchMs);
}

function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

function reply(message: EngineReply): void {
  process.send?.(message);
}
