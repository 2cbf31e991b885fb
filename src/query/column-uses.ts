import { type Chain, chainOf } from './chain.js';
import type { DuckExpression, DuckFrom, DuckQuery, DuckSelect } from './duck.js';
import { gatheredSchema } from './lower-from.js';

/** What a statement uses of a value: all of it, whether it is NULL, or some of its fields. */
export interface Use {
  isWhole: boolean;
  isNull: boolean;
  readonly fields: Map<string, Use>;
}

/** A part of a value, or whether it is NULL. */
export interface Part {
  readonly path: readonly string[];
  readonly isNull: boolean;
}

/** What an alias stands for, as far as its columns can be followed. */
export type Origin =
  | { readonly kind: 'gathered'; readonly table: string }
  /** A block each row of which is one row of its FROM: an item that nobody uses can be left out. */
  | { readonly kind: 'block'; readonly block: DuckSelect };

/** What a statement uses of gathered tables, and of the blocks between those and its own columns. */
export interface Uses {
  readonly origins: ReadonlyMap<string, Origin>;
  /** By table, then by column. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, Use>>;
  /** By block, then by the place of the item. */
  readonly blocks: ReadonlyMap<DuckSelect, ReadonlyMap<number, Use>>;
}

/** Follows every column that the rows of a statement depend on down to the gathered tables. */
export function usesOf(statement: DuckQuery): Uses {
  const origins = new Map<string, Origin>();
  const tables = new Map<string, Map<string, Use>>();
  const blocks = new Map<DuckSelect, Map<number, Use>>();
  const ctes = new Map<string, DuckQuery>();
  const seen = new Set<DuckQuery>();

  function useQuery(query: DuckQuery): void {
    if (seen.has(query)) return;
    seen.add(query);
    for (const { name, query: cte } of query.ctes) ctes.set(name, cte);
    const { body, orderBy } = query;
    if (!('kind' in body)) useQuery(body);
    else if (body.kind === 'set-operation') body.operands.forEach(useQuery);
    else useBlock(body);
    for (const { value } of orderBy) {
      if (typeof value !== 'number') use(value);
      else if ('kind' in body && body.kind === 'select')
        useItem(body, value - 1, { path: [], isNull: false });
    }
    use([query.limit, query.offset]);
  }

  function useBlock(block: DuckSelect): void {
    if (block.from !== undefined) useFrom(block.from);
    use([block.where, block.qualify]);
    // Of a derived table only what is read of it is used.
    if (!blocks.has(block)) use(block.items);
    for (const [place, { value }] of block.items.entries()) {
      if (makesRows(value)) useItem(block, place, { path: [], isNull: false });
    }
  }

  function useFrom(from: DuckFrom): void {
    if (from.kind === 'join') {
      useFrom(from.left);
      useFrom(from.right);
      use(from.on);
    } else if (from.kind === 'derived') {
      if (from.columns === undefined) note(from.alias, from.query);
      useQuery(from.query);
    } else useTable(from);
  }

  function useTable({ path, alias }: Extract<DuckFrom, { kind: 'table' }>): void {
    const [schema = '', table] = path;
    if (schema === gatheredSchema && table !== undefined) {
      origins.set(alias, { kind: 'gathered', table });
      if (!tables.has(table)) tables.set(table, new Map());
    }
    const cte = table === undefined ? ctes.get(schema) : undefined;
    if (cte === undefined) return;
    note(alias, cte);
    useQuery(cte);
  }

  function note(alias: string, { body }: DuckQuery): void {
    if (!isBlock(body)) return;
    origins.set(alias, { kind: 'block', block: body });
    if (!blocks.has(body)) blocks.set(body, new Map());
  }

  function use(node: unknown): void {
    if (typeof node !== 'object' || node === null) return;
    if ('ctes' in node) {
      useQuery(node as DuckQuery);
      return;
    }
    const { kind, of } = node as { readonly kind?: unknown; readonly of?: DuckExpression };
    const isNull = kind === 'is-null';
    const chain = chainOf((isNull ? of : node) as DuckExpression);
    if (chain === undefined) Object.values(node).forEach(use);
    else useChain(chain, isNull);
  }

  function useChain({ table, column, path }: Chain, isNull: boolean): void {
    const origin = origins.get(table);
    if (origin?.kind === 'gathered') {
      const columns = tables.get(origin.table) ?? new Map<string, Use>();
      addUse(columns, column, { path, isNull });
    } else if (origin !== undefined) {
      const place = origin.block.items.findIndex(({ name }) => name === column);
      useItem(origin.block, place, { path, isNull });
    }
  }

  function useItem(block: DuckSelect, place: number, { path, isNull }: Part): void {
    const items = blocks.get(block);
    const value = block.items[place]?.value;
    // A block whose items are all used has been walked.
    if (items === undefined || value === undefined) return;
    const chain = chainOf(value);
    if (chain === undefined) {
      const isNew = items.get(place) === undefined;
      addUse(items, place, { path: [], isNull: false });
      if (isNew) use(value);
    } else {
      addUse(items, place, { path, isNull });
      useChain({ ...chain, path: [...chain.path, ...path] }, isNull);
    }
  }

  useQuery(statement);
  return { origins, tables, blocks };
}

function addUse<K>(uses: Map<K, Use>, key: K, { path, isNull }: Part): void {
  let use = below(uses, key);
  for (const name of path) use = below(use.fields, name);
  if (isNull) use.isNull = true;
  else use.isWhole = true;
}

function below<K>(uses: Map<K, Use>, key: K): Use {
  const use = uses.get(key) ?? { isWhole: false, isNull: false, fields: new Map() };
  uses.set(key, use);
  return use;
}

/** Whether the query is one block of which an item that nobody reads can be left out. */
function isBlock(body: DuckQuery['body']): body is DuckSelect {
  if (!('kind' in body) || body.kind !== 'select') return false;
  return !body.distinct && body.groupKeys === undefined;
}

/** UNNEST in a SELECT list makes rows, whoever reads its item. */
function makesRows(value: DuckExpression): boolean {
  return value.kind === 'call' && value.path[0] === 'unnest';
}
