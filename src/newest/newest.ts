import { digestOf } from '../common/digest-of.js';
import type { Engine } from '../engine/engine.js';
import type { Part, SourceSchema } from '../types/schema.js';
import { answerFromRows } from './answer.js';
import { compareInstants, createKeptRows, earliest, type KeptRows, latest } from './kept-rows.js';
import { startOf } from './project-rows.js';
import { createReadChunk, type ReadChunk } from './read-chunk.js';

/** One state of the logs. */
export interface NewestData<E extends Engine = Engine> {
  readonly engine: E;
  readonly sources: readonly SourceSchema[];
}

/**
 * The newest rows of all sources, encoded, in memory. They are read from the engine in the background, a chunk at a time.
 * A database file never changes, so what was read of a part stays right as long as the source has the same columns.
 */
export interface Newest {
  /** The engine of a state, except that a statement is answered from memory if all its rows are kept. */
  answering<E extends Engine>(data: NewestData<E>): E;
  /** Reads one more chunk of the current state; false if there is nothing left to read. */
  readMore(data: NewestData, signal: AbortSignal): Promise<boolean>;
  /** Roughly how much memory the rows take. */
  bytes(): number;
}

/** The limits of kept rows, and who is told of failures. */
export interface NewestOptions {
  /** Above it, the oldest rows are dropped; 0 for no rows. */
  readonly maxBytes: number;
  readonly maxResultBytes: number;
  /** Called with the last error of a source with a part that cannot be read, whose rows are not kept then. */
  readonly onFailure?: ((source: string, error: unknown) => void) | undefined;
}

/** What is kept of a part. */
interface KeptPart {
  readonly rows: KeptRows;
  /** Rows at this instant and before were not read yet. */
  reached: bigint;
  isDone: boolean;
  failures: number;
  reader?: { readonly view: string; readonly read: ReadChunk };
}

/** A part that cannot be read is given up after so many attempts. */
const maxFailures = 3;

const noRows: Newest = {
  answering: ({ engine }) => engine,
  readMore: async () => false,
  bytes: () => 0,
};

/** Creates a container without rows. */
export function createNewest({ maxBytes, maxResultBytes, onFailure }: NewestOptions): Newest {
  if (maxBytes === 0) return noRows;
  let parts = new Map<string, KeptPart>();
  const bytes = () => [...parts.values()].reduce((sum, { rows }) => sum + rows.bytes(), 0);
  const rowsOf = (source: SourceSchema, part: Part) => parts.get(keyOf(source, part))?.rows;
  return {
    bytes,
    answering: ({ engine, sources }) => ({
      ...engine,
      run: async (statement, options) =>
        answerFromRows(statement, { sources, rowsOf, maxResultBytes }) ??
        engine.run(statement, options),
    }),
    async readMore({ engine, sources }, signal) {
      const current = partsOf(sources, parts);
      parts = new Map(current.map(({ key, kept }) => [key, kept]));
      const [next] = current
        .filter(({ kept }) => !kept.isDone)
        .toSorted((one, other) => compareInstants(other.kept.reached, one.kept.reached));
      if (next === undefined) return false;
      const error = await readPart(next, engine, signal);
      if (error !== undefined) onFailure?.(next.source.name, error);
      if (bytes() > maxBytes) dropOldest([...parts.values()], keptShare * maxBytes);
      return true;
    },
  };
}

/** A part of the current state, and what is kept of it. */
interface CurrentPart {
  readonly key: string;
  readonly source: SourceSchema;
  readonly part: Part;
  readonly kept: KeptPart;
}

function partsOf(
  sources: readonly SourceSchema[],
  known: ReadonlyMap<string, KeptPart>,
): readonly CurrentPart[] {
  // The times that other sources show are not the stored ones.
  const stored = sources.filter(({ seenAsNow }) => seenAsNow === undefined);
  return stored.flatMap((source) =>
    (source.parts ?? []).map((part) => {
      const key = keyOf(source, part);
      return { key, source, part, kept: known.get(key) ?? createKeptPart() };
    }),
  );
}

/** The columns of a source decide how its rows are encoded. */
function keyOf({ name, columns }: SourceSchema, { file }: Part): string {
  return `${name} ${file} ${digestOf(columns)}`;
}

function createKeptPart(): KeptPart {
  return { rows: createKeptRows(), reached: latest, isDone: false, failures: 0 };
}

/** Returns the error after which the part is given up. */
async function readPart(
  { source, part, kept }: CurrentPart,
  engine: Engine,
  signal: AbortSignal,
): Promise<unknown> {
  const view = (source.parts ?? []).length > 1 ? part.view : source.name;
  try {
    if (kept.reader?.view !== view) kept.reader = { view, read: createReadChunk(source, view) };
    const { rows, completeAfter } = await kept.reader.read(engine, kept.reached, signal);
    await kept.rows.add(rows, completeAfter);
    kept.reached = completeAfter;
    kept.isDone = completeAfter === earliest || rows.length === 0;
    return undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    kept.failures += 1;
    kept.isDone = kept.failures === maxFailures;
    return kept.isDone ? error : undefined;
  }
}

/** The share of the memory that stays in use when rows are dropped. */
const keptShare = 0.9;

/** Drops the oldest rows until the others have a size; no older ones are read. */
function dropOldest(parts: readonly KeptPart[], bytes: number): void {
  for (const { rows } of parts) rows.close();
  const oldestFirst = parts
    .flatMap(({ rows }) => rows.blocks())
    .toSorted((one, other) => compareInstants(startOf(one), startOf(other)));
  let rest = oldestFirst.reduce((sum, block) => sum + block.bytes, 0) - bytes;
  const last = oldestFirst.find((block) => {
    rest -= block.bytes;
    return rest <= 0;
  });
  for (const part of parts) {
    if (last !== undefined) part.rows.dropUntil(startOf(last));
    part.isDone ||= part.reached < latest;
  }
}
