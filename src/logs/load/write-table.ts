import type { DuckDBConnection } from '@duckdb/node-api';
import type { SourceSchema } from '../../types/schema.js';
import { type FieldPlan, isDoubtful, mayBeBad, planFields } from '../columns/columns.js';
import { canReadDirectly, columnsQuery, findingsQuery, type Lines } from '../columns/extract.js';
import { inOrderOf, readAsLists } from '../columns/fit.js';
import type { MadeIds } from '../columns/made-id.js';
import type { LineCounts, Shape } from '../columns/shape.js';
import { schemaField } from '../columns/stored-type.js';
import { findTextFields, quotedNumbers, type TextFields } from '../columns/written-numbers.js';
import { jsonPart, type ParquetRows, parquetQuery } from '../parquet/query.js';
import { findListPaths } from '../scan/list-paths.js';
import type { RowsIn } from './attach-parts.js';
import { filesInOrder } from './files-in-order.js';
import type { CarriedRecords } from './job.js';
import type { OpenFile } from './open-file.js';
import { estimateBytes, type Staging, writeSorted } from './write-sorted.js';

/** The input of a table. */
export interface Writing {
  readonly source: SourceSchema;
  /** The schema of the records that are stored already. */
  readonly base?: SourceSchema | undefined;
  /** The paths of its records that are stored as lists. */
  readonly knownLists: readonly string[];
  readonly shape: Shape;
  readonly open: readonly OpenFile[];
  readonly staging: Staging;
  /** Stored records that are written too. */
  readonly carried?: Pick<CarriedRecords, 'records'> & { readonly rowsIn: RowsIn };
}

/** A table that was written. */
export interface WrittenTable {
  readonly fields: readonly FieldPlan[];
  readonly lists: ReadonlySet<string>;
  /** The lists that the files of this load require. */
  readonly ownLists: readonly string[];
  /** The findings of `findingsQuery` and their counts, by file. */
  readonly findings: ReadonlyMap<OpenFile, ReadonlyMap<string, number>>;
  /** Whether records are missing because their timestamps cannot be read. */
  readonly incomplete: boolean;
}

/** Writes a table. First checks the doubtful values, which decide which records are stored as lists. */
export async function writeTable(
  connection: DuckDBConnection,
  writing: Writing,
): Promise<WrittenTable> {
  const { source, base, knownLists, shape, open, carried } = writing;
  const known = new Set(knownLists);
  const found = planFields(source.columns, shape);
  const planned = inOrderOf(found, base?.columns ?? []);
  const fields = readAsLists(planned, known);
  const findings = await readFindings(connection, fields, open);
  const texts = [...findings.values()].flatMap((counts) => [...counts.keys()]);
  const own = new Set([
    ...texts.filter((text) => text.startsWith('L')).map((text) => text.slice(1)),
    ...findListPaths(fields, new Set(open.flatMap(({ several }) => several ?? []))),
  ]);
  const lists = new Set([...known, ...own]);
  const inOrder =
    carried === undefined &&
    canReadDirectly(fields) &&
    open.every((each) => canBeReadDirectly(each, fields))
      ? filesInOrder(open)
      : undefined;
  const columns = fields.map((field) => schemaField(field, '', lists));
  const query = [
    rowsQuery(fields, inOrder ?? open, { source, lists }),
    ...(carried?.rowsIn(columns) ?? []),
  ].join(' union all ');
  const rows = { query, isInOrder: inOrder !== undefined };
  const written = await writeRows(connection, writing, rows);
  const expected = open.reduce((sum, { counts }) => sum + counts.objects, carried?.records ?? 0);
  return { fields, lists, ownLists: [...own], findings, incomplete: written < expected };
}

/** A query of the rows of a table, and whether it returns them in order. */
interface Rows {
  readonly query: string;
  readonly isInOrder: boolean;
}

