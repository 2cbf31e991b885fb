import * as d from '../duckdb-sql/duckdb-sql.js';
import { failsOnData } from '../duckdb-sql/fails-on-data.js';
import { collectTables, joinedAliases } from '../duckdb-sql/list-tables.js';
import { type DuckMapper, mapChildren } from '../duckdb-sql/map-tree.js';
import { nestRows } from '../duckdb-sql/nest-rows.js';
import {
  conjunction,
  holdsSubquery,
  isJoinKey,
  isLateInOn,
  loweredConjuncts,
} from './lower-condition.js';
import type { Lowering } from './lowering.js';

interface Context extends Pick<Lowering, 'countWritten' | 'newAlias'> {
  /** Whether each CTE removes rows, by its name. */
  readonly removing: Map<string, boolean>;
}

/**
 * Keeps expressions that may fail above the joins, sub-selects and set operations that remove rows: the engine pushes
 * filters down to the scans, even filters on columns of sub-selects. It pushes no filter below a volatile column, which
 * it must compute for each row.
 * `select f(s) as n from t where s in (select …)` ->
 * `select CASE WHEN random() < 2 THEN f(s) END as n from t where s in (select …)`, and
 * `… where s in (select …) and f(s) > 1` ->
 * `… from (select s as c1, CASE WHEN random() < 2 AND f(s) > 1 THEN TRUE END as keep from t where s in (select …)) where keep`
 */
export function keepLate(statement: d.DuckQuery, options: Omit<Context, 'removing'>): d.DuckQuery {
  return keepQuery(statement, { ...options, removing: new Map() }, false);
}

/** @param isNested whether an enclosing query could filter the rows of the query */
function keepQuery(given: d.DuckQuery, context: Context, isNested: boolean): d.DuckQuery {
  const { ctes: own, ...rest } = given;
  const ctes = own.map((cte) => {
    const query = keepQuery(cte.query, context, true);
    context.removing.set(cte.name, removesRows(query, context));
    return { ...cte, query };
  });
  const query = { ctes, ...mapChildren(rest, keepBelow(context, true)) };
  return d.isQueryOfBlock(query) ? keepBlock(query, context, isNested) : query;
}

/** @param isNested whether the node above the queries could filter their rows */
function keepBelow(context: Context, isNested: boolean): DuckMapper {
  return {
    query: (query) => keepQuery(query, context, isNested),
    // A filter around a sub-select in an expression does not reach its rows.
    expression: (node) =>
      node.kind === 'subquery' ? mapChildren(node, keepBelow(context, false)) : undefined,
  };
}

function keepBlock(given: d.QueryOfBlock, context: Context, isNested: boolean): d.QueryOfBlock {
  const query = keepQualify(keepWhere(hoistOn(given, context), context));
  const { body } = query;
  if (!isNested || !removesRows(query, context)) return query;
  if (body.groupKeys !== undefined) return markKeys(query, context);
  const items = body.items.map(({ name, value }) => ({ name, value: marked(value) }));
  return { ...query, body: { ...body, items } };
}

/**
 * Moves conditions of inner joins that may fail, except join keys, into WHERE, after the conditions that cannot fail:
 * in ON, the engine would also compute them on rows of one side without a match.
 * `from a join b on a.k = b.k and f(a.s) > b.n` -> `from a join b on a.k = b.k where f(a.s) > b.n`
 */
function hoistOn(query: d.QueryOfBlock, context: Context): d.QueryOfBlock {
  const { body } = query;
  if (body.from === undefined) return query;
  const side = findSide(body.from);
  if (side !== undefined) return hoistOn(nestJoin(query, side, context), context);
  const { from, hoisted } = hoistFrom(body.from);
  if (hoisted.length === 0) return query;
  const early = body.where.filter(isEarly);
  const others = body.where.filter((one) => !isEarly(one));
  return { ...query, body: { ...body, from, where: [...early, ...hoisted, ...others] } };
}

