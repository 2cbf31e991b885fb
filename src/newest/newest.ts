import { randomBytes } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Engine } from '../engine/engine.js';
import type { SourceSchema } from '../types/schema.js';
import { answerFromRows } from './answer.js';
import { type KeptPart, removeOthers } from './kept-part.js';
import { createKeptParts } from './kept-parts.js';
import { earliest } from './kept-rows.js';
import { createPartRows } from './read-rows.js';
import { openRows, type RowsReader } from './rows-file.js';
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

/** The limits of the files, and what the server does about large ones and failures. */
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

/** The share of the space that large parts may take: the rest is for new rows. */
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
  let large: LargePart[] = [];
  let writing: Promise<unknown> = Promise.resolve();
  const room = () => maxBytes - parts.bytes();

  async function keep(kept: KeptPart, engine: Engine, signal: AbortSignal): Promise<void> {
    if (await addComplete(kept)) return;
    const { source, view } = viewOf(kept);
    const rows = await createPartRows(source, view).count(engine, signal);
    if (rows === 0) addNone(kept);
    else if (rows > smallRows) large.push({ kept, rows });
    else await write(kept, { maxPartBytes: room(), signal, into: writeHere(engine) });
  }

  /** Writes the large parts one after another; each may have a share of the room in proportion to its rows. */
  function writeAll(all: readonly LargePart[], signal: AbortSignal): void {
    for (const [index, { kept, rows }] of all.entries()) {
      const left = all.slice(index).reduce((sum, part) => sum + part.rows, 0);
      const into: WriteRows = (job, watch) => writeLarge({ ...job, ...alone(kept) }, watch);
      const share = () => (room() - (1 - largeShare) * maxBytes) * (rows / left);
      writing = writing
        .then(() => write(kept, { maxPartBytes: share(), signal, into }))
        .catch((error) => signal.aborted || parts.fail(kept, error, { isFinal: true }));
    }
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
      if (next === undefined) {
        writeAll(large, signal);
        large = [];
        return false;
      }
      await keep(next, engine, signal).catch((error) => {
        if (!signal.aborted) parts.fail(next, error, { isFinal: false });
      });
      return true;
    },
  };
}

/** A part that is not written yet. */
interface LargePart {
  readonly kept: KeptPart;
  readonly rows: number;
}

interface Writing {
  readonly maxPartBytes: number;
  readonly signal: AbortSignal;
  readonly into: WriteRows;
}

/** Writes the file of a part, whose rows are found as they are written. */
async function write(kept: KeptPart, { maxPartBytes, signal, into }: Writing): Promise<void> {
  const stop = AbortSignal.any([signal, kept.dropped]);
  const { path } = kept;
  const maxFileBytes = Math.min(maxPartBytes, freeBytes(path) / 2);
  if (maxFileBytes <= 0) kept.state = 'done';
  if (stop.aborted || maxFileBytes <= 0) return;
  const building = `${path}.${randomBytes(8).toString('hex')}`;
  // The file is renamed when it is complete, which may be before the first rows are added.
  const open = () => openIfExists(building) ?? openRows(path);
  const onWritten: RowsWatch['onWritten'] = (written) => kept.add(written, open);
  const job = { ...viewOf(kept), path, building, maxBytes: maxFileBytes };
  await into(job, { onWritten, signal: stop });
  removeOthers(path);
  kept.state = 'done';
}

/** The free space of the disk that a file is on. @throws an error of the file system */
function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}

/** Finds the rows of a complete file; false if there is none. */
async function addComplete(kept: KeptPart): Promise<boolean> {
  const file = openIfExists(kept.path);
  const index = await file?.index();
  if (file === undefined || index === undefined || kept.dropped.aborted) {
    file?.close();
    return false;
  }
  kept.add({ ...index, open: [] }, () => file);
  kept.state = 'done';
  return true;
}

/** A part without rows needs no file. */
function addNone(kept: KeptPart): void {
  kept.add({ blocks: [], completeAfter: earliest, open: [] }, () => openRows(kept.path));
  kept.state = 'done';
}

function openIfExists(path: string): RowsReader | undefined {
  try {
    return openRows(path);
  } catch {
    return undefined;
  }
}

function writeHere(engine: Engine): WriteRows {
  return (job, watch) => writeRows(engine, job, watch);
}

/** The view that shows only a part, among those of its source. */
function viewOf({ source, part }: KeptPart): Pick<RowsJob, 'source' | 'view'> {
  return { source, view: (source.parts ?? []).length > 1 ? part.view : source.name };
}

/** The part as the only one of its source. */
function alone({ source, part }: KeptPart): Pick<RowsJob, 'source' | 'view'> {
  return { source: { ...source, parts: [part] }, view: source.name };
}
