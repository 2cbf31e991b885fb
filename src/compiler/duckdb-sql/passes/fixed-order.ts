import type { DuckExpression, DuckOrder, DuckQuery, DuckSelect } from '../duckdb-sql.js';
import { someNode } from '../map-tree.js';

/**
 * A statement over groups whose answer is the same in whatever order the rows were read: it sorts by all keys, and nothing
 * in it can fail. Undefined for any other statement. The other columns are added to the sort, where they decide nothing:
 * without them the engine reads the rows twice, to fetch those columns later.
 * `select t.key_1, t.n from (select k as key_1, count(*) as n from x group by 1) t order by 1` ->
 * `select … order by 1, t.n`
 */
export function withFixedOrder(statement: DuckQuery, groups: DuckSelect): DuckQuery | undefined {
  const { body, orderBy, ctes } = statement;
  if (!('kind' in body) || body.kind !== 'select' || ctes.length > 0) return undefined;
  const { from, items } = body;
  if (from?.kind !== 'derived' || from.columns !== undefined) return undefined;
  const { query, alias } = from;
  if (query.body !== groups || !isPlain(query) || changesRows(body)) return undefined;
  if (groups.groupSets !== undefined || !isTotal(statement)) return undefined;
  const names = new Set(orderBy.map((key) => columnOf(key, items)));
  const keys = groups.items.slice(0, groups.groupKeys);
  if (keys.some(({ name }) => !names.has(name))) return undefined;
  const missing = groups.items
    .filter(({ name }) => !names.has(name))
    .map(({ name }): DuckOrder => {
      return { value: { kind: 'column', table: alias, name }, descending: false };
    });
  return { ...statement, orderBy: [...orderBy, ...missing] };
}

/** Whether a query is only its block. */
function isPlain({ ctes, orderBy, limit, offset }: DuckQuery): boolean {
  return [ctes, orderBy].every((list) => list.length === 0) && (limit ?? offset) === undefined;
}

function changesRows({ distinct, groupKeys, qualify }: DuckSelect): boolean {
  return distinct || groupKeys !== undefined || qualify !== undefined;
}

/** The name of the column that a key sorts by; undefined for an expression. */
function columnOf({ value }: DuckOrder, items: DuckSelect['items']): string | undefined {
  const key = typeof value === 'number' ? items[value - 1]?.value : value;
  return key?.kind === 'column' ? key.name : undefined;
}

/** Whether nothing in a statement can fail, whatever its rows. Anything not listed may fail. */
function isTotal(statement: DuckQuery): boolean {
  return !someNode(statement, (node) => 'kind' in node && !isTotalNode(node as DuckExpression));
}

function isTotalNode(node: DuckExpression): boolean {
  if (node.kind === 'infix') return totalOperators.has(node.operator);
  if (node.kind === 'prefix') return node.operator === 'NOT';
  if (node.kind === 'cast') return node.of.kind === 'number';
  if (node.kind !== 'call') return totalKinds.has(node.kind);
  const [name = '', ...others] = node.path;
  return others.length === 0 && node.over === undefined && totalFunctions.has(name);
}

const totalKinds: ReadonlySet<string> = new Set([
  ...['column', 'in', 'is-null', 'number', 'parameter', 'text', 'word'],
  ...['derived', 'select', 'table'],
]);

const totalOperators: ReadonlySet<string> = new Set([
  ...['AND', 'OR', '=', '<>', '<', '<=', '>', '>=', 'LIKE'],
]);

/** The pattern of an escaping LIKE is a checked one: any other goes through a macro, which is not listed. */
const totalFunctions: ReadonlySet<string> = new Set([
  ...['bool_and', 'bool_or', 'count', 'max', 'min'],
  ...['contains', 'ends_with', 'like_escape', 'starts_with'],
]);
