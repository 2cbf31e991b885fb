import { scalar, storedNames, structOf, type Type } from '../../../types/type.js';
import type { DuckPlan, DuckStep } from '../duckdb-plan.js';
import {
  choose,
  type DuckExpression,
  type DuckItem,
  type DuckQuery,
  type DuckSelect,
  duckNull,
  integer,
  isNotNull,
} from '../duckdb-sql.js';
import { chainOf, fieldAtPath } from './chain.js';
import { type Origin, type Part, type Use, type Uses, usesOf } from './column-uses.js';

/** A column of a gathered table: a part of a column of the endpoint's CTE. */
interface GatheredColumn extends Part {
  readonly name: string;
  /** The name of the CTE's column. */
  readonly of: string;
}

/** A statement over gathered tables, and the columns that each of those needs. */
interface Narrowed {
  readonly query: DuckQuery;
  readonly tables: ReadonlyMap<string, readonly GatheredColumn[]>;
}

/**
 * Gathers only the columns and the fields of records that later statements use; each field becomes a
 * column of its own.
 * `gather: select metadata from …; answer: select t.metadata.level from temp.x t` ->
 * `gather: select metadata.level as "metadata.level" from …; answer: select t."metadata.level" from temp.x t`
 */
export function narrow(plan: DuckPlan): DuckPlan {
  const { steps, answer } = plan;
  if (steps.length === 0) return plan;
  const narrowed = narrowStatement(answer.query);
  const tables = new Map(narrowed.tables);
  const narrowSteps = steps.toReversed().map((step): DuckStep => {
    if (step.kind !== 'search') return narrowGather(step, tables.get(step.table) ?? []);
    const search = narrowStatement(step.query);
    for (const [table, columns] of search.tables) tables.set(table, columns);
    return { ...step, query: search.query };
  });
  return { steps: narrowSteps.toReversed(), answer: { ...answer, query: narrowed.query } };
}

/** A gather with these columns in its SELECT list. */
function narrowGather(step: DuckStep, columns: readonly GatheredColumn[]): DuckStep {
  const { query } = step;
  const { body } = query;
  if (!('kind' in body) || body.kind !== 'select') throw new Error('a gather is one block');
  const values = new Map(body.items.map(({ name, value }) => [name, value]));
  const items = columns.map((column): DuckItem => {
    const value = values.get(column.of);
    if (value === undefined) throw new Error(`no column ${column.of}`);
    return { name: column.name, value: partOf(value, column) };
  });
  // A key that is the position of a column may lose that column.
  const orderBy = query.orderBy.map((key) =>
    typeof key.value === 'number'
      ? { ...key, value: body.items[key.value - 1]?.value ?? duckNull }
      : key,
  );
  const all = items.length > 0 ? items : [{ name: 'one', value: integer(1) }];
  return {
    ...step,
    query: { ...query, body: { ...body, items: all }, orderBy },
    columns: columns.map((column) => ({
      name: column.name,
      type: typeOf(step, column),
      isLogField: true,
    })),
  };
}

