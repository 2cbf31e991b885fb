import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName, quoteText } from '../../common/quote.js';
import { addShape, emptyShape, type Shape } from '../columns/shape.js';
import { printKeys } from '../scan/node.js';
import {
  leavesOf,
  type ParquetColumn,
  type ParquetList,
  type ParquetNode,
  type ParquetScalar,
} from './columns.js';

/**
 * Counts for a stored column, from the metadata of a Parquet file: all entries, NULLs included, and
 * values.
 */
export interface LeafCounts {
  readonly entries: number;
  /** Undefined if the metadata has no statistics. */
  readonly values: number | undefined;
  /** Whether there may be integers that FLOAT64 does not hold. */
  readonly isLong: boolean;
}

/** A file whose columns are examined. */
export interface ExaminedFile {
  /** A table function, for a query's FROM. */
  readonly table: string;
  readonly columns: readonly ParquetColumn[];
  readonly rows: number;
  /** By the index of the stored column. */
  readonly leaves: readonly LeafCounts[];
}

/** The contents of the columns. */
export interface ParquetContents {
  readonly shape: Shape;
  /** The paths of lists with two or more records, in the form that scanning lines returns. */
  readonly several: readonly string[];
  /** Lists that never have more than one element. */
  readonly singletons: ReadonlySet<ParquetList>;
}

interface ValueAt {
  readonly keys: readonly string[];
  readonly node: ParquetNode;
  /** SQL for the value in a row; if `isMany`, for a list of all its values. */
  readonly sql: string;
  readonly isMany: boolean;
}

/**
 * Determines the contents of columns from their types and the counts in the file's metadata; reads
 * values only if those are not enough.
 */
export async function findContents(
  connection: DuckDBConnection,
  file: ExaminedFile,
): Promise<ParquetContents> {
  const values = file.columns.flatMap(({ name, node }) =>
    valuesBelow({ keys: [name], node, sql: quoteName(name), isMany: false }),
  );
  const lists = values.flatMap(({ node }) => (node.is === 'list' ? [node] : []));
  const singletons = new Set(lists.filter((list) => hasOneEach(list, file)));
  const longer = values.filter(({ node }) => isRecordList(node) && !singletons.has(node));
  const unknown = values.filter(({ node }) => isSetBy(node, file) === undefined);
  const questions = [...unknown.map(isSetSql), ...longer.map(isSeveralSql)];
  const answers = await ask(connection, file, questions);
  const set = new Set(unknown.filter((_, index) => answers[index]).map(({ node }) => node));
  const several = longer.filter((_, index) => answers[unknown.length + index]);
  const isSet = (node: ParquetNode) => isSetBy(node, file) ?? set.has(node);
  const isLong = ({ leaf }: ParquetScalar) => file.leaves[leaf]?.isLong ?? true;
  const shape = { ...emptyShape(), fields: shapesOf(file.columns, { isSet, isLong }) };
  return { shape, several: several.map(({ keys }) => printKeys(keys)), singletons };
}

function isRecordList(node: ParquetNode): node is ParquetList {
  return node.is === 'list' && node.element.is === 'record';
}

function valuesBelow(value: ValueAt): readonly ValueAt[] {
  const { node, keys, sql, isMany } = value;
  if (node.is === 'list') {
    const inner = isMany ? `flatten(${sql})` : sql;
    return [value, ...valuesBelow({ keys, node: node.element, sql: inner, isMany: true })];
  }
  if (node.is !== 'record') return [value];
  const fields = node.fields.flatMap(({ name, node: child }) => {
    const field = (of: string) => `struct_extract(${of}, ${quoteText(name)})`;
    const inner = isMany ? `list_transform(${sql}, lambda e: ${field('e')})` : field(sql);
    return valuesBelow({ keys: [...keys, name], node: child, sql: inner, isMany });
  });
  return [value, ...fields];
}

/**
 * A stored column has at least one entry for each row, and more only if a list on its path is
 * longer than one.
 */
function hasOneEach(list: ParquetList, { leaves, rows }: ExaminedFile): boolean {
  return leavesOf(list).some(({ leaf }) => leaves[leaf]?.entries === rows);
}

/** Whether there is some value at a path; undefined if the counts do not tell. */
function isSetBy(node: ParquetNode, { leaves }: ExaminedFile): boolean | undefined {
  const counts = leavesOf(node).map(({ leaf }) => leaves[leaf]?.values);
  if (counts.some((count) => count !== undefined && count > 0)) return true;
  return node.is === 'scalar' && counts[0] !== undefined ? false : undefined;
}

function isSetSql({ sql, isMany }: ValueAt): string {
  return isMany ? `coalesce(max(list_count(${sql})), 0) > 0` : `count(${sql}) > 0`;
}

function isSeveralSql({ sql, isMany }: ValueAt): string {
  const length = (of: string) => `len(list_filter(${of}, lambda x: x is not null))`;
  const longest = isMany
    ? `list_max(list_transform(${sql}, lambda l: ${length('l')}))`
    : length(sql);
  return `coalesce(max(${longest}), 0) > 1`;
}

async function ask(
  connection: DuckDBConnection,
  { table }: ExaminedFile,
  questions: readonly string[],
): Promise<readonly boolean[]> {
  if (questions.length === 0) return [];
  const reader = await connection.runAndReadAll(`select ${questions.join(', ')} from ${table}`);
  return (reader.getRowsJson()[0] ?? []).map((answer) => answer === true);
}

interface Known {
  readonly isSet: (node: ParquetNode) => boolean;
  readonly isLong: (node: ParquetScalar) => boolean;
}

function shapesOf(columns: readonly ParquetColumn[], known: Known): Map<string, Shape> {
  return new Map(columns.map(({ name, node }) => [name, shapeOf(node, known)]));
}

function shapeOf(node: ParquetNode, known: Known): Shape {
  const shape = emptyShape();
  if (!known.isSet(node)) return shape;
  if (node.is === 'scalar') {
    for (const kind of node.kinds)
      if (kind !== 'LONG' || known.isLong(node)) shape.scalars.add(kind);
  }
  if (node.is === 'record') shape.fields = shapesOf(node.fields, known);
  if (node.is === 'list') {
    shape.elements = emptyShape();
    addShape(shape.elements, shapeOf(node.element, known));
  }
  return shape;
}
