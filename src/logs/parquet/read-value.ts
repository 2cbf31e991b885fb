import type { DuckDBTypeId as TypeId } from '@duckdb/node-api';
import { DuckDBTypeId } from '../../common/duckdb-api.js';
import { quoteText } from '../../common/quote.js';
import type { ScalarName } from '../../types/type.js';
import type { FieldPlan, Plan, RecordPlan } from '../columns/columns.js';
import type { ListPaths } from '../columns/extract.js';
import { pathOf, typeSql } from '../columns/stored-type.js';
import type { ParquetColumn, ParquetList, ParquetNode, ParquetRecord } from './columns.js';

/** How the values of a file are read. */
export interface Reading {
  readonly lists: ListPaths;
  /** The lists of which none has two elements. */
  readonly ones: ReadonlySet<ParquetList>;
  /** Columns to be worked out before, as `… as h1_0`, those of a stage from those of the one before. */
  readonly stages: string[][];
}

/** One path while it is read. */
export interface Place {
  readonly node: ParquetNode;
  readonly sql: string;
  readonly path: string;
  /** How many stages come before it; undefined inside a lambda, which has none. */
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

/** The types that a cast reads as JSON would be read; what else may be bad is counted there. */
const castable: Readonly<Partial<Record<ScalarName, (type: TypeId) => boolean>>> = {
  STRING: (type) => type !== DuckDBTypeId.FLOAT,
  INT64: (type) => integers.includes(type),
  FLOAT64: (type) =>
    [...integers, DuckDBTypeId.FLOAT, DuckDBTypeId.DOUBLE].some((each) => each === type),
  BOOL: (type) => type === DuckDBTypeId.BOOLEAN,
  TIMESTAMP: (type) => type !== DuckDBTypeId.FLOAT,
};

/** Whether a value of the file can be read by its type. */
export function isReadable(plan: Plan, node: ParquetNode): boolean {
  if (plan.is === 'record') return isReadableRecord(plan, node);
  if (plan.is === 'scalars') return node.is === 'list' && isCast(plan.type, node.element);
  // Where files disagree, whatever is no scalar is kept as its JSON.
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

function childOf({ keys }: FieldPlan, { fields }: ParquetRecord): ParquetColumn | undefined {
  return fields.find(({ name }) => keys.includes(name));
}

/** The value at a path, which is then to be cast to the type that is stored. */
export function readValue(plan: Plan, place: Place, reading: Reading): string {
  const { node, sql } = place;
  if (plan.is === 'scalars') return `list_filter(${sql}, lambda x: x is not null)`;
  if (plan.is === 'record') return readRecord(plan, place, reading);
  if (node.is !== 'scalar') return `to_json(${sql})::varchar`;
  return plan.type === 'TIMESTAMP' ? readTime(node.typeId, sql) : sql;
}

/** A TIMESTAMP without zone is UTC; of nanoseconds the whole microseconds count, also before 1970. */
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

function readRecord(plan: RecordPlan, place: Place, reading: Reading): string {
  const { node, sql, path, depth } = place;
  const isList = reading.lists.has(path);
  if (node.is !== 'list') {
    const packed = readElement(plan, place, reading);
    return isList ? `case when ${sql} is not null then [${packed}] end` : packed;
  }
  const elements = `list_filter(${sql}, lambda x: x is not null)`;
  if (isList) return readEach(plan, { ...place, node: node.element, sql: elements }, reading);
  const element = { ...place, node: node.element };
  const one = `${reading.ones.has(node) ? sql : elements}[1]`;
  if (depth !== undefined) {
    const staged = { sql: stage(one, depth, reading), depth: depth + 1 };
    return readElement(plan, { ...element, ...staged }, reading);
  }
  return `${readEach(plan, { ...element, sql: `[${one}]` }, reading)}[1]`;
}

/** A column of its own, since DuckDB would work out again what stands twice below a CASE. */
function stage(sql: string, depth: number, { stages }: Reading): string {
  const columns = stages[depth] ?? [];
  stages[depth] = columns;
  const name = `h${depth}_${columns.length}`;
  columns.push(`${sql} as ${name}`);
  return name;
}

function readEach(plan: RecordPlan, place: Place, reading: Reading): string {
  const { sql, path } = place;
  const variable = `e${path.split('.').length}`;
  const element = readElement(plan, { ...place, sql: variable, depth: undefined }, reading);
  return element === variable ? sql : `list_transform(${sql}, lambda ${variable}: ${element})`;
}

/** One record; a cast alone will do where it matches the fields by their names. */
function readElement(plan: RecordPlan, place: Place, reading: Reading): string {
  const { node, sql, path } = place;
  if (node.is !== 'record') return sql;
  if (isAsStored(plan, { node, path }, reading.lists)) return sql;
  const fields = plan.fields.filter(({ stored }) => stored);
  const packed = fields.map((field) => {
    const inner = pathOf(path, field.name);
    const type = typeSql(field.plan, inner, reading.lists);
    return `${quoteText(field.name)}: (${readField(field, { ...place, node, path: inner }, reading)})::${type}`;
  });
  return `case when ${sql} is not null then {${packed.join(', ')}} end`;
}

function readField(
  field: FieldPlan,
  place: Place & { readonly node: ParquetRecord },
  reading: Reading,
): string {
  const child = childOf(field, place.node);
  if (child === undefined) return 'null';
  const sql = `struct_extract(${place.sql}, ${quoteText(child.name)})`;
  return readValue(field.plan, { ...place, node: child.node, sql }, reading);
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
  // A cast of a struct needs one name at least that is in both.
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