/** Writes the rows of a query in order and returns their number. */
async function writeRows(
  connection: DuckDBConnection,
  { source, open, staging }: Writing,
  { query, isInOrder }: Rows,
): Promise<number> {
  // Preserving the order of lines takes memory; only files in order need it.
  if (!isInOrder) await connection.run('set preserve_insertion_order = false');
  try {
    const rows = `select * from (${query}) where "timestamp" is not null`;
    const bytes = estimateBytes(open.map(({ linked }) => linked.file));
    const sorting = { name: source.name, query: rows, bytes, isInOrder, staging };
    return await writeSorted(connection, sorting);
  } finally {
    if (!isInOrder) await connection.run('set preserve_insertion_order = true');
  }
}

function rowsQuery(fields: readonly FieldPlan[], open: readonly OpenFile[], made: MadeIds): string {
  const files = open.flatMap((each) => parquetRows(each, fields));
  const texts = open.filter(({ parquet }) => parquet === undefined);
  const mayHoldNulls = texts.some((each) => each.mayHoldNulls);
  return [
    ...(texts.length > 0 || files.length === 0
      ? [columnsQuery(fields, linesOf(fields, texts), { ...made, mayHoldNulls })]
      : []),
    ...files.map((each) => parquetQuery(fields, each, made)),
  ].join(' union all ');
}

function parquetRows(each: OpenFile, fields: readonly FieldPlan[]): readonly ParquetRows[] {
  const { parquet: file, counts } = each;
  const texts = textFieldsOf(each, fields);
  return file === undefined ? [] : [{ file, texts, ...counts }];
}

function textFieldsOf({ shape }: OpenFile, fields: readonly FieldPlan[]): TextFields | undefined {
  return findTextFields(fields, shape);
}

function linesOf(fields: readonly FieldPlan[], open: readonly OpenFile[]): Lines {
  const isSound = (each: OpenFile) => canBeReadDirectly(each, fields);
  const sound = canReadDirectly(fields) ? open.filter(isSound) : [];
  return {
    sound: sound.map(({ linked }) => linked),
    others: open
      .filter((each) => !sound.includes(each))
      .map((each) => textLines(each, textFieldsOf(each, fields))),
  };
}

function canBeReadDirectly(each: OpenFile, fields: readonly FieldPlan[]): boolean {
  const { reader, counts, parquet } = each;
  const isSound = parquet === undefined && reader.isPlain && counts.bad === 0 && !counts.lacksId;
  return isSound && textFieldsOf(each, fields) === undefined;
}

function textLines({ reader, counts }: OpenFile, texts: TextFields | undefined): string {
  // As it is written: which numbers are quoted depends on other records.
  const record = counts.lacksId ? 'json::varchar' : 'null::varchar';
  const json = quotedNumbers(shallowJson(counts), texts);
  return `select ${json} as json, ${record} as record from (${reader.plain})`;
}

function shallowJson({ tooDeep }: LineCounts): string {
  return tooDeep ? 'case when not log_deep(json) then json end' : 'json';
}

async function readFindings(
  connection: DuckDBConnection,
  fields: readonly FieldPlan[],
  open: readonly OpenFile[],
): Promise<WrittenTable['findings']> {
  const all = new Map<OpenFile, ReadonlyMap<string, number>>();
  if (!fields.some(isDoubtful)) return all;
  const isAll = fields.some(mayBeBad);
  for (const each of open) {
    const inDoubt = inDoubtOf(each, fields, isAll);
    if (inDoubt === undefined) continue;
    const lines = `select 0 as n, ${shallowJson(each.counts)} as json from (${inDoubt.lines})`;
    const reader = await connection.runAndReadAll(`select finding, count(*)::double
      from (select unnest(findings) as finding from (${findingsQuery(inDoubt.fields, lines)}))
      group by finding`);
    const rows = reader.getRowsJson();
    all.set(each, new Map(rows.map(([text, count]) => [String(text), Number(count)])));
  }
  return all;
}

interface InDoubt {
  readonly fields: readonly FieldPlan[];
  /** A query with a column `json`. */
  readonly lines: string;
}

/** The part of a file whose values must be checked. */
function inDoubtOf(
  { parquet, reader, unscanned }: OpenFile,
  fields: readonly FieldPlan[],
  isAll: boolean,
): InDoubt | undefined {
  if (parquet !== undefined) return jsonPart(fields.filter(isDoubtful), parquet);
  const lines = isAll ? reader.plain : unscanned;
  return lines === undefined ? undefined : { fields, lines };
}
