import { hasOtherParts, type Part, type SourceSchema } from '../../../types/schema.js';
import { type Field, findField, type Type } from '../../../types/types.js';
import {
  call,
  choose,
  type DuckExpression,
  type DuckFrom,
  type DuckItem,
  type DuckQuery,
  integer,
  isNotNull,
} from '../duckdb-sql.js';
import { duckType, typedNull } from '../duckdb-type.js';
import { kindOf, mapChildren } from '../map-tree.js';
import type { DuckTable } from './column-uses.js';
import { type NarrowedColumn, narrowStatement } from './narrow.js';
import type { Parts } from './parts.js';

/**
 * Reads a source part by part if some of its parts store records in another way than the source has them: without a field,
 * or a record as its only element. Each part gives only what the statement uses, because the engine reads a record whole from
 * which another one is made.
 * `select t.m.a, t.m.new from t` -> `select t."m.a", t."m.new" from (select part.m.a as "m.a", NULL as "m.new" from t/0 as
 * part union all select part.m.a as "m.a", part.m.new as "m.new" from t/1 as part) t`
 */
export function readParts(statement: DuckQuery, parts: Parts): DuckQuery {
  const reads = readsOf(parts);
  if (reads.size === 0) return statement;
  const { query, tables } = narrowStatement(statement, ({ path, alias }) =>
    reads.has(path.join('.')) ? alias : undefined,
  );
  const read = <T extends object>(node: T): T => {
    if (kindOf(node) !== 'table') return mapChildren(node, read);
    const table = node as object as DuckTable;
    const found = reads.get(table.path.join('.'));
    return found ? (unionOf(table, found, tables.get(table.alias) ?? []) as object as T) : node;
  };
  return read(query);
}

/** The parts that a view shows, and the columns of its source. */
interface Read {
  readonly parts: readonly Part[];
  readonly columns: readonly Field[];
}

/** By view: that of the source, which the engine does not have, and those of its parts. */
function readsOf(parts: Parts): ReadonlyMap<string, Read> {
  const sources = [...parts.values()].filter(hasOtherParts);
  return new Map(
    sources.flatMap(({ name, parts = [], columns }: SourceSchema) => [
      ...parts.map((part) => [`logs.${part.view}`, { parts: [part], columns }] as const),
      [`logs.${name}`, { parts, columns }] as const,
    ]),
  );
}

function unionOf(
  { path: [schema = ''], alias }: DuckTable,
  { parts, columns: shown }: Read,
  columns: readonly NarrowedColumn[],
): DuckFrom {
  const operands = parts.map(({ view, columns: stored = shown }): DuckQuery => {
    const items = columns.map((column): DuckItem => {
      return { name: column.name, value: read(column, stored, shown) };
    });
    const all = items.length > 0 ? items : [{ name: 'one', value: integer(1) }];
    const from = { kind: 'table', path: [schema, view], alias: 'part' } as const;
    const body = { kind: 'select', distinct: false, items: all, from, where: [] } as const;
    return { ctes: [], body, orderBy: [] };
  });
  const union = { kind: 'set-operation', operator: 'UNION', distinct: false, operands } as const;
  return { kind: 'derived', query: { ctes: [], body: union, orderBy: [] }, alias };
}

/** A value in a part: its type there, unless the part does not have it, and its type in the source. */
interface Value {
  readonly value: DuckExpression;
  readonly stored: Type | undefined;
  readonly shown: Type;
}

function read(
  { of, path, isNull }: NarrowedColumn,
  stored: readonly Field[],
  shown: readonly Field[],
): DuckExpression {
  const value: DuckExpression = { kind: 'column', table: 'part', name: of };
  const type = typeIn(shown, of);
  // The ids of a row are the same everywhere.
  if (type === undefined) return value;
  const whole: Value = { value, stored: typeIn(stored, of), shown: type };
  const found = path.reduce(fieldOf, whole);
  if (!isNull) return show(found);
  const isThere = found.stored !== undefined;
  return isThere ? choose(isNotNull(found.value), { kind: 'word', word: 'TRUE' }) : typedNull({ kind: 'BOOL' });
}

function typeIn(fields: readonly Field[], name: string): Type | undefined {
  const field = findField({ kind: 'STRUCT', fields }, name);
  return field?.stored ? field.type : undefined;
}

function fieldOf({ value, stored, shown }: Value, name: string): Value {
  const type = typeIn(fieldsOf(shown), name);
  if (type === undefined) throw new Error(`no field ${name}`);
  const own = stored && typeIn(fieldsOf(stored), name);
  return { value: { kind: 'field', of: value, name }, stored: own, shown: type };
}

function fieldsOf(type: Type): readonly Field[] {
  const element = type.kind === 'ARRAY' ? type.element : type;
  return element.kind === 'STRUCT' ? element.fields : [];
}

/** The value as the source has it. */
function show({ value, stored, shown }: Value): DuckExpression {
  if (stored === undefined) return typedNull(shown);
  if (duckType(stored) === duckType(shown)) return value;
  if (isList(stored)) {
    const element: DuckExpression = { kind: 'name', name: 'element' };
    const body = pack({ value: element, stored, shown });
    return call('list_transform', value, { kind: 'lambda', parameters: ['element'], body });
  }
  const packed = pack({ value, stored, shown });
  return choose(isNotNull(value), isList(shown) ? { kind: 'list', elements: [packed] } : packed);
}

function isList(type: Type): boolean {
  return type.kind === 'ARRAY' && type.layout === 'list';
}

/** An element of a record, with the fields of the source. */
function pack(record: Value): DuckExpression {
  const fields = fieldsOf(record.shown).filter(({ stored }) => stored);
  return {
    kind: 'struct',
    fields: fields.map(({ name }) => ({ name, value: show(fieldOf(record, name)) })),
  };
}
