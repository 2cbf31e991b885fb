import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** A record: its time in unix microseconds, its project if it has one, and the JSON text of each column, a line each. */
export interface EncodedRow {
  readonly time: bigint;
  readonly project: string | null;
  readonly lines: string;
}

/** Some rows of one project, newest first, compressed by column. */
export interface Block {
  readonly times: BigInt64Array;
  readonly columns: readonly Uint8Array[];
  readonly bytes: number;
}

/** A row: where it is. */
export interface FoundRow {
  readonly time: bigint;
  readonly block: Block;
  readonly index: number;
}

/** The rows after one instant and up to another, in unix microseconds. */
export interface Span {
  readonly after: bigint;
  readonly until: bigint;
  readonly limit: number;
}

/** The newest rows of one project. */
export interface ProjectRows {
  readonly blocks: readonly Block[];
  /** The size of the rows that are in no block yet. */
  readonly openBytes: number;
  /** The newest instant of such a row; those at that instant and before cannot be found yet. */
  readonly openFrom: bigint | undefined;
  /** Adds a row that is not newer than those before. */
  add(row: EncodedRow): void;
  /** Makes a block of the rows that are in none. */
  close(): void;
  find(span: Span): readonly FoundRow[];
  /** Drops the blocks that begin at an instant or before. */
  dropUntil(time: bigint): void;
}

/** How many rows a block has: with more, it compresses better, but takes longer to read. */
const blockRows = 128;

const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** The newest instant of a block. */
export function startOf({ times }: Block): bigint {
  return times[0] ?? 0n;
}

/** The oldest instant of a block. */
function endOf({ times }: Block): bigint {
  return times[times.length - 1] ?? 0n;
}

/** Creates a container without rows. */
export function createProjectRows(): ProjectRows {
  let blocks: readonly Block[] = [];
  let open: EncodedRow[] = [];
  let openBytes = 0;
  const close = () => {
    if (open.length > 0) blocks = [...blocks, createBlock(open)];
    open = [];
    openBytes = 0;
  };
  return {
    get blocks() {
      return blocks;
    },
    get openBytes() {
      return openBytes;
    },
    get openFrom() {
      return open[0]?.time;
    },
    add(row) {
      open.push(row);
      openBytes += row.lines.length;
      if (open.length === blockRows) close();
    },
    close,
    find: (span) => findIn(blocks, span),
    dropUntil(time) {
      blocks = blocks.filter((block) => startOf(block) > time);
    },
  };
}

function createBlock(rows: readonly EncodedRow[]): Block {
  const times = BigInt64Array.from(rows, ({ time }) => time);
  const values = rows.map(({ lines }) => lines.split('\n'));
  const columns = (values[0] ?? []).map((_, column) =>
    brotliCompressSync(values.map((texts) => texts[column]).join('\n'), fast),
  );
  const bytes = columns.reduce((sum, { byteLength }) => sum + byteLength, times.byteLength);
  return { times, columns, bytes };
}

/** The JSON texts of one column of a block, in UTF-8. */
export function readColumn({ columns, times }: Block, index: number): readonly Uint8Array[] {
  const compressed = columns[index];
  if (compressed === undefined) throw new Error(`a block has no column ${index}`);
  const texts = brotliDecompressSync(compressed);
  let start = 0;
  return Array.from(times, () => {
    const end = texts.indexOf('\n', start);
    const text = texts.subarray(start, end === -1 ? texts.length : end);
    start = end + 1;
    return text;
  });
}

function findIn(blocks: readonly Block[], { after, until, limit }: Span): readonly FoundRow[] {
  const found: FoundRow[] = [];
  for (const block of blocks) {
    if (startOf(block) <= after) break;
    if (endOf(block) > until) continue;
    for (const [index, time] of block.times.entries()) {
      if (found.length === limit || time <= after) return found;
      if (time <= until) found.push({ time, block, index });
    }
  }
  return found;
}
