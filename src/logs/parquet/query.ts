import { quoteName, quoteText } from '../../common/quote.js';
import { otherFields } from '../../types/types.js';
import type { FieldPlan } from '../columns/columns.js';
import { extractColumn, type ListPaths, readRows } from '../columns/extract.js';
import { columnAt, type MadeIds, withMadeIds } from '../columns/made-id.js';
import { pathOf, typeSql } from '../columns/stored-type.js';
import { hasUntyped, quotedNumbers, type TextFields } from '../columns/written-numbers.js';
import { canonicalJson } from './canonical-json.js';
import { type FileColumn, jsonLines, jsonObject, type ParquetFile } from './parquet.js';
import { isReadable, type Reading, readValue } from './read-value.js';

/** A Parquet file whose rows go into a table. */
export interface ParquetRows {
  readonly file: ParquetFile;
  /** The fields that become texts. */
  readonly texts: TextFields | undefined;
  /** Whether some row has no `id`. */
  /** Whether some row is nested too deeply and must be skipped. */
  readonly tooDeep: boolean;
}

/**
 * A query that returns the rows of a table. Each column is read by its type if the plan allows it, else
 * as JSON.
 */
export function parquetQuery(
  fields: readonly FieldPlan[],
  rows: ParquetRows,
  made: MadeIds,
): string {
  const { file } = rows;
  const { lists } = made;
  const stored = fields.filter((field) => field.stored);
  const reading: Reading = { lists, singletons: file.singletons, stages: [] };
  const named: string[] = [];
  const columns = stored.map((field, index) => {
    const column = readableColumn(field, file, rows.texts);
    const others = field.name === otherFields ? otherColumns(fields, file) : undefined;
    const sql = column === undefined ? others : quoteName(column.name);
    if (sql !== undefined) named.push(`${sql} as c${index}`);
    const value =
      column === undefined
        ? ((others && `c${index}`) ?? jsonOrNull(field, file, lists))
        : readColumn(field, column, { sql: `c${index}`, reading });
    return `${value} as ${columnAt(index)}`;
  });
  const source = sourceQuery(rows, named, jsonFields(stored, file, rows.texts));
  const staged = reading.stages.reduce(
    (from, stage) => `select *, ${stage.join(', ')} from (${from})`,
    source,
  );
  return withMadeIds(`select ${columns.join(', ')}, record from (${staged})`, stored, made);
}

/**
 * The fields that are read as JSON, with a query of `n` and `json` for them; undefined if there are
 * none.
 */
export function jsonPart(
  fields: readonly FieldPlan[],
  file: ParquetFile,
): { readonly fields: readonly FieldPlan[]; readonly lines: string } {
  const json = jsonFields(fields, file);
  return { fields: json, lines: jsonLines(file.table, columnsOf(json, file)) };
}

function sourceQuery(
  { file, texts, tooDeep }: ParquetRows,
  named: readonly string[],
  json: readonly FieldPlan[],
): string {
  const record = file.lacksId ? canonicalJson(file.columns) : 'null::varchar';
  const columns = ['file_row_number + 1 as n', `${record} as record`, ...named];
  if (json.length === 0) return `select ${columns.join(', ')} from ${file.table}`;
  const object = `${jsonObject(columnsOf(json, file), texts)} as json`;
  const lines = `select ${[...columns, object].join(', ')} from ${file.table}`;
  return readRows(tooDeep ? `select * from (${lines}) where not log_deep(json)` : lines, json);
}

/** SQL for the columns without types as one text; undefined if there are none. */
function otherColumns(fields: readonly FieldPlan[], file: ParquetFile): string | undefined {
  const typed = new Set(columnsOf(fields, file));
  const others = file.columns.filter((column) => !typed.has(column));
  if (others.length === 0) return undefined;
  const line = quotedNumbers(jsonObject(others), { at: {}, typed: [] });
  return `${line} ->> ${quoteText(`$.${otherFields}`)}`;
}

/** SQL for a field that is read as JSON, or NULL if the file has no such column. */
function jsonOrNull(field: FieldPlan, file: ParquetFile, lists: ListPaths): string {
  if (columnsOf([field], file).length > 0) return extractColumn(field, lists);
  return `null::${typeSql(field.plan, pathOf('', field.name), lists)}`;
}

interface ColumnReading {
  readonly sql: string;
  readonly reading: Reading;
}

function readColumn(
  field: FieldPlan,
  { node }: FileColumn,
  { sql, reading }: ColumnReading,
): string {
  const path = pathOf('', field.name);
  const value = readValue(field.plan, { node, sql, path, depth: 0 }, reading);
  return `(${value})::${typeSql(field.plan, path, reading.lists)}`;
}

/** Fields with columns in the file that cannot be read by type. */
function jsonFields(
  fields: readonly FieldPlan[],
  file: ParquetFile,
  texts?: TextFields,
): readonly FieldPlan[] {
  return fields.filter((field) => {
    const isByType = readableColumn(field, file, texts) !== undefined;
    return !isByType && columnsOf([field], file).length > 0;
  });
}

function readableColumn(
  field: FieldPlan,
  file: ParquetFile,
  texts: TextFields | undefined,
): FileColumn | undefined {
  const [column, ...others] = columnsOf([field], file);
  const isSuited = column?.isTyped && others.length === 0 && isReadable(field.plan, column.node);
  return isSuited && !hasUntyped(texts?.at[column.name]) ? column : undefined;
}

function columnsOf(fields: readonly FieldPlan[], { columns }: ParquetFile): readonly FileColumn[] {
  const keys = new Set(fields.flatMap((field) => field.keys));
  return columns.filter(({ name }) => keys.has(name));
}
