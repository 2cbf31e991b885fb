import {
  type DuckFrom,
  type DuckNode,
  type DuckQuery,
  type DuckSelect,
  makesRows,
} from '../duckdb-sql.js';
import { type FieldPath, nodeFieldPath } from '../field-path.js';
import { someChild } from '../map-tree.js';

/** The use of a value by a statement: as a whole, only whether it is NULL, or only some of its fields. */
export interface Use {
  isWhole: boolean;
  isNull: boolean;
  readonly fields: Map<string, Use>;
}

/** A field of a value at some depth; the path of the value itself is empty. */
export interface ValuePart {
  readonly path: readonly string[];
  /** True if the query only tests the value for NULL; the column then holds TRUE or NULL. */
  readonly isNull: boolean;
}

/** A table in FROM. */
export type DuckTable = Extract<DuckFrom, { kind: 'table' }>;

/** Returns the key of a table to trace, such as its name; undefined for any other table. */
export type FindKey = (table: DuckTable) => string | undefined;

/** The origin of an alias: a traced table, by its key, or a SELECT block whose items may come from one. */
export type Origin =
  | { readonly kind: 'table'; readonly table: string }
  /** A block in which every row is one row of its FROM, so that unused items can be dropped. */
  | { readonly kind: 'block'; readonly block: DuckSelect };

/**
 * The columns of traced tables that a statement uses, and the items of the blocks between these tables and the
 * statement.
 */
export interface Uses {
  readonly origins: ReadonlyMap<string, Origin>;
  /** By the table's key, then by column. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, Use>>;
  /** By block, then by the index of the item. */
  readonly blocks: ReadonlyMap<DuckSelect, ReadonlyMap<number, Use>>;
}

/** Traces every column that a statement's rows depend on back to the tables that have a key. */
export function traceUses(statement: DuckQuery, findKey: FindKey): Uses {
  const walk: Walk = {
    findKey,
    origins: new Map(),
    tables: new Map(),
    blocks: new Map(),
    ctes: new Map(),
    seen: new Set(),
  };
  useQuery(statement, walk);
  return walk;
}

interface Walk {
  readonly findKey: FindKey;
  readonly origins: Map<string, Origin>;
  readonly tables: Map<string, Map<string, Use>>;
  readonly blocks: Map<DuckSelect, Map<number, Use>>;
  readonly ctes: Map<string, DuckQuery>;
  readonly seen: Set<DuckQuery>;
}

function useQuery(query: DuckQuery, walk: Walk): void {
  if (walk.seen.has(query)) return;
  walk.seen.add(query);
  for (const { name, query: cte } of query.ctes) walk.ctes.set(name, cte);
  const { body, orderBy } = query;
  if (body.kind === 'query') useQuery(body, walk);
  else if (body.kind === 'select') useBlock(body, walk);
  else for (const operand of body.operands) useQuery(operand, walk);
  for (const { value } of orderBy) {
    if (typeof value !== 'number') use(value, walk);
    else if (body.kind === 'select') useItem(body, value - 1, wholeValue, walk);
  }
  useBelow([query.limit, query.offset], walk);
}

function useBlock(block: DuckSelect, walk: Walk): void {
  if (block.from !== undefined) useFrom(block.from, walk);
  useBelow([block.where, block.qualify], walk);
  // Items of a derived table are used only if something reads them.
  if (!walk.blocks.has(block)) useBelow(block.items, walk);
  for (const [index, { value }] of block.items.entries()) {
    if (makesRows(value)) useItem(block, index, wholeValue, walk);
  }
}

function useFrom(from: DuckFrom, walk: Walk): void {
  if (from.kind === 'join') {
    useFrom(from.left, walk);
    useFrom(from.right, walk);
    useBelow([from.on], walk);
  } else if (from.kind === 'derived') {
    if (from.columns === undefined) addBlock(from.alias, from.query, walk);
    useQuery(from.query, walk);
  } else useTable(from, walk);
}

function useTable(from: DuckTable, walk: Walk): void {
  const [schema = '', table] = from.path;
  const key = walk.findKey(from);
  if (key !== undefined) {
    walk.origins.set(from.alias, { kind: 'table', table: key });
    getOrCreate(walk.tables, key, () => new Map());
  }
  const cte = table === undefined ? walk.ctes.get(schema) : undefined;
  if (cte === undefined) return;
  addBlock(from.alias, cte, walk);
  useQuery(cte, walk);
}

function addBlock(alias: string, { body }: DuckQuery, walk: Walk): void {
  if (!isBlock(body)) return;
  walk.origins.set(alias, { kind: 'block', block: body });
  getOrCreate(walk.blocks, body, () => new Map());
}

function use(node: DuckNode, walk: Walk): void {
  const isNull = node.kind === 'is-null';
  const target = nodeFieldPath(isNull ? node.of : node);
  if (node.kind === 'query') useQuery(node, walk);
  else if (target !== undefined) useFieldPath(target, isNull, walk);
  else useBelow(node, walk);
}

function useBelow(parts: object, walk: Walk): void {
  someChild(parts, (part) => {
    use(part, walk);
    return false;
  });
}

function useFieldPath({ table, column, path }: FieldPath, isNull: boolean, walk: Walk): void {
  const origin = walk.origins.get(table);
  if (origin?.kind === 'table') {
    const uses = getOrCreate(walk.tables, origin.table, () => new Map<string, Use>());
    addUse(uses, column, { path, isNull });
  } else if (origin !== undefined) {
    const index = origin.block.items.findIndex(({ name }) => name === column);
    useItem(origin.block, index, { path, isNull }, walk);
  }
}

const wholeValue: ValuePart = { path: [], isNull: false };

function useItem(block: DuckSelect, index: number, part: ValuePart, walk: Walk): void {
  const items = walk.blocks.get(block);
  const value = block.items[index]?.value;
  // A block that is not in `blocks` was walked with all of its items.
  if (items === undefined || value === undefined) return;
  const target = nodeFieldPath(value);
  if (target !== undefined) {
    addUse(items, index, part);
    useFieldPath({ ...target, path: [...target.path, ...part.path] }, part.isNull, walk);
    return;
  }
  const isNew = !items.has(index);
  addUse(items, index, wholeValue);
  if (isNew) use(value, walk);
}

function addUse<K>(uses: Map<K, Use>, key: K, { path, isNull }: ValuePart): void {
  const newUse = (): Use => ({ isWhole: false, isNull: false, fields: new Map() });
  let use = getOrCreate(uses, key, newUse);
  for (const name of path) use = getOrCreate(use.fields, name, newUse);
  if (isNull) use.isNull = true;
  else use.isWhole = true;
}

/** Returns the value of a key, creating it if it is missing. */
function getOrCreate<K, V>(values: Map<K, V>, key: K, make: () => V): V {
  const existing = values.get(key);
  if (existing !== undefined) return existing;
  const value = make();
  values.set(key, value);
  return value;
}

/** Whether the query is one block whose unused items can be dropped. */
function isBlock(body: DuckQuery['body']): body is DuckSelect {
  return body.kind === 'select' && !body.distinct && body.groupKeys === undefined;
}
