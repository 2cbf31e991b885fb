import type { Block, StoredBlock } from './block.js';

/** Rows that were written to a file since the last time, and what they leave out. */
export interface WrittenRows {
  readonly blocks: readonly StoredBlock[];
  /** Every row of the part after this instant was written, except the rows in `open`. */
  readonly completeAfter: bigint;
  /** The projects with rows that are in no block yet, and the newest instant of such a row. */
  readonly open: readonly (readonly [project: string | null, newest: bigint])[];
}

/** The rows after one instant and up to another, in unix microseconds. */
export interface Span {
  readonly after: bigint;
  readonly until: bigint;
  readonly limit: number;
}

/** A row: where it is. */
export interface FoundRow {
  readonly time: bigint;
  readonly block: Block;
  readonly index: number;
}

/** The newest rows of one part. */
export interface KeptRows {
  /** Adds rows that are older than those before. */
  add(written: WrittenRows): void;
  /**
   * The rows of a span, newest first; undefined if some of them might be missing, or if they are large. Without a project,
   * those of all projects, if the rows have only one.
   */
  find(span: Span, project: string | undefined): readonly FoundRow[] | undefined;
}

/** The instants before and after every timestamp. */
export const earliest = -(2n ** 63n);
export const latest = 2n ** 63n - 1n;

/** Creates a container without rows. */
export function createKeptRows(read: (block: StoredBlock) => Block): KeptRows {
  /** By project, newest first. */
  const stored = new Map<string | null, StoredBlock[]>();
  let completeAfter = latest;
  let open: ReadonlyMap<string | null, bigint> = new Map();
  const onlyProject = () => {
    const projects = new Set([...stored.keys(), ...open.keys()]);
    return projects.size > 1 ? undefined : ([...projects][0] ?? null);
  };
  return {
    add(written) {
      for (const block of written.blocks) {
        const blocks = stored.get(block.project) ?? [];
        stored.set(block.project, blocks);
        blocks.push(block);
      }
      completeAfter = written.completeAfter;
      open = new Map(written.open);
    },
    find(span, wanted) {
      const project = wanted ?? onlyProject();
      if (project === undefined) return undefined;
      const after = later(span.after, later(completeAfter, open.get(project) ?? earliest));
      const found = findIn(stored.get(project) ?? [], { ...span, after }, read);
      if (found === undefined) return undefined;
      return found.length === span.limit || after === span.after ? found : undefined;
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

/** Larger blocks are left to the engine, in bytes: they would keep the server's thread busy. */
const maxRawBytes = 6_000_000;

/** Undefined if the rows are in large blocks. */
function findIn(
  blocks: readonly StoredBlock[],
  { after, until, limit }: Span,
  read: (block: StoredBlock) => Block,
): readonly FoundRow[] | undefined {
  const found: FoundRow[] = [];
  let rawBytes = 0;
  for (let at = firstUntil(blocks, until); at < blocks.length; at += 1) {
    const stored = blocks[at];
    if (stored === undefined || stored.start <= after) break;
    rawBytes += stored.rawBytes;
    if (rawBytes > maxRawBytes) return undefined;
    const block = read(stored);
    for (const [index, time] of block.times.entries()) {
      if (found.length >= limit || time <= after) return found;
      if (time <= until) found.push({ time, block, index });
    }
  }
  return found;
}

/** The index of the first block that has a row at an instant or before it. */
function firstUntil(blocks: readonly StoredBlock[], until: bigint): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.end ?? earliest) <= until) high = middle;
    else low = middle + 1;
  }
  return low;
}
