import * as d from '../duckdb-sql/duckdb-sql.js';
import { joinedAliases, someTable } from '../duckdb-sql/list-tables.js';
import {
  countDuckNodes,
  type DuckMapper,
  mapChildren,
  mapTree,
  someNode,
} from '../duckdb-sql/map-tree.js';
import { isNeverNull, mayFail } from '../duckdb-sql/may-fail.js';
import { nestRows } from '../duckdb-sql/nest-rows.js';
import { conjunction } from './lower-condition.js';
import type { Lowering } from './lowering.js';

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
  const mapper: DuckMapper = {
    query: (query) => {
      const mapped = mapChildren(query, mapper);
      return d.isQueryOfBlock(mapped) ? guardQuery(mapped, context) : mapped;
    },
  };
  return mapTree(statement, mapper);
}

/** Guards a block; keys and arguments of a grouping block contain no sub-selects, see `lower-grouping.ts`. */
function guardQuery(query: d.QueryOfBlock, context: Context): d.QueryOfBlock {
  const filtered = guardWhere(query, context);
  return filtered.body.groupKeys === undefined ? guardItems(filtered, context) : filtered;
}

/** Guards each condition by earlier conditions, unless all rows share the sub-select's result. */
function guardWhere(query: d.QueryOfBlock, context: Context): d.QueryOfBlock {
  const { body } = query;
  const { items, write, nest } = nameGuards(body, context);
  const where = body.where.map((condition, index) =>
    mapTree(condition, guardBranches(body.where.slice(0, index), write)),
  );
  const first = where.findIndex((condition, index) => condition !== body.where[index]);
  if (first < 0) return query;
  const isEarly = (condition: d.DuckExpression, index: number) => {
    return index < first || (condition === body.where[index] && !mayFail(condition));
  };
  const guarded = { ...query, body: { ...body, where } };
  if (items.length === 0) return guarded;
  const late = where.filter((condition, index) => !isEarly(condition, index));
  return nest(guarded, late, where.filter(isEarly));
}

function guardItems(query: d.QueryOfBlock, context: Context): d.QueryOfBlock {
  const { body } = query;
  const { items, qualify, where } = body;
  const names = nameGuards({ ...body, where: [] }, context);
  const parts = { items, orderBy: query.orderBy, ...(qualify && { qualify }) };
  const { orderBy, ...clauses } = mapChildren(parts, guardBranches([], names.write));
  const guarded = { ...query, body: { ...body, ...clauses }, orderBy };
  return names.items.length === 0 ? guarded : names.nest(guarded, [], where);
}

/** Gives names to the guards that read a block's own rows: they become columns of a sub-select of these rows. */
function nameGuards({ from, where }: d.DuckSelect, context: Context) {
  const { countWritten, newAlias, depth } = context;
  const own = new Set(from === undefined ? [] : joinedAliases(from));
  const alias = newAlias();
  const items: d.DuckItem[] = [];
  const named = new Map<string, d.DuckExpression>();
  const readsRow = (node: object) => someTable(node, (table) => own.has(table));
  const write: WriteGuard = (guards, query) => {
    // With a guard, the engine would run a shared sub-select as a join, which is several times slower.
    const isShared = !readsRow(query) && someNode(query, ({ kind }) => kind === 'table');
    const kept = guards.filter((one) => !(isShared && where.includes(one) && readsRow(one)));
    if (kept.length === 0) return undefined;
    const all = conjunction(kept);
    const key = JSON.stringify(all);
    const known = named.get(key);
    if (known !== undefined) return known;
    countWritten(countDuckNodes(all) * (depth + 1));
    if (!readsRow(all)) return all;
    const name = `guard_${items.length + 1}`;
    const column = d.column(alias, name);
    // A CASE stops at the first condition that does not hold; AND in a SELECT list does not.
    items.push({ name, value: d.choose(all, d.trueValue) });
    named.set(key, column);
    return column;
  };
  /** Moves the rows into a sub-select; `late` conditions stay, `early` ones move, too. */
  const nest = (query: d.QueryOfBlock, late: Guards, early: Guards) => {
    const outer = { ...query, body: { ...query.body, where: late } };
    const changeRows = (rows: d.QueryOfBlock) => guardQuery(rows, { ...context, depth: depth + 1 });
    const split = { alias, side: from, own, where: early, items };
    return nestRows(outer, split, { countWritten, changeRows });
  };
  return { items, write, nest };
}

/** The conditions under which a part of an expression is computed. */
type Guards = readonly d.DuckExpression[];

/** Writes the conjunction of guards so that a sub-select can read it; undefined if the sub-select needs no guard. */
type WriteGuard = (guards: Guards, query: d.DuckQuery) => d.DuckExpression | undefined;

/**
 * Makes sub-selects that may fail return no rows if an enclosing CASE, COALESCE, AND or OR does not
 * compute them: the engine runs a sub-select before the expression that contains it.
 * `CASE WHEN t.a > 1 THEN (select f(b) from u) END` ->
 * `CASE WHEN t.a > 1 THEN (select f(b) from u where t.a > 1) END`
 * @param guards conditions around the whole tree
 */
