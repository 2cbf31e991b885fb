import type { DuckDBType, DuckDBTypeId as TypeId } from '@duckdb/node-api';
import { DuckDBTypeId } from '../../common/duckdb-api.js';
import type { ScalarKind } from '../columns/shape.js';

/** What stands at one path of a Parquet file, by its type. */
export type ParquetNode = ParquetScalar | ParquetRecord | ParquetList | ParquetOther;

export interface ParquetScalar {
  readonly is: 'scalar';
  readonly typeId: TypeId;
  /** What its values are as JSON. */
  readonly kinds: readonly ScalarKind[];
  /** Its place among the columns as they are stored. */
  readonly leaf: number;
}

export interface ParquetRecord {
  readonly is: 'record';
  readonly fields: readonly ParquetColumn[];
}

export interface ParquetList {
  readonly is: 'list';
  readonly element: ParquetNode;
}

/** What is read as JSON alone. */
export interface ParquetOther {
  readonly is: 'other';
}

/** A column of a Parquet file, or a field of its structs. */
export interface ParquetColumn {
  readonly name: string;
  readonly node: ParquetNode;
}

const text = ['VARCHAR'] as const;
// Which of the two DuckDB tells by the sign; no plan is another for it.
const integer = ['UBIGINT', 'BIGINT'] as const;
const double = ['DOUBLE'] as const;

const kindsOfTypes: ReadonlyMap<TypeId, readonly ScalarKind[]> = new Map<
  TypeId,
  readonly ScalarKind[]
>([
  [DuckDBTypeId.BOOLEAN, ['BOOLEAN']],
  [DuckDBTypeId.TINYINT, integer],
  [DuckDBTypeId.SMALLINT, integer],
  [DuckDBTypeId.INTEGER, integer],
  [DuckDBTypeId.BIGINT, integer],
  [DuckDBTypeId.UTINYINT, integer],
  [DuckDBTypeId.USMALLINT, integer],
  [DuckDBTypeId.UINTEGER, integer],
  [DuckDBTypeId.FLOAT, double],
  [DuckDBTypeId.DOUBLE, double],
  [DuckDBTypeId.VARCHAR, text],
  [DuckDBTypeId.UUID, text],
  [DuckDBTypeId.DATE, text],
  [DuckDBTypeId.TIMESTAMP, text],
  [DuckDBTypeId.TIMESTAMP_S, text],
  [DuckDBTypeId.TIMESTAMP_MS, text],
  [DuckDBTypeId.TIMESTAMP_NS, text],
  [DuckDBTypeId.TIMESTAMP_TZ, text],
]);

/** The columns of a Parquet file, and how many columns they are as they are stored. */
export function readColumns(
  names: readonly string[],
  types: readonly DuckDBType[],
): { readonly columns: readonly ParquetColumn[]; readonly leaves: number } {
  const counter = { leaves: 0 };
  const columns = toColumns(names, types, counter);
  return { columns, leaves: counter.leaves };
}

interface Counter {
  leaves: number;
}

function toColumns(
  names: readonly string[],
  types: readonly DuckDBType[],
  counter: Counter,
): readonly ParquetColumn[] {
  return names.flatMap((name, place) => {
    const type = types[place];
    return type === undefined ? [] : [{ name, node: toNode(type, counter) }];
  });
}

function toNode(type: DuckDBType, counter: Counter): ParquetNode {
  if (type.typeId === DuckDBTypeId.STRUCT) {
    return { is: 'record', fields: toColumns(type.entryNames, type.entryTypes, counter) };
  }
  if (type.typeId === DuckDBTypeId.LIST) {
    return { is: 'list', element: toNode(type.valueType, counter) };
  }
  if (type.typeId === DuckDBTypeId.MAP) {
    toNode(type.keyType, counter);
    toNode(type.valueType, counter);
    return { is: 'other' };
  }
  const leaf = counter.leaves;
  counter.leaves += 1;
  const kinds = kindsOfTypes.get(type.typeId);
  // A text that is marked as JSON is an alias of VARCHAR.
  const isPlain = kinds !== undefined && type.alias === undefined;
  return isPlain ? { is: 'scalar', typeId: type.typeId, kinds, leaf } : { is: 'other' };
}

/** The scalars at a path and below it. */
export function leavesOf(node: ParquetNode): readonly ParquetScalar[] {
  if (node.is === 'scalar') return [node];
  if (node.is === 'record') return node.fields.flatMap((field) => leavesOf(field.node));
  return node.is === 'list' ? leavesOf(node.element) : [];
}

const deepest = 32;

/** Whether all at a path and below it is read by its type. */
export function isTyped(node: ParquetNode, depth = 0): boolean {
  if (node.is === 'list') return isTyped(node.element, depth + 1);
  if (node.is !== 'record') return node.is === 'scalar';
  return depth < deepest && node.fields.every((field) => isTyped(field.node, depth + 1));
}
