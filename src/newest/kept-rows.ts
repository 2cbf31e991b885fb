import { setImmediate } from 'node:timers/promises';
import {
  type Block,
  createProjectRows,
  type EncodedRow,
  type FoundRow,
  type ProjectRows,
  type Span,
} from './project-rows.js';

/** The newest rows of one part, in memory. */
export interface KeptRows {
  /** Roughly how much memory they take. */
  bytes(): number;
  /** Adds rows, newest first and older than those before; every row after the instant is now kept. */
  add(rows: readonly EncodedRow[], completeAfter: bigint): Promise<void>;
  /**
   * The rows of a span, newest first; undefined if some of them may not be kept. Without a project, those of all
   * projects, if the rows have only one.
   */
  find(span: Span, project: string | undefined): readonly FoundRow[] | undefined;
  blocks(): readonly Block[];
  /** Makes blocks of the rows that are in none. */
  close(): void;
  /** Drops the blocks that begin at an instant or before. Older rows must not be added any more. */
  dropUntil(time: bigint): void;
}

/** The instants before and after every timestamp. */
export const earliest = -(2n ** 63n);
export const latest = 2n ** 63n - 1n;

/** Above this size, rows that do not fill a block yet are compressed too. */
const maxOpenBytes = 16_000_000;

/** How many rows are added before other work has a turn. */
const addedAtOnce = 256;

/** Creates a container without rows. */
export function createKeptRows(): KeptRows {
  const projects = new Map<string | null, ProjectRows>();
  let completeAfter = latest;
  const openBytes = () => sumOf(projects.values(), (rows) => rows.openBytes);
  const blocks = () => [...projects.values()].flatMap((rows) => rows.blocks);
  const close = () => {
    for (const rows of projects.values()) rows.close();
  };
  return {
    blocks,
    close,
    bytes: () => openBytes() + sumOf(blocks(), ({ bytes }) => bytes),
    async add(rows, after) {
      for (const [index, row] of rows.entries()) {
        if (index % addedAtOnce === addedAtOnce - 1) await setImmediate();
        const known = projects.get(row.project) ?? createProjectRows();
        projects.set(row.project, known);
        known.add(row);
      }
      completeAfter = after;
      if (openBytes() > maxOpenBytes || after === earliest) close();
    },
    find(span, project) {
      if (project === undefined && projects.size > 1) return undefined;
      const rows = project === undefined ? [...projects.values()][0] : projects.get(project);
      const after = later(span.after, later(completeAfter, rows?.openFrom ?? earliest));
      const found = rows?.find({ ...span, after }) ?? [];
      return found.length === span.limit || after === span.after ? found : undefined;
    },
    dropUntil(time) {
      const before = blocks().length;
      for (const rows of projects.values()) rows.dropUntil(time);
      if (blocks().length < before) completeAfter = later(completeAfter, time);
    },
  };
}

/** Orders instants. */
export function compareInstants(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function sumOf<T>(items: Iterable<T>, count: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += count(item);
  return sum;
}
