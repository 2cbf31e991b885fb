import { countDuckNodes } from '../duckdb-sql/count-nodes.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { mapChildren, nodeKind, someNode } from '../duckdb-sql/map-tree.js';
import { mayFail } from '../duckdb-sql/may-fail.js';
import { aliasesOf, collectTables } from '../duckdb-sql/tables-of.js';
import { guardBranches, type WriteGuard } from './guard-branches.js';
import { conjunction } from './lower-condition.js';
import type { Lowering } from './lowering.js';
import { isQueryOfBlock, nestRows, type QueryOfBlock, type Split } from './nest-rows.js';

interface Context extends Pick<Lowering, 'countWritten' | 'newAlias'> {
  /** The nesting depth: the rows of a guarded block are a block that may have guards, too. */
  readonly depth: number;
}

/**
 * Makes the sub-selects of a statement that may fail return no rows if their branch is not taken, in any
 * clause. A condition on the block's own rows becomes a column of these rows first, so that a sub-select
 * runs once for each value of the condition and not for each row.
 * `select CASE WHEN t.a > 1 THEN (select f(b) from u) END from t` ->
 * `select CASE WHEN s.c1 > 1 THEN (select f(b) from u where s.guard_1) END
 *  from (select t.a as c1, t.a > 1 as guard_1 from t) s`
 */
export function guardSubSelects(
  statement: d.DuckQuery,
  { countWritten, newAlias }: Pick<Lowering, 'countWritten' | 'newAlias'>,
): d.DuckQuery {
  const context: Context = { countWritten, newAlias, depth: 0 };
  const guardAll = <T extends object>(node: T): T => {
    const mapped = mapChildren(node, guardAll);
    return isQueryOfBlock(mapped) ? (guardQuery(mapped, context) as T & QueryOfBlock) : mapped;
  };
  return guardAll(statement);
}

/** Guards a block; keys and arguments of a grouping block contain no sub-selects, see `lower-grouping.ts`. */
function guardQuery(query: QueryOfBlock, context: Context): QueryOfBlock {
  const filtered = guardWhere(query, context);
  return filtered.body.groupKeys === undefined ? guardItems(filtered, context) : filtered;
}

/** Guards each condition by earlier conditions, unless all rows share the sub-select's result. */
function guardWhere(query: QueryOfBlock, context: Context): QueryOfBlock {
  const { body } = query;
  const names = nameGuards(body, context);
  const where = body.where.map((condition, index) =>
    guardBranches(condition, body.where.slice(0, index), names.write),
  );
  const first = where.findIndex((condition, index) => condition !== body.where[index]);
  if (first < 0) return query;
  const isEarly = (condition: d.DuckExpression, index: number) => {
    return index < first || (condition === body.where[index] && !mayFail(condition));
  };
  const late = where.filter((condition, index) => !isEarly(condition, index));
  const guarded = (conditions: typeof where) => ({
    ...query,
    body: { ...body, where: conditions },
  });
  if (names.items.length === 0) return guarded(where);
  return readNames(guarded(late), { ...names, where: where.filter(isEarly) }, context);
}

function guardItems(query: QueryOfBlock, context: Context): QueryOfBlock {
  const { body, orderBy } = query;
  const { items, qualify } = body;
  const names = nameGuards({ ...body, where: [] }, context);
  const parts = { items, orderBy, ...(qualify && { qualify }) };
  const { orderBy: keys, ...guarded } = guardBranches(parts, [], names.write);
  if (names.items.length === 0) return { ...query, body: { ...body, ...guarded }, orderBy: keys };
  const outer = { ...query, body: { ...body, ...guarded, where: [] }, orderBy: keys };
  return readNames(outer, { ...names, where: body.where }, context);
}

/** The guards that read a block's own rows, as columns of a sub-select of these rows. */
interface Names {
  readonly alias: string;
  readonly own: ReadonlySet<string>;
  readonly items: readonly d.DuckItem[];
}

function nameGuards(
  { from, where }: d.DuckSelect,
  { countWritten, newAlias, depth }: Context,
): Names & { readonly write: WriteGuard } {
  const own = new Set(from === undefined ? [] : aliasesOf(from));
  const alias = newAlias();
  const items: d.DuckItem[] = [];
  const named = new Map<string, d.DuckExpression>();
  const readsRow = (node: object) => [...collectTables(node)].some((table) => own.has(table));
  const write: WriteGuard = (guards, query) => {
    // With a guard, the engine would run a shared sub-select as a join, which is several times slower.
    const isShared = !readsRow(query) && someNode(query, (part) => nodeKind(part) === 'table');
    const kept = guards.filter((one) => !(isShared && where.includes(one) && readsRow(one)));
    if (kept.length === 0) return undefined;
    const all = conjunction(kept);
    const key = JSON.stringify(all);
    const known = named.get(key);
    if (known !== undefined) return known;
    countWritten(countDuckNodes(all) * (depth + 1));
    if (!readsRow(all)) return all;
    const column = { kind: 'column', table: alias, name: `guard_${items.length + 1}` } as const;
    // A CASE stops at the first condition that does not hold; AND in a SELECT list does not.
    items.push({ name: column.name, value: d.choose(all, d.trueValue) });
    named.set(key, column);
    return column;
  };
  return { alias, own, items, write };
}

/** Moves the rows of a block into a sub-select, in which the guards are columns. */
function readNames(query: QueryOfBlock, split: Split, context: Context): QueryOfBlock {
  const depth = context.depth + 1;
  return nestRows(query, split, {
    countWritten: context.countWritten,
    changeRows: (rows) => guardQuery(rows, { ...context, depth }),
  });
}