/** The type of a part of a column that a step would gather. */
function typeOf({ columns }: DuckStep, { of, path, isNull }: GatheredColumn): Type {
  const type = columns[storedNames(structOf(columns)).indexOf(of)]?.type;
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

function narrowStatement(statement: DuckQuery): Narrowed {
  const uses = usesOf(statement);
  if (uses.tables.size === 0) return { query: statement, tables: new Map() };
  const tables = new Map([...uses.tables].map(([table, used]) => [table, columnsOf(used)]));
  const added = new Map([...uses.blocks].map(([block, used]) => [block, itemsOf(block, used)]));
  const query = narrowReads(statement, { uses, tables, added });
  return { query, tables };
}

function columnsOf(used: ReadonlyMap<string, Use>): readonly GatheredColumn[] {
  const parts = [...used].flatMap(([of, use]) => partsOf(use).map((part) => ({ of, ...part })));
  const names = distinct(parts.map(({ of, ...part }) => nameOf(of, part)));
  return parts.map((part, index) => ({ ...part, name: names[index] ?? part.of }));
}

/** A further item, which is a part of another item. */
interface AddedItem extends Part {
  readonly name: string;
  readonly index: number;
}

/** The used parts of items that are not used as a whole, with new names. */
function itemsOf({ items }: DuckSelect, used: ReadonlyMap<number, Use>): readonly AddedItem[] {
  const own = items.map(({ name }) => name);
  const parts = [...used].flatMap(([index, use]) =>
    use.isWhole ? [] : partsOf(use).map((part) => ({ index, ...part })),
  );
  const wanted = parts.map(({ index, ...part }) => nameOf(own[index] ?? '', part));
  const names = distinct([...own, ...wanted]).slice(own.length);
  return parts.map((part, index) => ({ ...part, name: names[index] ?? '' }));
}

/** The smallest parts of a value that cover all uses of it. */
function partsOf(use: Use, path: readonly string[] = []): readonly Part[] {
  if (use.isWhole) return [{ path, isNull: false }];
  const fields = [...use.fields].flatMap(([name, field]) => partsOf(field, [...path, name]));
  return use.isNull ? [{ path, isNull: true }, ...fields] : fields;
}

function nameOf(column: string, { path, isNull: asksNull }: Part): string {
  return [column, ...path].join('.') + (asksNull ? ' is set' : '');
}

/** The names, made to differ in more than letter case. */
function distinct(names: readonly string[]): readonly string[] {
  return storedNames(structOf(names.map((name) => ({ name, type: scalar('BOOL') }))));
}

interface Plan {
  readonly uses: Uses;
  readonly tables: Narrowed['tables'];
  readonly added: ReadonlyMap<DuckSelect, readonly AddedItem[]>;
}

function narrowReads<T>(node: T, plan: Plan): T {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((each) => narrowReads(each, plan)) as T;
  const expression = node as unknown as DuckExpression;
  const replaced = narrowChain(expression, plan);
  if (replaced !== undefined) return replaced as T;
  const added = plan.added.get(node as unknown as DuckSelect);
  const whole = added === undefined ? node : withItems(node as unknown as DuckSelect, added, plan);
  const parts = Object.entries(whole).map(([name, part]) => [name, narrowReads(part, plan)]);
  return Object.fromEntries(parts) as T;
}

/** Items keep their positions, which other clauses and set operations refer to. */
function withItems(block: DuckSelect, added: readonly AddedItem[], { uses }: Plan): DuckSelect {
  const used = uses.blocks.get(block);
  const own = block.items.map((item, index) =>
    used?.get(index)?.isWhole ? item : { ...item, value: duckNull },
  );
  const more = added.map(({ name, index, ...part }): DuckItem => {
    return { name, value: partOf(block.items[index]?.value ?? duckNull, part) };
  });
  return { ...block, items: [...own, ...more] };
}

/** TRUE or NULL for a test of NULL: it becomes NULL without a match of an outer join, as the value would. */
function partOf(value: DuckExpression, { path, isNull }: Part): DuckExpression {
  const field = fieldAtPath(value, path);
  return isNull ? choose(isNotNull(field), { kind: 'word', word: 'TRUE' }) : field;
}

/** Makes a column, a field or an IS NULL read the column that now has the value; undefined for other nodes. */
function narrowChain(node: DuckExpression, plan: Plan): DuckExpression | undefined {
  const asksNull = node.kind === 'is-null';
  const chain = chainOf(asksNull ? node.of : node);
  const origin = chain && plan.uses.origins.get(chain.table);
  if (chain === undefined || origin === undefined) return undefined;
  const held = heldIn(origin, chain.column, plan);
  const value = held.find(({ path, isNull: is }) => !is && isPrefix(path, chain.path));
  const column = (name: string): DuckExpression => ({ kind: 'column', table: chain.table, name });
  if (value !== undefined) {
    const field = fieldAtPath(column(value.name), chain.path.slice(value.path.length));
    return asksNull ? { ...node, of: field } : field;
  }
  const test = held.find(({ path }) => path.join('\0') === chain.path.join('\0'));
  if (!asksNull || test === undefined) return undefined;
  return { ...node, of: column(test.name) };
}

type Held = Part & { readonly name: string };

/** The columns that have parts of one column. */
function heldIn(origin: Origin, column: string, { tables, uses, added }: Plan): readonly Held[] {
  if (origin.kind === 'gathered') {
    return (tables.get(origin.table) ?? []).filter(({ of }) => of === column);
  }
  const { block } = origin;
  const index = block.items.findIndex(({ name }) => name === column);
  if (uses.blocks.get(block)?.get(index)?.isWhole)
    return [{ name: column, path: [], isNull: false }];
  return (added.get(block) ?? []).filter((item) => item.index === index);
}

function isPrefix(prefix: readonly string[], path: readonly string[]): boolean {
  return prefix.every((name, index) => path[index] === name);
}
