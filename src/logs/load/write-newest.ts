import type { DuckDBConnection } from '@duckdb/node-api';
import { DuckDBBlobValue, DuckDBTimestampTZValue } from '../../process/duckdb-api.js';
import { quoteName, quoteText } from '../../process/quote.js';
import { newestSchema, newestTable } from '../../rows/newest-table.js';
import { printedTable, printRow, projectSql } from '../../rows/print-columns.js';
import { blockBytes, blockRows, packRows } from '../../rows/row-block.js';
import { hasRowIds, type SourceSchema } from '../../types/schema.js';
import { countStored } from '../../types/types.js';
import { isOutOfMemory } from './write-sorted.js';

/** The connections for the newest rows: one reads the written table, the other writes the blocks of rows. */
export interface NewestContext {
  readonly connection: DuckDBConnection;
  readonly connect: () => Promise<DuckDBConnection>;
  /** The maximum number of rows to keep of each project; 0 for none. */
  readonly newestRows: number;
}

/**
 * Writes the newest rows of each project of a source, in printed form, into a table beside its records: see
 * ARCHITECTURE.md. Writes no table if there are more projects than rows to keep, if rows have too many fields, or if
 * memory runs out.
 */
export async function writeNewest(
  context: NewestContext,
  source: SourceSchema,
  records: number,
): Promise<void> {
  const table = newestTable(source);
  if (context.newestRows === 0 || table === undefined || !hasRowIds(source)) return;
  if (countStored(source.columns) > maxPrintedFields) return;
  const { connection } = context;
  const rows = records <= context.newestRows ? records : await fitRows(context, source);
  if (rows === 0 && records > 0) return;
  const name = `out.${newestSchema}.${quoteName(source.name)}`;
  await connection.run(`create schema if not exists out.${newestSchema}`);
  await connection.run(`create table ${name} (project varchar,
    newest timestamptz, oldest timestamptz, is_last boolean, "rows" blob)`);
  try {
    await chooseRows(connection, source, rows);
    await writeBlocks(context, source);
    await connection.run(`comment on table ${name} is ${quoteText(table.prints[0])}`);
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    await connection.run(`drop table ${name}`);
  } finally {
    await connection.run('drop table if exists newest_rows');
  }
}

/** The maximum number of stored fields: printing a few hundred rows of more takes longer than storing them. */
const maxPrintedFields = 1_500;

/** The maximum share of a source's records to keep: a kept row takes almost as much space as its record. */
const maxShare = 0.2;

/** The minimum of the limit, in rows per table, so that small parts keep rows too. */
const minKept = 20_000;

/** The maximum bytes of text per project: a request reads all of its blocks. */
const maxProjectBytes = 16_000_000;

/** Returns the number of rows per project that keeps the total within {@link maxShare}, or {@link minKept}. */
async function fitRows(
  { connection, newestRows }: NewestContext,
  source: SourceSchema,
): Promise<number> {
  const reader = await connection.runAndReadAll(`
    select records::double, count(*)::double from (
      select count(*) as records from ${printedRecords(source)}
      where ${projectSql(source)} is not null group by ${projectSql(source)})
    group by records`);
  const projects = reader.getRows().map(([records, count]) => [Number(records), Number(count)]);
  const sum = (rows: number) =>
    projects.reduce((kept, [records = 0, count = 0]) => kept + count * Math.min(rows, records), 0);
  const allowed = Math.max(minKept, maxShare * sum(Number.POSITIVE_INFINITY));
  let [low, high] = [0, newestRows];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(middle) <= allowed) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Ranks the newest rows of each project by row id, so that columns are read only for the kept rows. One more row
 * shows whether the last one shares its time.
 */
async function chooseRows(
  connection: DuckDBConnection,
  source: SourceSchema,
  rows: number,
): Promise<void> {
  await connection.run(`create temporary table newest_rows as
    with records as (${recordKeys(source)}),
    floors as (select project, list_min(max("timestamp", ${rows + 1})) as floor, count(*) as count
      from records where project is not null group by project),
    ranked as (select row, project, count,
        row_number() over (partition by project order by "timestamp" desc, id) - 1 as rank
      from records join floors using (project) where "timestamp" >= floor)
    select row, project, rank, rank + 1 = count as is_last from ranked where rank <= ${rows}`);
}

/**
 * A query of the row id, time, id and project of each record. Other queries read only these, because a column of the
 * table may have any name, such as `rank`.
 */
function recordKeys(source: SourceSchema): string {
  return `select rowid as row, "timestamp", id, ${projectSql(source)} as project
    from ${printedRecords(source)}`;
}

function printedRecords({ name }: SourceSchema): string {
  return `out.main.${quoteName(name)} as ${printedTable}`;
}

/** A row of a project in printed form. */
interface PrintedRow {
  readonly project: string;
  readonly rank: number;
  /** In unix microseconds. */
  readonly time: bigint;
  /** Whether it is the oldest of its project. */
  readonly isLast: boolean;
  readonly text: Uint8Array;
}

/** Writes on another connection: the reading one can have only one open result. */
async function writeBlocks({ connection, connect }: NewestContext, source: SourceSchema) {
  const writer = await connect();
  try {
    const blocks = await writer.createAppender(source.name, newestSchema, 'out');
    let open: PrintedRow[] = [];
    let bytes = 0;
    const close = () => {
      const [first, last] = [open[0], open.at(-1)];
      if (first === undefined || last === undefined) return;
      blocks.appendVarchar(first.project);
      blocks.appendTimestampTZ(new DuckDBTimestampTZValue(first.time));
      blocks.appendTimestampTZ(new DuckDBTimestampTZValue(last.time));
      blocks.appendBoolean(last.isLast);
      blocks.appendBlob(packRows(open.map(({ text }) => text)));
      blocks.endRow();
      [open, bytes] = [[], 0];
    };
    let projectBytes = 0;
    for await (const row of readRows(connection, source)) {
      if (row.rank === 0 || open.length === blockRows || bytes > blockBytes) close();
      projectBytes = row.text.byteLength + (row.rank === 0 ? 0 : projectBytes);
      // Keep the first row: a project without a block counts as having no records.
      if (row.rank > 0 && projectBytes > maxProjectBytes) continue;
      open.push(row);
      bytes += row.text.byteLength;
    }
    close();
    blocks.closeSync();
  } finally {
    writer.closeSync();
  }
}

/** Reads the chosen rows by project, newest first. */
async function* readRows(
  connection: DuckDBConnection,
  source: SourceSchema,
): AsyncGenerator<PrintedRow> {
  const result = await connection.stream(`
    select n.project, n.rank::integer, epoch_us(${printedTable}."timestamp"), n.is_last,
      encode(${printRow(source)})
    from ${printedRecords(source)} join newest_rows as n on n.row = ${printedTable}.rowid
    order by n.project, n.rank`);
  for await (const rows of result.yieldRows()) {
    for (const [project, rank, time, isLast, text] of rows) {
      if (!(text instanceof DuckDBBlobValue)) throw new Error('a printed row is not a blob');
      yield {
        project: String(project),
        rank: Number(rank),
        time: BigInt(String(time)),
        isLast: isLast === true,
        text: text.bytes,
      };
    }
  }
}