function isEarly(condition: d.DuckExpression): boolean {
  return !failsOnData(condition) && !holdsSubquery(condition);
}

interface Side {
  readonly side: d.DuckFrom;
  /** Whether the outer join keeps the rows of the side that have no match. */
  readonly isKept: boolean;
}

/**
 * Finds a side of an outer join whose conditions can only be hoisted inside a sub-select, because they decide which
 * rows of the side match, or because the ON of the outer join may fail on the rows that they remove.
 */
function findSide(from: d.DuckFrom): Side | undefined {
  if (from.kind !== 'join') return undefined;
  const { join, on, left, right } = from;
  const isOuter = ['LEFT', 'RIGHT', 'FULL'].includes(join);
  const mayFailAbove = on !== undefined && failsOnData(on);
  const own = [
    { side: left, isKept: join === 'LEFT' },
    { side: right, isKept: join === 'RIGHT' },
  ].find(({ side, isKept }) => {
    return isOuter && (mayFailAbove || !isKept) && hoistFrom(side).hoisted.length > 0;
  });
  return own ?? findSide(left) ?? findSide(right);
}

/** Wraps the side in a sub-select. If the join keeps the side's rows, safe conditions of WHERE on them move into it. */
function nestJoin(query: d.QueryOfBlock, { side, isKept }: Side, context: Context): d.QueryOfBlock {
  const { body } = query;
  const own = new Set(joinedAliases(side));
  const isOwn = (one: d.DuckExpression) => {
    const tables = [...collectTables(one)];
    return isKept && isEarly(one) && tables.length > 0 && tables.every((table) => own.has(table));
  };
  const where = body.where.filter(isOwn);
  const outer = { ...query, body: { ...body, where: body.where.filter((one) => !isOwn(one)) } };
  const split = { alias: context.newAlias(), own, side, where, items: [] };
  const changeRows = (rows: d.QueryOfBlock) => keepBlock(rows, context, true);
  return nestRows(outer, split, { countWritten: context.countWritten, changeRows });
}

interface Hoisted {
  readonly from: d.DuckFrom;
  readonly hoisted: readonly d.DuckExpression[];
}

function hoistFrom(from: d.DuckFrom): Hoisted {
  if (from.kind !== 'join') return { from, hoisted: [] };
  const { join, on, ...sides } = from;
  const isInner = join === 'INNER' || join === 'CROSS';
  const kept = (side: d.DuckFrom): Hoisted => ({ from: side, hoisted: [] });
  const left = isInner || join === 'LEFT' ? hoistFrom(sides.left) : kept(sides.left);
  const right = isInner || join === 'RIGHT' ? hoistFrom(sides.right) : kept(sides.right);
  const conditions = on === undefined ? [] : loweredConjuncts(on);
  const late = isInner ? conditions.filter(isLateInOn) : [];
  const hoisted = [...left.hoisted, ...right.hoisted, ...late];
  if (hoisted.length === 0) return { from, hoisted };
  const others = conditions.filter((one) => !late.includes(one));
  const joined = { ...sides, left: left.from, right: right.from };
  if (isInner && others.length === 0) return { from: { ...joined, join: 'CROSS' }, hoisted };
  return { from: { ...joined, join, on: conjunction(others) }, hoisted };
}

/** Turns conditions that may fail, after a condition that removes rows, into a column of the remaining rows. */
function keepWhere(query: d.QueryOfBlock, context: Context): d.QueryOfBlock {
  const { from, where } = query.body;
  if (from === undefined || !where.some(failsOnData)) return query;
  const first = fromRemoves(from, context) ? 0 : where.findIndex(removesItself) + 1;
  if (first === 0 && !fromRemoves(from, context)) return query;
  const isLate = (one: d.DuckExpression, index: number) => {
    return index >= first && failsOnData(one) && !isJoinKey(one) && !holdsSubquery(one);
  };
  const late = where.filter(isLate);
  if (late.length === 0) return query;
  const others = where.filter((one, index) => !isLate(one, index));
  const start = where.findIndex(isLate);
  const isLast = (one: d.DuckExpression) => where.indexOf(one) > start && holdsSubquery(one);
  const early = others.filter((one) => !isLast(one));
  const alias = context.newAlias();
  const keep = d.column(alias, 'keep');
  const value = d.choose(d.infix('AND', always, ...late), d.trueValue);
  const items = [{ name: 'keep', value }];
  const split = { alias, side: from, own: new Set(joinedAliases(from)), where: early, items };
  const outer = { ...query, body: { ...query.body, where: [keep, ...others.filter(isLast)] } };
  return nestRows(outer, split, context);
}

