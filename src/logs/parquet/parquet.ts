import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName } from '../../common/quote.js';
import type { Field } from '../../types/types.js';
import {
  addShape,
  emptyShape,
  type FieldNames,
  type LineCounts,
  type Shape,
} from '../columns/shape.js';
import type { TextFields } from '../columns/written-numbers.js';
import type { LogFile } from '../files/files.js';
import { type LineReader, pathSql } from '../files/line-reader.js';
import { scanRows } from '../scan/scan-lines.js';
import { sortedSql } from './canonical-json.js';
import { isTyped, type ParquetColumn, type ParquetList, readColumns } from './columns.js';
import { findContents, type LeafCounts } from './contents.js';
import { jsonOfTexts, plainJson, printObject } from './json-value.js';

/** A Parquet file and its columns. */
export interface ParquetFile {
  /** A table function, for a query's FROM. */
  readonly table: string;
  readonly columns: readonly FileColumn[];
  /** Lists that never have more than one element. */
  readonly singletons: ReadonlySet<ParquetList>;
  /** Whether some row may have no usable `id`. */
  readonly lacksId: boolean;
}

/** A column, and SQL for its JSON, as text, in which some fields are to become texts. */
export interface FileColumn extends ParquetColumn {
  readonly json: (texts?: TextFields) => string;
  /** SQL for its JSON, as text, with the fields of every record in the order of their names. */
  readonly sorted: string;
  /** Whether it can be read by its type. */
  readonly isTyped: boolean;
}

/** An open Parquet file and the contents of its columns. */
export interface OpenParquet {
  readonly shape: Shape;
  readonly reader: LineReader;
  readonly parquet: ParquetFile;
  readonly counts: LineCounts;
}

interface Wanted {
  readonly declared: readonly Field[];
  /** The fields that have types already; by default none has. */
  readonly typed?: FieldNames;
}

/**
 * Finds the contents of a Parquet file; reads no values where the types are enough.
 * @throws an error of DuckDB if the file cannot be read
 */
export async function openParquet(
  connection: DuckDBConnection,
  file: LogFile,
  { declared, typed: names }: Wanted,
): Promise<OpenParquet> {
  const table = `read_parquet(${pathSql(file)}, file_row_number = true, hive_partitioning = false)`;
  const { columns, leaves } = await describe(connection, table, declared);
  const { rows, ids } = await countRows(connection, table, columns);
  const stored = await countLeaves(connection, file);
  const hasCounts = stored.length === leaves;
  const typed = columns.filter((column) => hasCounts && column.isTyped);
  const contents = await findContents(connection, { table, columns: typed, rows, leaves: stored });
  const others = columns.filter((column) => !typed.includes(column));
  const shape = rows > 0 ? inOrderOf(columns, contents.shape) : emptyShape();
  const own =
    others.length === 0 ? undefined : await scanRows(connection, jsonLines(table, others), names);
  if (own !== undefined) addShape(shape, own.shape);
  const all = jsonLines(table, columns);
  return {
    shape,
    reader: { file, options: '', numbered: all },
    parquet: {
      table,
      columns: columns.map((column) => ({ ...column, isTyped: typed.includes(column) })),
      singletons: contents.singletons,
      lacksId: ids === undefined || ids < rows,
    },
    counts: {
      objects: own?.objects ?? rows,
      bad: own?.bad ?? 0,
      tooDeep: own?.tooDeep ?? false,
      several: [...contents.several, ...(own?.several ?? [])],
    },
  };
}

/** Columns as lines of `n` and `json`. */
export function jsonLines(table: string, columns: readonly FileColumn[]): string {
  return `select file_row_number + 1 as n, ${jsonObject(columns)} as json from ${table}`;
}

/** Columns as one JSON object in which some fields are to become texts. */
export function jsonObject(columns: readonly FileColumn[], texts?: TextFields): string {
  return `${printObject(columns.map(({ name, json }) => [name, json(texts)]))}::json`;
}

async function describe(
  connection: DuckDBConnection,
  table: string,
  declared: readonly Field[],
): Promise<{ readonly columns: readonly FileColumn[]; readonly leaves: number }> {
  const reader = await connection.runAndReadAll(
    `select * exclude (file_row_number) from ${table} limit 0`,
  );
  const types = reader.columnTypes();
  const { columns, leaves } = readColumns(reader.columnNames(), types);
  const described = columns.map((column, index) => {
    const { name, node } = column;
    const type = types[index];
    const ofTexts = (texts?: TextFields) => type && jsonOfTexts({ name, type, texts }, declared);
    const json = (texts?: TextFields) => ofTexts(texts) ?? plainJson(quoteName(name));
    const sorted =
      ofTexts() ?? plainJson(type === undefined ? quoteName(name) : sortedSql(name, type));
    return { ...column, json, sorted, isTyped: ofTexts() === undefined && isTyped(node) };
  });
  return { columns: described, leaves };
}

/**
 * Counts the rows, and those with an `id`; the latter is undefined if `id` is not read by its type.
 */
async function countRows(
  connection: DuckDBConnection,
  table: string,
  columns: readonly FileColumn[],
): Promise<{ readonly rows: number; readonly ids: number | undefined }> {
  const id = columns.find(({ name }) => name.toLowerCase() === 'id');
  const isScalar = id?.isTyped === true && id.node.is === 'scalar';
  const count = isScalar ? `count(${quoteName(id.name)})` : 'null';
  const reader = await connection.runAndReadAll(
    `select count(*)::double, ${count}::double from ${table}`,
  );
  const [rows, ids] = reader.getRowsJson()[0] ?? [];
  return { rows: Number(rows), ids: isScalar ? Number(ids) : undefined };
}

async function countLeaves(
  connection: DuckDBConnection,
  file: LogFile,
): Promise<readonly LeafCounts[]> {
  const reader = await connection.runAndReadAll(`select sum(num_values)::double,
      case when count(*) = count(stats_null_count)
        then (sum(num_values) - sum(stats_null_count))::double end,
      coalesce(bool_and(try_cast(stats_min_value as bigint) >= -${maxExact}
        and try_cast(stats_max_value as bigint) <= ${maxExact}), false)
    from parquet_metadata(${pathSql(file)}) group by column_id order by column_id`);
  return reader.getRowsJson().map(([entries, values, isExact]) => ({
    entries: Number(entries),
    values: values === null ? undefined : Number(values),
    isLong: isExact !== true,
  }));
}

/** FLOAT64 holds every integer up to this one. */
const maxExact = 2 ** 53;

/** A shape with all columns in their order, including those whose contents are not known yet. */
function inOrderOf(columns: readonly FileColumn[], { fields }: Shape): Shape {
  const known = columns.map(({ name }) => [name, fields?.get(name) ?? emptyShape()] as const);
  return { ...emptyShape(), fields: new Map(known) };
}
