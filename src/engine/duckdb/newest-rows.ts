import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBValue } from '@duckdb/node-api';
import { DuckDBBlobValue } from '../../process/duckdb-api.js';
import { quoteKey, quoteName } from '../../process/quote.js';
import { createSequence } from '../../process/sequence.js';
import { type NewestTable, newestSchema } from '../../rows/newest-table.js';
import type { NewestRequest, Result, Statement } from '../engine.js';
import { type Block, type BlockRow, chooseRows } from './newest-blocks.js';
import { findSpan } from './newest-span.js';

/** Answers requests for the newest records from rows printed by the loader. */
export type NewestRows = ReturnType<typeof createNewestRows>;

/**
 * Prepares to read the newest rows of some sources on a dedicated connection. Each source has one prepared statement,
 * whose only value is the project: nothing of a caller's text enters it.
 */
export function createNewestRows(connection: DuckDBConnection, tables: readonly NewestTable[]) {
  const prepared = new Map<string, DuckDBPreparedStatement>();
  const { run, close } = createSequence(connection);

  async function readBlocks(source: string, project: string): Promise<readonly Block[]> {
    const statement = prepared.get(source) ?? (await connection.prepare(selectBlocks(source)));
    prepared.set(source, statement);
    statement.bindVarchar(1, project);
    return (await statement.runAndReadAll()).getRows().map(toBlock);
  }

  return {
    /** The connection used for reading, which may be interrupted. */
    connection,
    /**
     * Answers a statement; undefined if some of its rows are not kept or are too large, so that the statement must run.
     * @throws ServiceError `backendBusy` after `close`
     */
    async answer(
      { newest, format = 'json', redact, maxRows }: Statement,
      maxBytes: number,
    ): Promise<Omit<Result, 'timings'> | undefined> {
      if (newest === undefined || format !== 'json' || redact === true) return undefined;
      const table = tables.find((one) => isKept(newest, one));
      const project = newest.project ?? table?.onlyProject;
      if (table === undefined || project === undefined) return undefined;
      const blocks = await run(() => readBlocks(table.source, project));
      const limit = Math.min(newest.limit ?? Number.POSITIVE_INFINITY, maxRows + 1);
      const choice = { ...findSpan(newest), limit, maxRows };
      const chosen = chooseRows(blocks, table, choice);
      if (chosen === undefined) return undefined;
      const body = printRows(chosen.rows, pickColumns(newest, table), maxBytes);
      if (body === undefined) return undefined;
      return { body, format, rowCount: chosen.rows.length, truncated: chosen.truncated };
    },
    close,
  };
}

function isKept({ source, columns }: NewestRequest, table: NewestTable): boolean {
  return source === table.source && columns.every(({ column }) => table.columns.includes(column));
}

function selectBlocks(source: string): string {
  return `select part, epoch_us(newest), epoch_us(oldest), is_last, "rows"
    from ${newestSchema}.${quoteName(source)} where project = $1`;
}

function toBlock([part, newest, oldest, isLast, packed]: readonly DuckDBValue[]): Block {
  if (!(packed instanceof DuckDBBlobValue)) throw new Error('a block of rows is not a blob');
  return {
    part: Number(part),
    newest: BigInt(String(newest)),
    oldest: BigInt(String(oldest)),
    isLast: isLast === true,
    packed: packed.bytes,
  };
}

/** A column of the answer: its key, with one character for each byte, and its index in a printed row. */
interface Picked {
  readonly key: string;
  readonly index: number;
}

function pickColumns({ columns }: NewestRequest, table: NewestTable): readonly Picked[] {
  return columns.map(({ name, column }) => ({
    key: Buffer.from(quoteKey(name)).toString('latin1'),
    index: table.columns.indexOf(column),
  }));
}

/** Prints the rows as a JSON array of objects, in UTF-8; undefined if it is larger than `maxBytes`. */
function printRows(
  rows: readonly BlockRow[],
  picked: readonly Picked[],
  maxBytes: number,
): Uint8Array<ArrayBuffer> | undefined {
  const objects: string[] = [];
  let bytes = 2;
  for (const { columns } of rows) {
    // A row has no text for a column that its part lacks.
    const texts = picked.map(({ key, index }) => key + (columns[index] ?? 'null'));
    // Count the bytes first: a statement may select a column a thousand times. A row has two braces and a comma.
    bytes += texts.reduce((sum, text) => sum + text.length + 1, 3);
    if (bytes > maxBytes) return undefined;
    objects.push(`{${texts.join(',')}}`);
  }
  return Uint8Array.from(Buffer.from(`[${objects.join(',')}]`, 'latin1'));
}
