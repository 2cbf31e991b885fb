import { scalar, storedNames, structType, type Type } from '../../../types/types.js';
import type { DuckPlan, DuckStep } from '../duckdb-plan.js';
import * as d from '../duckdb-sql.js';
import { fieldAtPath, nodeFieldPath } from '../field-path.js';
import { type DuckMapper, mapChildren } from '../map-tree.js';
import * as uses from './column-uses.js';

/** A column of a narrowed table: a part of a column of the table's origin, such as the endpoint's CTE. */
export interface NarrowedColumn extends uses.ValuePart {
  readonly name: string;
  /** The name of the original column. */
  readonly of: string;
}

/** A statement over narrowed tables, and the columns that it needs of each table, by the table's key. */
interface Narrowed {
  readonly query: d.DuckQuery;
  readonly tables: ReadonlyMap<string, readonly NarrowedColumn[]>;
}

/** Gathered tables, by their names. */
const gathered: uses.FindKey = ({ path: [schema, table] }) =>
  schema === d.temporarySchema ? table : undefined;

/**
 * Gathers only the columns and the fields of records that later statements use; each field becomes a
 * separate column.
 * `gather: select metadata from …; answer: select t.metadata.level from temp.x t` ->
 * `gather: select metadata.level as "metadata.level" from …; answer: select t."metadata.level" from temp.x t`
 */
export function narrow(plan: DuckPlan): DuckPlan {
  const { steps, answer } = plan;
  if (steps.length === 0) return plan;
  const narrowed = narrowStatement(answer.query, gathered);
  const tables = new Map(narrowed.tables);
  const narrowSteps = steps.toReversed().map((step): DuckStep => {
    if (step.kind !== 'search') return narrowGather(step, tables.get(step.table) ?? []);
    const search = narrowStatement(step.query, gathered);
    for (const [table, columns] of search.tables) tables.set(table, columns);
    return { ...step, query: search.query };
  });
  return { steps: narrowSteps.toReversed(), answer: { ...answer, query: narrowed.query } };
}

/** A gather with these columns in its SELECT list. */
function narrowGather(step: DuckStep, columns: readonly NarrowedColumn[]): DuckStep {
  const { query } = step;
  const { body } = query;
  if (body.kind !== 'select') throw new Error('a gather is one block');
  const values = new Map(body.items.map(({ name, value }) => [name, value]));
  const items = columns.map((column): d.DuckItem => {
    const value = values.get(column.of);
    if (value === undefined) throw new Error(`no column ${column.of}`);
    return { name: column.name, value: readPart(value, column) };
  });
  // Write out keys that are positions, because their columns may be dropped.
  const orderBy = query.orderBy.map((key) => ({ ...key, value: d.keyValue(key, body.items) }));
  const narrowed = columns.map((column) => {
    return { name: column.name, type: partType(step, column), isLogField: true };
  });
  const gather = { ...query, body: { ...body, items: d.itemsOrOne(items) }, orderBy };
  return { ...step, query: gather, columns: narrowed };
}

/** The type of a part of a step's column. */
function partType({ columns }: DuckStep, { of, path, isNull }: NarrowedColumn): Type {
  const type = columns[storedNames(structType(columns)).indexOf(of)]?.type;
  if (type === undefined) throw new Error(`no column ${of}`);
  return isNull ? scalar('BOOL') : typeAt(type, path);
}

/** The type of the field of a record at a path of stored names. */
function typeAt(type: Type, [name, ...rest]: readonly string[]): Type {
  if (name === undefined) return type;
  const record = type.kind === 'ARRAY' && type.layout === 'struct' ? type.element : type;
  const fields = record.kind === 'STRUCT' ? record.fields : [];
  const index = record.kind === 'STRUCT' ? storedNames(record).indexOf(name) : -1;
  const field = fields[index];
  if (field === undefined) throw new Error(`no field ${name}`);
  return typeAt(field.type, rest);
}

/** Makes a statement read only the columns and fields that its rows depend on, in the tables that have a key. */
export function narrowStatement(statement: d.DuckQuery, findKey: uses.FindKey): Narrowed {
  const used = uses.traceUses(statement, findKey);
  if (used.tables.size === 0) return { query: statement, tables: new Map() };
  const tables = new Map([...used.tables].map(([table, columns]) => [table, narrowed(columns)]));
  const added = new Map([...used.blocks].map(([block, items]) => [block, partItems(block, items)]));
  const reads = [...used.origins].map(([alias, origin]) => {
    return [alias, namedParts(origin, { used, tables, added })] as const;
  });
  return { query: narrowReads(statement, { used, added, reads: new Map(reads) }), tables };
}

function narrowed(used: ReadonlyMap<string, uses.Use>): readonly NarrowedColumn[] {
  const parts = [...used].flatMap(([of, use]) => usedParts(use).map((part) => ({ of, ...part })));
  const names = distinct(parts.map(({ of, ...part }) => partName(of, part)));
  return parts.map((part, index) => ({ ...part, name: names[index] ?? part.of }));
}