/**
 * Writes QUALIFY as a CASE: the engine pushes a condition on a window's keys below the window, but not a CASE that
 * reads it.
 */
function keepQualify(query: d.QueryOfBlock): d.QueryOfBlock {
  const { qualify } = query.body;
  if (qualify?.kind !== 'infix' || qualify.operator !== 'AND') return query;
  const late = qualify.operands.filter((one) => failsOnData(one));
  const early = qualify.operands.filter((one) => !failsOnData(one));
  if (late.length === 0 || early.length === 0) return query;
  const kept = d.choose(conjunction(early), conjunction(late));
  return { ...query, body: { ...query.body, qualify: kept } };
}

/** Moves the expressions of keys into columns of the rows, because the engine replaces a key by its expression. */
function markKeys(query: d.QueryOfBlock, context: Context): d.QueryOfBlock {
  const { body } = query;
  const { from, where, items, groupKeys } = body;
  const keys = items.slice(0, groupKeys);
  if (from === undefined || !keys.some(({ value }) => failsOnData(value))) return query;
  const alias = context.newAlias();
  const values: d.DuckItem[] = [];
  const read = items.map(({ name, value }, index) => {
    if (index >= keys.length || !failsOnData(value)) return { name, value };
    const column = `marked_${index + 1}`;
    values.push({ name: column, value: marked(value) });
    return { name, value: d.column(alias, column) };
  });
  const split = { alias, side: from, own: new Set(joinedAliases(from)), where, items: values };
  return nestRows({ ...query, body: { ...body, where: [], items: read } }, split, context);
}

const always: d.DuckExpression = d.infix('<', d.call('random'), d.integer(2));

function marked(value: d.DuckExpression): d.DuckExpression {
  return failsOnData(value) ? d.choose(always, value) : value;
}

/** Whether an operator of the engine, such as a join, removes rows; a plain filter on each row does not count. */
function removesRows(query: d.DuckQuery, context: Context): boolean {
  const { body } = query;
  if (body.kind === 'query') return removesRows(body, context);
  if (body.kind === 'select') return blockRemoves(body, context);
  if (body.operator !== 'UNION') return true;
  return body.operands.some((operand) => removesRows(operand, context));
}

function blockRemoves({ from, where, qualify }: d.DuckSelect, context: Context): boolean {
  if (qualify !== undefined || where.some(removesItself)) return true;
  if (from === undefined) return false;
  const rows = from.kind === 'derived' ? from.query.body : from;
  const isGrouped = rows.kind === 'select' && rows.groupKeys !== undefined;
  return fromRemoves(from, context) || (where.length > 0 && isGrouped);
}

function fromRemoves(from: d.DuckFrom, context: Context): boolean {
  if (from.kind === 'derived') return removesRows(from.query, context);
  if (from.kind === 'join') {
    const { left, right, on } = from;
    if (on !== undefined && removesItself(on)) return true;
    return fromRemoves(left, context) || fromRemoves(right, context);
  }
  const [name = '', ...others] = from.path;
  return others.length === 0 && context.removing.get(name) === true;
}

/** Whether a condition becomes a join, because it contains a sub-select or reads two tables. */
function removesItself(condition: d.DuckExpression): boolean {
  return holdsSubquery(condition) || collectTables(condition).size > 1;
}
