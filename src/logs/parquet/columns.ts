import type { DuckDBType, DuckDBTypeId as TypeId } from '@duckdb/node-api';
import { DuckDBTypeId } from '../../common/duckdb-api.js';
import type { ScalarKind } from '../columns/shape.js';

/** One path of a Parquet file, by its type. */
export type ParquetNode = ParquetScalar | ParquetRecord | ParquetList | ParquetOther;

/** A column with scalars that are read by their type. */
export interface ParquetScalar {
  readonly is: 'scalar';
  readonly typeId: TypeId;
  /** The kinds of its values as JSON. */
  readonly kinds: readonly ScalarKind[];
  /** Its index among the columns as Parquet stores them. */
  readonly leaf: number;
}

/** A struct. */
export interface ParquetRecord {
  readonly is: 'record';
  readonly fields: readonly ParquetColumn[];
}

/** A list. */
export interface ParquetList {
  readonly is: 'list';
  readonly element: ParquetNode;
}

/** Any other type; its values are read as JSON. */
export interface ParquetOther {
  readonly is: 'other';
}

/** A column of a Parquet file, or a field of its structs. */
export interface ParquetColumn {
  readonly name: string;
  readonly node: ParquetNode;
}

const text = ['VARCHAR'] as const;
// DuckDB chooses between the two by sign; the plan is the same for either.
const integer = ['UBIGINT', 'BIGINT'] as const;
// It may hold what FLOAT64 does not.
const long = [...integer, 'LONG'] as const;
const double = ['FLOAT'] as const;

const kindsOfTypes: ReadonlyMap<TypeId, readonly ScalarKind[]> = new Map<
  TypeId,
  readonly ScalarKind[]
>([
  [DuckDBTypeId.BOOLEAN, ['BOOLEAN']],
  [DuckDBTypeId.TINYINT, integer],
  [DuckDBTypeId.SMALLINT, integer],
  [DuckDBTypeId.INTEGER, integer],
  [DuckDBTypeId.BIGINT, long],
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

/** The columns of a Parquet file, and the number of columns that Parquet stores for them. */
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
  return names.flatMap((name, index) => {
    const type = types[index];
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
  // DuckDB represents JSON as an alias of VARCHAR.
  const isPlain = kinds !== undefined && type.alias === undefined;
  return isPlain ? { is: 'scalar', typeId: type.typeId, kinds, leaf } : { is: 'other' };
}

/** The scalars of a node and below it. */
export function leavesOf(node: ParquetNode): readonly ParquetScalar[] {
  if (node.is === 'scalar') return [node];
  if (node.is === 'record') return node.fields.flatMap((field) => leavesOf(field.node));
  return node.is === 'list' ? leavesOf(node.element) : [];
}

const maxDepth = 32;

/** Whether a node and everything below it can be read by type. */
export function isTyped(node: ParquetNode, depth = 0): boolean {
  if (node.is === 'list') return isTyped(node.element, depth + 1);
  if (node.is !== 'record') return node.is === 'scalar';
  return depth < maxDepth && node.fields.every((field) => isTyped(field.node, depth + 1));
}