/** An extra item, which is a part of another item. */
interface AddedItem extends uses.ValuePart {
  readonly name: string;
  readonly index: number;
}

/** The used parts of items that are not used as a whole, with new names. */
function partItems(
  { items }: d.DuckSelect,
  used: ReadonlyMap<number, uses.Use>,
): readonly AddedItem[] {
  const own = items.map(({ name }) => name);
  const parts = [...used].flatMap(([index, use]) =>
    use.isWhole ? [] : usedParts(use).map((part) => ({ index, ...part })),
  );
  const wanted = parts.map(({ index, ...part }) => partName(own[index] ?? '', part));
  const names = distinct([...own, ...wanted]).slice(own.length);
  return parts.map((part, index) => ({ ...part, name: names[index] ?? '' }));
}

/** The smallest parts of a value that cover all uses of it. */
function usedParts(use: uses.Use, path: readonly string[] = []): readonly uses.ValuePart[] {
  if (use.isWhole) return [{ path, isNull: false }];
  const fields = [...use.fields].flatMap(([name, field]) => usedParts(field, [...path, name]));
  return use.isNull ? [{ path, isNull: true }, ...fields] : fields;
}

function partName(column: string, { path, isNull: testsNull }: uses.ValuePart): string {
  return [column, ...path].join('.') + (testsNull ? ' is set' : '');
}

/** Makes names differ in more than case. */
function distinct(names: readonly string[]): readonly string[] {
  return storedNames(structType(names.map((name) => ({ name, type: scalar('BOOL') }))));
}

interface Plan {
  readonly used: uses.Uses;
  readonly added: ReadonlyMap<d.DuckSelect, readonly AddedItem[]>;
  /** For each alias, the narrowed columns by the parts of original columns that they contain. */
  readonly reads: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

function narrowReads(statement: d.DuckQuery, plan: Plan): d.DuckQuery {
  const mapper: DuckMapper = {
    block: (node) => mapChildren(withAdded(node, plan), mapper),
    expression: (node) => narrowFieldPath(node, plan),
  };
  return mapChildren(statement, mapper);
}

/** Adds items. Existing items keep their positions, which other clauses and set operations refer to. */
function withAdded(block: d.DuckSelect, { used, added: addedTo }: Plan): d.DuckSelect {
  const added = addedTo.get(block);
  if (added === undefined) return block;
  const items = used.blocks.get(block);
  const own = block.items.map((item, index) =>
    items?.get(index)?.isWhole ? item : { ...item, value: d.nullValue },
  );
  const more = added.map(({ name, index, ...part }): d.DuckItem => {
    return { name, value: readPart(block.items[index]?.value ?? d.nullValue, part) };
  });
  return { ...block, items: [...own, ...more] };
}

/** A part of a value. A test for NULL is TRUE or NULL, so that an outer join makes it NULL like the value itself. */
export function readPart(
  value: d.DuckExpression,
  { path, isNull }: uses.ValuePart,
): d.DuckExpression {
  const field = fieldAtPath(value, path);
  return isNull ? d.choose(d.isNotNull(field), d.trueValue) : field;
}

/** Makes a column, a field or IS NULL read the narrowed column; undefined for other nodes. */
function narrowFieldPath(node: d.DuckExpression, plan: Plan): d.DuckExpression | undefined {
  const testsNull = node.kind === 'is-null';
  const target = nodeFieldPath(testsNull ? node.of : node);
  const parts = target && plan.reads.get(target.table);
  if (target === undefined || parts === undefined) return undefined;
  const { table, column, path } = target;
  for (let length = 0; length <= path.length; length++) {
    const value = parts.get(partKey(column, { path: path.slice(0, length), isNull: false }));
    if (value === undefined) continue;
    const field = fieldAtPath(d.column(table, value), path.slice(length));
    return testsNull ? { ...node, of: field } : field;
  }
  const test = parts.get(partKey(column, { path, isNull: true }));
  return testsNull && test !== undefined ? { ...node, of: d.column(table, test) } : undefined;
}

/** The names of the narrowed columns, by the parts of a table's or a block's columns that they contain. */
function namedParts(
  origin: uses.Origin,
  { tables, used, added }: Omit<Plan, 'reads'> & Pick<Narrowed, 'tables'>,
): ReadonlyMap<string, string> {
  if (origin.kind === 'table') {
    const columns = tables.get(origin.table) ?? [];
    return new Map(columns.map((part) => [partKey(part.of, part), part.name]));
  }
  const { block } = origin;
  const isWhole = (index: number) => used.blocks.get(block)?.get(index)?.isWhole === true;
  const parts = (added.get(block) ?? []).map((part) => {
    return [partKey(block.items[part.index]?.name ?? '', part), part.name] as const;
  });
  const wholes = block.items.flatMap(({ name }, index) =>
    isWhole(index) ? [[partKey(name, { path: [], isNull: false }), name] as const] : [],
  );
  return new Map([...parts, ...wholes]);
}

function partKey(column: string, { path, isNull }: uses.ValuePart): string {
  return [column, ...path, isNull].join('\0');
}