function guardBranches(guards: Guards, write: WriteGuard): DuckMapper {
  const under: Under = (part, more) => mapTree(part, guardBranches([...guards, ...more], write));
  return {
    expression: (node) =>
      node.kind === 'subquery' ? guardSubSelect(node, guards, write) : mapLazy(node, under),
  };
}

type Under = (part: d.DuckExpression, more: Guards) => d.DuckExpression;

/** Maps the parts of an expression, each under the conditions under which it is computed. */
function mapLazy(node: d.DuckExpression, under: Under): d.DuckExpression {
  if (node.kind === 'case') return mapCase(node, under);
  if (node.kind === 'call' && node.path[0] === 'coalesce')
    return mapOperands(node, under, d.isNull);
  const goesOn = node.kind === 'infix' ? goOn[node.operator] : undefined;
  if (goesOn !== undefined) return mapOperands(node, under, goesOn);
  return mapChildren(node, { expression: (part) => under(part, []) });
}

/** The condition under which an operator computes the next operand. */
const goOn: Readonly<Record<string, (operand: d.DuckExpression) => d.DuckExpression>> = {
  AND: unlessFalse,
  OR: (operand) => unlessFalse(not(operand)),
};

/** Maps the operands of a node; each is computed only if the ones before it go on. */
function mapOperands(
  node: d.DuckExpression,
  under: Under,
  goesOn: (operand: d.DuckExpression) => d.DuckExpression,
): d.DuckExpression {
  const before: d.DuckExpression[] = [];
  const expression = (operand: d.DuckExpression) => {
    const mapped = under(operand, before);
    before.push(goesOn(operand));
    return mapped;
  };
  return mapChildren(node, { expression });
}

type Case = Extract<d.DuckExpression, { kind: 'case' }>;

function mapCase(node: Case, under: Under): d.DuckExpression {
  const { operand, whens } = node;
  const tests = whens.map(({ when }) => (operand ? d.infix('=', operand, when) : when));
  const passed = tests.map((test) => unlessFalse(not(test)));
  // In the order of the parts: the operand, then each condition and its result; ELSE comes last.
  const guards = tests.flatMap((test, index) => {
    const own = passed.slice(0, index);
    return [own, [...own, test]];
  });
  if (operand !== undefined) guards.unshift([]);
  return mapChildren(node, { expression: (part) => under(part, guards.shift() ?? passed) });
}

function not(operand: d.DuckExpression): d.DuckExpression {
  return { kind: 'prefix', operator: 'NOT', operand };
}

function unlessFalse(test: d.DuckExpression): d.DuckExpression {
  return isNeverNull(test) ? test : d.call('coalesce', test, d.trueValue);
}

type SubSelect = Extract<d.DuckExpression, { kind: 'subquery' }>;

function guardSubSelect(node: SubSelect, guards: Guards, write: WriteGuard): d.DuckExpression {
  const { operand, query } = node;
  const value = operand && mapTree(operand, guardBranches(guards, write));
  const guard = guards.length > 0 && canFail(node) ? write(guards, query) : undefined;
  if (guard === undefined) {
    return value === operand ? node : { ...node, ...(value && { operand: value }) };
  }
  return {
    ...node,
    query: addCondition(query, guard),
    ...(value && { operand: d.choose(guard, value) }),
  };
}

/** Whether a sub-select may fail, because of its expressions or of a second row. */
function canFail({ form, operand, query }: SubSelect): boolean {
  if (mayFail(query) || (operand !== undefined && mayFail(operand))) return true;
  return form === 'SCALAR' && !hasOneRow(query);
}

/** Whether the form of a query implies at most one row. UNNEST in the SELECT list may add rows. */
function hasOneRow({ body, limit }: d.DuckQuery): boolean {
  if (limit?.kind === 'number' && limit.digits === '1') return true;
  if (body.kind !== 'select') return false;
  const { from, groupKeys, items } = body;
  if (groupKeys === 0) return true;
  if (items.some(({ value }) => d.makesRows(value))) return false;
  return from === undefined || (from.kind === 'derived' && hasOneRow(from.query));
}

/** Adds a condition to every block of a query, and to the items that a block over an empty aggregate would still compute. */
function addCondition(query: d.DuckQuery, condition: d.DuckExpression): d.DuckQuery {
  const block = (given: d.DuckSelect): d.DuckSelect => {
    const mapped = mapChildren(given, { block });
    const { where, items, groupKeys } = mapped;
    const guarded = items.map(({ name, value }) => {
      const isPlain = groupKeys !== undefined || d.makesRows(value) || !mayFail(value);
      return { name, value: isPlain ? value : d.choose(condition, value) };
    });
    return { ...mapped, items: guarded, where: [condition, ...where] };
  };
  return mapTree(query, { block });
}
