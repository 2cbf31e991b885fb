import { hasOtherParts, type SourceSchema } from '../../../types/schema.js';
import { type Field, recordFields, type Type } from '../../../types/types.js';
import * as d from '../duckdb-sql.js';
import { duckType, typedNull } from '../duckdb-type.js';
import { nodeFieldPath } from '../field-path.js';
import { type DuckMapper, mapTree } from '../map-tree.js';
import { mapList } from '../plain.js';
import type { DuckTable } from './column-uses.js';
import { type NarrowedColumn, narrowStatement, readPart } from './narrow.js';
import type { Parts } from './parts.js';

/**
 * Reads a source whose parts have other columns through a sub-select of the fields that the statement uses: each part
 * computes them differently, and the engine would read the whole of a record that is rebuilt.
 * `select t.m.a, t.m.b from t` -> `select t."m.a", t."m.b" from (select part.m.a as "m.a", part.m.b as "m.b" from t part) t`
 */
export function narrowParts(statement: d.DuckQuery, parts: Parts): d.DuckQuery {
  const reads = splitReads(parts);
  if (reads.size === 0) return statement;
  const { query, tables } = narrowStatement(statement, (table) =>
    lookUp(table, reads) ? table.alias : undefined,
  );
  return mapTree(query, {
    from: (node) =>
      readsSplitSource(node, reads) ? narrowed(node, tables.get(node.alias) ?? []) : undefined,
  });
}

function narrowed(table: DuckTable, columns: readonly NarrowedColumn[]): d.DuckFrom {
  const items = columns.map((column) => {
    return { name: column.name, value: readPart(d.column('part', column.of), column) };
  });
  const query = d.selectFrom(items, { ...table, alias: 'part' });
  return { kind: 'derived', query, alias: table.alias };
}

/**
 * Reads each part of a source separately if the parts have other columns: a field that a part does not have is NULL,
 * and an array that a part stores as its only element becomes a list.
 * `select part.m.a, part.m.b from t part` -> `select part.m.a, NULL from t/0 part union all select part.m.a, part.m.b from t/1
 * part`
 */
export function readParts(statement: d.DuckQuery, parts: Parts): d.DuckQuery {
  const reads = splitReads(parts);
  if (reads.size === 0) return statement;
  return mapTree(statement, {
    query: (node) => {
      const { body } = node;
      return body.kind === 'select' && body.from && readsSplitSource(body.from, reads)
        ? { ...node, body: unionParts(body, body.from, reads) }
        : undefined;
    },
  });
}

type Reads = ReadonlyMap<string, SourceSchema>;

/**
 * The sources by view, each with the parts that the view shows. The engine does not have a view of the whole source.
 */
function splitReads(parts: Parts): Reads {
  const sources = [...parts.values()].filter(hasOtherParts);
  return new Map(
    sources.flatMap((source) => [
      ...(source.parts ?? []).map((part) => [part.view, { ...source, parts: [part] }] as const),
      [source.name, source] as const,
    ]),
  );
}

function readsSplitSource(node: d.DuckFrom, reads: Reads): node is DuckTable {
  return node.kind === 'table' && lookUp(node, reads) !== undefined;
}

/** The source that a table reads; undefined for a CTE, whose path has one name, and for other tables. */
function lookUp({ path: [schema, view = ''] }: DuckTable, reads: Reads): SourceSchema | undefined {
  return schema === 'logs' ? reads.get(view) : undefined;
}

function unionParts(block: d.DuckSelect, table: DuckTable, reads: Reads): d.DuckSetOperation {
  const { parts = [], columns = [] } = lookUp(table, reads) ?? {};
  const operands = parts.map(({ view, columns: stored = columns }): d.DuckQuery => {
    const items = mapTree(block.items, inPart(stored, columns));
    const from = { ...table, path: ['logs', view] };
    return d.bareQuery({ ...block, items, from });
  });
  return d.unionAll(operands);
}

/** Rewrites expressions over the source's fields to read the fields of a part. */
function inPart(stored: readonly Field[], columns: readonly Field[]): DuckMapper {
  const expression = (node: d.DuckExpression): d.DuckExpression | undefined => {
    const target = nodeFieldPath(node.kind === 'is-null' ? node.of : node);
    if (target === undefined) return undefined;
    const value = d.column(target.table, target.column);
    const type = typeIn(columns, target.column);
    // The ids of a row are the same everywhere.
    if (type === undefined) return node;
    const whole: Value = { value, stored: typeIn(stored, target.column), shown: type };
    const found = target.path.reduce(valueField, whole);
    if (node.kind !== 'is-null') return show(found);
    return { ...node, of: found.stored === undefined ? d.nullValue : found.value };
  };
  return { expression };
}

/** A value in a part: its type in the part, if the part has it, and its type in the source. */
interface Value {
  readonly value: d.DuckExpression;
  readonly stored: Type | undefined;
  readonly shown: Type;
}

function typeIn(fields: readonly Field[], name: string): Type | undefined {
  const field = fields.find((each) => each.name === name);
  return field?.stored ? field.type : undefined;
}

function valueField({ value, stored, shown }: Value, name: string): Value {
  const type = typeIn(recordFields(shown), name);
  if (type === undefined) throw new Error(`no field ${name}`);
  const own = stored && typeIn(recordFields(stored), name);
  return { value: { kind: 'field', of: value, name }, stored: own, shown: type };
}

/** Converts a value to its type in the source. */
function show({ value, stored, shown }: Value): d.DuckExpression {
  if (stored === undefined) return typedNull(shown);
  const [own, type] = [duckType(stored), duckType(shown)];
  if (own === type) return value;
  // A cast matches the fields of a record by name, in a tenth of the time of rebuilding the record.
  if (isListedAlike(stored, shown)) return d.castTo(value, type);
  // The record is rebuilt with the fields of the source.
  const one: d.DuckExpression = { kind: 'list', elements: [value] };
  const list = isList(stored) ? value : d.choose(d.isNotNull(value), one);
  const packed = mapList(list, (element) => {
    const record = { value: element, stored, shown };
    const fields = recordFields(shown).flatMap(({ name, stored: isStored }) =>
      isStored ? [{ name, value: show(valueField(record, name)) }] : [],
    );
    return { kind: 'struct', fields };
  });
  return isList(shown) ? packed : d.call('list_extract', packed, d.integer(1));
}

/** Whether a type has its lists of records at the same places in a part and in its source. */
function isListedAlike(stored: Type, shown: Type): boolean {
  const types = new Map(recordFields(shown).map(({ name, type }) => [name, type]));
  const isAlike = ({ name, type }: Field) => isListedAlike(type, types.get(name) ?? type);
  return isList(stored) === isList(shown) && recordFields(stored).every(isAlike);
}

function isList(type: Type): boolean {
  return type.kind === 'ARRAY' && type.layout === 'list';
}
