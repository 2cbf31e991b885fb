import type { DuckDBTypeId as TypeId } from '@duckdb/node-api';
import { DuckDBTypeId } from '../../common/duckdb-api.js';
import { quoteText } from '../../common/quote.js';
import type { ScalarName } from '../../types/types.js';
import type { FieldPlan, Plan, RecordPlan } from '../columns/columns.js';
import type { ListPaths } from '../columns/extract.js';
import { pathOf } from '../columns/stored-type.js';
import type { ParquetColumn, ParquetList, ParquetNode, ParquetRecord } from './columns.js';

/** The context for reading the values of a file. */
export interface Reading {
  readonly lists: ListPaths;
  /** Lists that never have more than one element. */
  readonly singletons: ReadonlySet<ParquetList>;
  /** Columns to compute first, such as `… as h1_0`; each stage uses those of the stage before. */
  readonly stages: string[][];
}

/** A value to read, at its path. */
export interface ValueAt {
  readonly node: ParquetNode;
  readonly sql: string;
  readonly path: string;
  /** The number of stages before it; undefined inside a lambda, where there are no stages. */
  readonly depth: number | undefined;
}

const integers = [
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
];

/**
 * The types that a cast reads in the same way as JSON; all others are read as JSON, which counts
 * bad values.
 */
const castable: Readonly<Partial<Record<ScalarName, (type: TypeId) => boolean>>> = {
  STRING: (type) => type !== DuckDBTypeId.FLOAT,
  INT64: (type) => integers.includes(type),
  FLOAT64: (type) =>
    [...integers, DuckDBTypeId.FLOAT, DuckDBTypeId.DOUBLE].some((each) => each === type),
  NUMERIC: (type) => integers.includes(type),
  BOOL: (type) => type === DuckDBTypeId.BOOLEAN,
  TIMESTAMP: (type) => type !== DuckDBTypeId.FLOAT,
};

/** Whether a value of the file can be read by its type. */
export function isReadable(plan: Plan, node: ParquetNode): boolean {
  if (plan.is === 'record') return isReadableRecord(plan, node);
  if (plan.is === 'scalars') return node.is === 'list' && isCast(plan.type, node.element);
  // A field whose files disagree is text; values that are not scalars are stored as their JSON.
  return node.is === 'scalar' ? isCast(plan.type, node) : plan.raw === 'VARCHAR';
}

function isReadableRecord({ fields }: RecordPlan, node: ParquetNode): boolean {
  const record = node.is === 'list' ? node.element : node;
  if (record.is !== 'record') return false;
  return fields.every((field) => {
    const child = childOf(field, record);
    return child === undefined || isReadable(field.plan, child.node);
  });
}

function isCast(type: ScalarName, node: ParquetNode): boolean {
  return node.is === 'scalar' && castable[type]?.(node.typeId) === true;
}

function childOf({ keys }: FieldPlan, record: ParquetRecord): ParquetColumn | undefined {
  const columns = columnsByName(record);
  return keys.map((key) => columns.get(key)).find((column) => column !== undefined);
}

const byName = new WeakMap<ParquetRecord, ReadonlyMap<string, ParquetColumn>>();

/** Cached: searching the columns for each field would take quadratic time. */
function columnsByName(record: ParquetRecord): ReadonlyMap<string, ParquetColumn> {
  const known = byName.get(record) ?? new Map(record.fields.map((each) => [each.name, each]));
  byName.set(record, known);
  return known;
}

/** SQL for a value; the caller casts it to the stored type. */
export function readValue(plan: Plan, value: ValueAt, reading: Reading): string {
  const { node, sql } = value;
  if (plan.is === 'scalars') return `list_filter(${sql}, lambda x: x is not null)`;
  if (plan.is === 'record') return readRecord(plan, value, reading);
  if (node.is !== 'scalar') return `to_json(${sql})::varchar`;
  return plan.type === 'TIMESTAMP' ? readTime(node.typeId, sql) : sql;
}

/**
 * A TIMESTAMP without zone is UTC; nanoseconds are cut to microseconds, rounding down also before
 * 1970.
 */
