import { setImmediate } from 'node:timers/promises';
import type { Engine } from '../engine/engine.js';
import { ServiceError } from '../errors/errors.js';
import type { SourceSchema } from '../types/schema.js';
import { blockLength, blockRows, type EncodedRow, type StoredBlock } from './block.js';
import { earliest, latest, type WrittenRows } from './kept-rows.js';
import { createPartRows, maxRows, type PartRows, parseRows, type Range } from './read-rows.js';
import { createRows, type RowsPath, type RowsWriter } from './rows-file.js';

/** What to write. */
export interface RowsJob extends RowsPath {
  readonly source: SourceSchema;
  /** The name of the view of the part that is written. */
  readonly view: string;
  /** The size at which the file ends, roughly; older rows are left out. */
  readonly maxBytes: number;
}

/** How a job is watched and stopped. */
export interface RowsWatch {
  readonly onWritten: (written: WrittenRows) => void;
  readonly signal: AbortSignal;
}

/**
 * Writes the rows of a part to a file, newest first.
 * @throws an error of the file system or of the engine, or the signal's reason; nothing is left of the file then
 */
export async function writeRows(
  engine: Engine,
  job: RowsJob,
  { onWritten, signal }: RowsWatch,
): Promise<void> {
  const part = createPartRows(job.source, job.view);
  const file = createRows(job);
  const gathering = createGathering(file);
  let completeAfter = latest;
  try {
    for await (const rows of chunksOf(part, engine, signal)) {
      signal.throwIfAborted();
      completeAfter = await gathering.add(rows, completeAfter);
      const isFull = file.bytes() > job.maxBytes || file.blocks() > maxBlocks;
      if (isFull) gathering.close();
      onWritten(gathering.take(completeAfter));
      if (isFull) return file.finish(completeAfter);
    }
    gathering.close();
    onWritten(gathering.take(earliest));
    file.finish(earliest);
  } finally {
    file.close();
  }
}

/** The size of the JSON that is read at once, roughly, and how many rows that may be. */
const chunkBytes = 12_000_000;
const firstRows = 2_048;

/** All rows, newest first. The next ones are read while those before are written. */
async function* chunksOf(
  part: PartRows,
  engine: Engine,
  signal: AbortSignal,
): AsyncGenerator<readonly EncodedRow[]> {
  const end = await part.count(engine, signal);
  if (end === 0) return;
  let reading = readBefore(part, engine, { end, rows: firstRows, signal });
  for (;;) {
    const { json, start, rows } = await reading;
    if (start > 0) reading = readBefore(part, engine, { end: start, rows, signal });
    // Marks a failure as handled: it is thrown when the chunk is awaited.
    reading.catch(() => {});
    yield await parseRows(json);
    if (start === 0) return;
  }
}

interface ReadBefore {
  readonly end: number;
  readonly rows: number;
  readonly signal: AbortSignal;
}

interface ReadChunk {
  readonly json: Uint8Array;
  readonly start: number;
  /** How many rows to read next. */
  readonly rows: number;
}

/** Reads so many rows before an index; fewer, if their JSON is too large. */
async function readBefore(
  part: PartRows,
  engine: Engine,
  { end, rows, signal }: ReadBefore,
): Promise<ReadChunk> {
  signal.throwIfAborted();
  const range: Range = { start: Math.max(0, end - rows), end };
  try {
    const json = await part.read(engine, range, signal);
    const bytesPerRow = json.byteLength / Math.max(1, end - range.start);
    const next = Math.floor(chunkBytes / Math.max(1, bytesPerRow));
    return { json, start: range.start, rows: Math.max(1, Math.min(maxRows, next)) };
  } catch (error) {
    const isTooLarge =
      error instanceof ServiceError && error.faults[0].reason === 'resourcesExceeded';
    if (!isTooLarge || rows === 1) throw error;
    return readBefore(part, engine, { end, rows: Math.ceil(rows / 8), signal });
  }
}

/** The server keeps a part's index in memory, about a kilobyte for each block. */
const maxBlocks = 150_000;

/** Above this size in characters, rows that do not fill a block yet are written too. */
const maxOpenSize = 48_000_000;

/** Rows of a project that do not fill a block yet, and their size in characters. */
interface OpenRows {
  readonly rows: EncodedRow[];
  size: number;
}

/** Collects the rows of each project until they fill a block. */
function createGathering(file: RowsWriter) {
  const open = new Map<string | null, OpenRows>();
  let openSize = 0;
  let blocks: StoredBlock[] = [];
  const closeProject = (project: string | null, { rows, size }: OpenRows) => {
    open.delete(project);
    openSize -= size;
    blocks.push(file.add(rows));
  };
  const close = () => {
    for (const [project, own] of open) closeProject(project, own);
  };
  return {
    close,
    /** Adds rows that are not newer than those before. Returns the instant after which all were added. */
    async add(rows: readonly EncodedRow[], before: bigint): Promise<bigint> {
      let last = before;
      for (const row of rows) {
        if (row.time > last) throw new Error('the rows of a part are not in order of time');
        last = row.time;
        const own = open.get(row.project) ?? { rows: [], size: 0 };
        open.set(row.project, own);
        own.rows.push(row);
        const size = lengthOf(row);
        own.size += size;
        openSize += size;
        if (own.rows.length < blockRows && own.size < blockLength) continue;
        closeProject(row.project, own);
        await setImmediate();
      }
      if (openSize > maxOpenSize) close();
      return last;
    },
    /** What was written since the last time. */
    take(completeAfter: bigint): WrittenRows {
      const taken = blocks;
      blocks = [];
      const left = [...open].map(
        ([project, { rows }]) => [project, rows[0]?.time ?? earliest] as const,
      );
      return { blocks: taken, completeAfter, open: left };
    },
  };
}

function lengthOf({ values }: EncodedRow): number {
  return values.reduce((sum, { length }) => sum + length, 0);
}
