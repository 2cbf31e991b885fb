import { randomBytes } from 'node:crypto';
import type { Engine } from '../engine/engine.js';
import type { SourceSchema } from '../types/schema.js';
import { answerFromRows } from './answer.js';
import { type KeptPart, removeOthers } from './kept-part.js';
import { createKeptParts } from './kept-parts.js';
import { earliest } from './kept-rows.js';
import { createPartRows } from './read-rows.js';
import { type RowsIndex, readIndex } from './rows-file.js';
import { type RowsJob, type RowsWatch, writeRows } from './write-rows.js';

/** One state of the logs. */
export interface NewestData<E extends Engine = Engine> {
  readonly engine: E;
  readonly sources: readonly SourceSchema[];
}

/**
 * The newest rows of all sources, encoded, in a file beside the database file of each part. They are written in the
 * background. A database file never changes, so what was written of a part stays right as long as the source has the same
 * columns.
 */
export interface Newest {
  /** The engine of a state, except that a statement is answered from the files if all its rows are there. */
  answering<E extends Engine>(data: NewestData<E>): E;
  /**
   * Opens or writes the file of one more part of the current state; false if there is none left. Large files are written
   * later, one after another.
   */
  keepNext(data: NewestData, signal: AbortSignal): Promise<boolean>;
  stats(): NewestStats;
}

/** How much is kept. */
export interface NewestStats {
  /** The size of the rows in the files, in bytes. */
  readonly bytes: number;
  /** How many parts have rows that are still to be written. */
  readonly waiting: number;
}

/** The limits of the files, who writes large ones, and who is told of failures. */
export interface NewestOptions {
  /** The size of all files; 0 for none. */
  readonly maxBytes: number;
  readonly maxResultBytes: number;
  /** Writes the rows of a large part, the only one of the job's source. */
  readonly writeLarge: WriteRows;
  /** Called with the last error of a source with a part that cannot be written or read, whose rows are not kept then. */
  readonly onFailure?: ((source: string, error: unknown) => void) | undefined;
}

/** Writes a file, and rejects if that fails. */
export type WriteRows = (job: RowsJob, watch: RowsWatch) => Promise<void>;

/** Larger parts are written by `writeLarge`. */
const smallRows = 4_096;

/** The share of the size that large parts may take: the rest is for new rows. */
const largeShare = 0.9;

const noRows: Newest = {
  answering: ({ engine }) => engine,
  keepNext: async () => false,
  stats: () => ({ bytes: 0, waiting: 0 }),
};

/** Creates a container without rows. */
export function createNewest(options: NewestOptions): Newest {
  const { maxBytes, maxResultBytes, writeLarge, onFailure } = options;
  if (maxBytes === 0) return noRows;
  const parts = createKeptParts(onFailure);
  let writing: Promise<unknown> = Promise.resolve();

  async function keep(kept: KeptPart, engine: Engine, signal: AbortSignal): Promise<void> {
    const index = await readIndex(kept.path);
    if (index !== undefined) return add(kept, index);
    const { source, view } = viewOf(kept);
    const rows = await createPartRows(source, view).count(engine, signal);
    if (rows === 0) return add(kept, { blocks: [], completeAfter: earliest });
    const room = (share: number) => share * maxBytes - parts.bytes();
    if (rows <= smallRows) {
      const into: WriteRows = (job, watch) => writeRows(engine, job, watch);
      return write(kept, { maxPartBytes: room(1), signal, into });
    }
    const into: WriteRows = (job, watch) => writeLarge({ ...job, ...alone(kept) }, watch);
    writing = writing
      .then(() => write(kept, { maxPartBytes: room(largeShare), signal, into }))
      .catch((error) => signal.aborted || parts.fail(kept, error, { isFinal: true }));
  }

  return {
    stats: () => ({ bytes: parts.bytes(), waiting: parts.waiting() }),
    answering: ({ engine, sources }) => ({
      ...engine,
      run: async (statement, running) =>
        answerFromRows(statement, { sources, find: parts.find, maxResultBytes }) ??
        engine.run(statement, running),
    }),
    async keepNext({ engine, sources }, signal) {
      parts.use(sources);
      const next = parts.begin();
      if (next === undefined) return false;
      await keep(next, engine, signal).catch((error) => {
        if (!signal.aborted) parts.fail(next, error, { isFinal: false });
      });
      return true;
    },
  };
}

interface Writing {
  readonly maxPartBytes: number;
  readonly signal: AbortSignal;
  readonly into: WriteRows;
}

/** Writes the file of a part, whose rows are found as they are written. */
async function write(kept: KeptPart, { maxPartBytes, signal, into }: Writing): Promise<void> {
  const stop = AbortSignal.any([signal, kept.dropped]);
  if (maxPartBytes <= 0) kept.state = 'done';
  if (stop.aborted || maxPartBytes <= 0) return;
  const { path } = kept;
  const building = `${path}.${randomBytes(8).toString('hex')}`;
  const onWritten: RowsWatch['onWritten'] = (written) => kept.add(written, building);
  const job = { ...viewOf(kept), path, building, maxBytes: maxPartBytes };
  await into(job, { onWritten, signal: stop });
  removeOthers(path);
  kept.state = 'done';
}

/** Finds the rows of a file that is complete. */
function add(kept: KeptPart, index: RowsIndex): void {
  kept.add({ ...index, open: [] });
  kept.state = 'done';
}

/** The view that shows only a part, among those of its source. */
function viewOf({ source, part }: KeptPart): Pick<RowsJob, 'source' | 'view'> {
  return { source, view: (source.parts ?? []).length > 1 ? part.view : source.name };
}

/** The part as the only one of its source. */
function alone({ source, part }: KeptPart): Pick<RowsJob, 'source' | 'view'> {
  return { source: { ...source, parts: [part] }, view: source.name };
}