function readTime(typeId: TypeId, sql: string): string {
  const isTime = times.has(typeId);
  if (!isTime) return `log_timestamp((${sql})::varchar)`;
  const time = typeId === DuckDBTypeId.TIMESTAMP_NS ? `log_microseconds(epoch_ns(${sql}))` : sql;
  return `log_in_range((${time})::timestamptz)`;
}

const times: ReadonlySet<TypeId> = new Set([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
  DuckDBTypeId.TIMESTAMP_TZ,
]);

function readRecord(plan: RecordPlan, value: ValueAt, reading: Reading): string {
  const { node, sql, path, depth } = value;
  const isList = reading.lists.has(path);
  if (node.is !== 'list') {
    const packed = readElement(plan, value, reading);
    return isList ? `case when ${sql} is not null then [${packed}] end` : packed;
  }
  const elements = `list_filter(${sql}, lambda x: x is not null)`;
  if (isList) return readEach(plan, { ...value, node: node.element, sql: elements }, reading);
  const element = { ...value, node: node.element };
  const one = `${reading.singletons.has(node) ? sql : elements}[1]`;
  if (depth !== undefined) {
    const staged = { sql: stage(one, depth, reading), depth: depth + 1 };
    return readElement(plan, { ...element, ...staged }, reading);
  }
  return `${readEach(plan, { ...element, sql: `[${one}]` }, reading)}[1]`;
}

/**
 * Computes a value in its own column, because DuckDB evaluates an expression that occurs twice
 * below a CASE twice.
 */
function stage(sql: string, depth: number, { stages }: Reading): string {
  const columns = stages[depth] ?? [];
  stages[depth] = columns;
  const name = `h${depth}_${columns.length}`;
  columns.push(`${sql} as ${name}`);
  return name;
}

function readEach(plan: RecordPlan, value: ValueAt, reading: Reading): string {
  const { sql, path } = value;
  const variable = `e${path.split('.').length}`;
  const element = readElement(plan, { ...value, sql: variable, depth: undefined }, reading);
  return element === variable ? sql : `list_transform(${sql}, lambda ${variable}: ${element})`;
}

/** Reads one record; a cast is enough if it matches the fields by name. */
function readElement(plan: RecordPlan, value: ValueAt, reading: Reading): string {
  const { node, sql, path } = value;
  if (node.is !== 'record') return sql;
  if (isAsStored(plan, { node, path }, reading.lists)) return sql;
  const fields = plan.fields.filter(({ stored }) => stored);
  const packed = fields.map((field) => {
    const inner = { ...value, node, path: pathOf(path, field.name) };
    return `${quoteText(field.name)}: ${readField(field, inner, reading)}`;
  });
  return `case when ${sql} is not null then {${packed.join(', ')}} end`;
}

function readField(
  field: FieldPlan,
  value: ValueAt & { readonly node: ParquetRecord },
  reading: Reading,
): string {
  const child = childOf(field, value.node);
  if (child === undefined) return 'null';
  const sql = `struct_extract(${value.sql}, ${quoteText(child.name)})`;
  return readValue(field.plan, { ...value, node: child.node, sql }, reading);
}

interface RecordAt {
  readonly node: ParquetRecord;
  readonly path: string;
}

function isAsStored({ fields }: RecordPlan, { node, path }: RecordAt, lists: ListPaths): boolean {
  const pairs = fields.flatMap((field) => {
    if (!field.stored) return [];
    const child = childOf(field, node);
    return child === undefined ? [] : [{ field, child: child.node }];
  });
  // DuckDB refuses to cast between structs without a common field name.
  return (
    pairs.length > 0 &&
    pairs.every(({ field: { name, plan }, child }) => {
      if (plan.is !== 'record') return plan.is === 'scalar' && child.is === 'scalar';
      const inner = pathOf(path, name);
      return (
        child.is === 'record' &&
        !lists.has(inner) &&
        isAsStored(plan, { node: child, path: inner }, lists)
      );
    })
  );
}
