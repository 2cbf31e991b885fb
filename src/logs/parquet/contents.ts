import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName, quoteText } from '../../common/quote.js';
import { addShape, emptyShape, type Shape } from '../columns/shape.js';
import { printKeys } from '../scan/node.js';
import { leavesOf, type ParquetColumn, type ParquetList, type ParquetNode } from './columns.js';

/** What a Parquet file says of a stored column: how often a value or a NULL stands there, and how many of them are values. */
export interface LeafCounts {
  readonly entries: number;
  /** Undefined where the file does not say. */
  readonly values: number | undefined;
}

/** A file whose columns are looked at. */
export interface ParquetLook {
  /** A query's FROM. */
  readonly table: string;
  readonly columns: readonly ParquetColumn[];
  readonly rows: number;
  /** By the place of the stored column. */
  readonly leaves: readonly LeafCounts[];
}

/** What the columns hold. */
export interface ParquetContents {
  readonly shape: Shape;
  /** Where lists hold two records or more, as the scan of lines gives it. */
  readonly several: readonly string[];
  /** The lists of which none has two elements. */
  readonly ones: ReadonlySet<ParquetList>;
}

interface Place {
  readonly keys: readonly string[];
  readonly node: ParquetNode;
  /** The value in a row; where `isMany`, a list of all values in it. */
  readonly sql: string;
  readonly isMany: boolean;
}

/**
 * Finds what to store of columns by their types and by the counts that stand in the file; only
 * where those do not tell the values are read.
 */
export async function findContents(
  connection: DuckDBConnection,
  look: ParquetLook,
): Promise<ParquetContents> {
  const places = look.columns.flatMap(({ name, node }) =>
    placesBelow({ keys: [name], node, sql: quoteName(name), isMany: false }),
  );
  const lists = places.flatMap(({ node }) => (node.is === 'list' ? [node] : []));
  const ones = new Set(lists.filter((list) => hasOneEach(list, look)));
  const longer = places.filter(({ node }) => isRecordList(node) && !ones.has(node));
  const unknown = places.filter(({ node }) => isSetBy(node, look) === undefined);
  const asked = [...unknown.map(isSetSql), ...longer.map(isSeveralSql)];
  const answers = await ask(connection, look, asked);
  const set = new Set(unknown.filter((_, index) => answers[index]).map(({ node }) => node));
  const several = longer.filter((_, index) => answers[unknown.length + index]);
  const isSet = (node: ParquetNode) => isSetBy(node, look) ?? set.has(node);
  const shape = { ...emptyShape(), fields: shapesOf(look.columns, isSet) };
  return { shape, several: several.map(({ keys }) => printKeys(keys)), ones };
}

function isRecordList(node: ParquetNode): node is ParquetList {
  return node.is === 'list' && node.element.is === 'record';
}

function placesBelow(place: Place): readonly Place[] {
  const { node, keys, sql, isMany } = place;
  if (node.is === 'list') {
    const inner = isMany ? `flatten(${sql})` : sql;
    return [place, ...placesBelow({ keys, node: node.element, sql: inner, isMany: true })];
  }
  if (node.is !== 'record') return [place];
  const fields = node.fields.flatMap(({ name, node: child }) => {
    const field = (of: string) => `struct_extract(${of}, ${quoteText(name)})`;
    const inner = isMany ? `list_transform(${sql}, lambda e: ${field('e')})` : field(sql);
    return placesBelow({ keys: [...keys, name], node: child, sql: inner, isMany });
  });
  return [place, ...fields];
}

/** A stored column has an entry for each row at least; it has no more where no list on its way is longer. */
function hasOneEach(list: ParquetList, { leaves, rows }: ParquetLook): boolean {
  return leavesOf(list).some(({ leaf }) => leaves[leaf]?.entries === rows);
}

/** Whether some value stands at a path; undefined where the counts do not tell. */
function isSetBy(node: ParquetNode, { leaves }: ParquetLook): boolean | undefined {
  const counts = leavesOf(node).map(({ leaf }) => leaves[leaf]?.values);
  if (counts.some((count) => count !== undefined && count > 0)) return true;
  return node.is === 'scalar' && counts[0] !== undefined ? false : undefined;
}

function isSetSql({ sql, isMany }: Place): string {
  return isMany ? `coalesce(max(list_count(${sql})), 0) > 0` : `count(${sql}) > 0`;
}

function isSeveralSql({ sql, isMany }: Place): string {
  const length = (of: string) => `len(list_filter(${of}, lambda x: x is not null))`;
  const longest = isMany
    ? `list_max(list_transform(${sql}, lambda l: ${length('l')}))`
    : length(sql);
  return `coalesce(max(${longest}), 0) > 1`;
}

async function ask(
  connection: DuckDBConnection,
  { table }: ParquetLook,
  asked: readonly string[],
): Promise<readonly boolean[]> {
  if (asked.length === 0) return [];
  const reader = await connection.runAndReadAll(`select ${asked.join(', ')} from ${table}`);
  return (reader.getRowsJson()[0] ?? []).map((answer) => answer === true);
}

type IsSet = (node: ParquetNode) => boolean;

function shapesOf(columns: readonly ParquetColumn[], isSet: IsSet): Map<string, Shape> {
  return new Map(columns.map(({ name, node }) => [name, shapeOf(node, isSet)]));
}

function shapeOf(node: ParquetNode, isSet: IsSet): Shape {
  const shape = emptyShape();
  if (!isSet(node)) return shape;
  if (node.is === 'scalar') for (const kind of node.kinds) shape.scalars.add(kind);
  if (node.is === 'record') shape.fields = shapesOf(node.fields, isSet);
  if (node.is === 'list') {
    shape.elements = emptyShape();
    addShape(shape.elements, shapeOf(node.element, isSet));
  }
  return shape;
}
