import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { ignoreErrors } from '../common/ignore-errors.js';
import { lowerPriority } from '../common/lower-priority.js';
import { builtPath } from '../common/package-paths.js';
import { SetupError } from '../errors/errors.js';
import type { WrittenRows } from './kept-rows.js';
import type { RowsJob, RowsWatch } from './write-rows.js';

/** The limits of the engine that reads a part. */
export interface ReadingLimits {
  /** Of DuckDB, in its notation, such as `2GB`. */
  readonly memoryLimit: string;
  /** Resident memory in bytes above which the process ends itself. */
  readonly maxResidentBytes: number;
}

/** What the child writes, and how. */
interface ChildJob {
  /** Its source has one part. */
  readonly job: RowsJob;
  readonly limits: ReadingLimits;
}

/** A message of the child: any number of reports, then one answer. */
type Message = { readonly written: WrittenRows } | { readonly error: string } | 'done';

/**
 * Writes the rows of a part as `writeRows` does, in a process of its own with a low priority, so that neither the server nor
 * its engine processes are kept busy.
 * @throws Error if the rows cannot be written, or the signal's reason; nothing is left of the file then
 */
export async function writeRowsInChild(
  { job, limits }: ChildJob,
  { onWritten, signal }: RowsWatch,
): Promise<void> {
  signal.throwIfAborted();
  const child = fork(builtPath('child.js'), ['rows'], {
    env: {},
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const end = () => child.kill('SIGKILL');
  const remove = () => ignoreErrors(() => rmSync(job.building, { force: true }));
  const stop = () => {
    end();
    // Now: this process may end before it learns that the child has ended.
    remove();
  };
  signal.addEventListener('abort', stop);
  try {
    await answerOf(child, { job, limits }, onWritten);
  } catch (error) {
    remove();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
    end();
  }
}

function answerOf(
  child: ChildProcess,
  request: ChildJob,
  onWritten: RowsWatch['onWritten'],
): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: Message) => {
      try {
        if (message === 'done') resolve();
        else if ('error' in message) reject(new Error(message.error));
        else onWritten(message.written);
      } catch (error) {
        reject(error);
      }
    });
    child.once('error', reject);
    child.once('exit', (code, by) => {
      const ending = by === null ? `with exit code ${code}` : `by ${by}`;
      reject(new Error(`the process that reads the newest rows ended ${ending}`));
    });
    child.send(request, (error) => {
      if (error !== null) reject(error);
    });
  });
}

/** Lower than that of engine processes. */
const niceness = 15;

/** How often the process checks its memory, in milliseconds. */
const watchMs = 20;

/**
 * Runs in the child: receives a job, writes the rows, answers and waits for its end. Also exits if the parent does.
 * @throws SetupError if the process is not such a child
 */
export async function runRowsChild(): Promise<never> {
  if (process.send === undefined) {
    throw new SetupError(['rows: an internal command that only the program itself starts']);
  }
  lowerPriority(niceness);
  // A terminal sends Ctrl-C to both processes; the parent decides.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.once('message', (request: ChildJob) => {
    process.once('disconnect', () => {
      ignoreErrors(() => rmSync(request.job.building, { force: true }));
      endNow();
    });
    setInterval(() => {
      if (process.memoryUsage.rss() > request.limits.maxResidentBytes) endNow();
    }, watchMs);
    void write(request).then(
      () => send('done'),
      (error: unknown) => send({ error: String(error) }),
    );
  });
  return new Promise<never>(() => {});
}

async function write({ job, limits }: ChildJob): Promise<void> {
  // Imported only here: the parent has no use for the engine.
  const { openDuckDbEngine } = await import('../engine/duckdb/duckdb.js');
  const { writeRows } = await import('./write-rows.js');
  const engine = await openDuckDbEngine({
    ...limits,
    databaseFile: job.source.parts?.[0]?.file ?? '',
    sources: [job.source],
    threads: 1,
    queryTimeoutMs: readMs,
    maxResultBytes: maxReadBytes,
  });
  const { signal } = new AbortController();
  await writeRows(engine, job, { onWritten: (written) => send({ written }), signal });
}

/** The limits of one statement. */
const readMs = 60_000;
const maxReadBytes = 64_000_000;

function send(message: Message): void {
  process.send?.(message);
}

function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}
