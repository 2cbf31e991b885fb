import type { DuckExpression, DuckQuery, DuckSelect } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { mapChildren } from '../duckdb-sql/map-tree.js';
import { isNeverNull, mayFail } from '../duckdb-sql/may-fail.js';

/** The conditions under which a part of an expression is computed. */
type Guards = readonly DuckExpression[];

/** Writes the conjunction of guards so that a sub-select can read it; undefined if the sub-select needs no guard. */
export type WriteGuard = (guards: Guards, query: DuckQuery) => DuckExpression | undefined;

/**
 * Makes sub-selects that may fail return no rows if an enclosing CASE, COALESCE, AND or OR does not
 * compute them: the engine runs a sub-select before the expression that contains it.
 * `CASE WHEN t.a > 1 THEN (select f(b) from u) END` ->
 * `CASE WHEN t.a > 1 THEN (select f(b) from u where t.a > 1) END`
 * @param guards conditions around the whole tree
 */
export function guardBranches<T extends object>(tree: T, guards: Guards, write: WriteGuard): T {
  const under = (part: object, more: Guards) => guardBranches(part, [...guards, ...more], write);
  const node = tree as unknown as DuckExpression;
  const guarded =
    node.kind === 'subquery'
      ? guardQuery(node, guards, write)
      : (mapLazy(node, under) ?? mapChildren(tree, (part) => under(part, [])));
  return guarded as T;
}

type Under = (part: object, more: Guards) => object;

/** Maps the operands of an expression that computes them only as needed; undefined for any other expression. */
function mapLazy(node: DuckExpression, under: Under): DuckExpression | undefined {
  if (node.kind === 'case') return mapCase(node, under);
  if (node.kind === 'call' && node.path[0] === 'coalesce') {
    const args = mapOperands(node.args, under, d.isNull);
    return args === node.args ? node : { ...node, args };
  }
  const goesOn = node.kind === 'infix' ? goOn[node.operator] : undefined;
  if (node.kind !== 'infix' || goesOn === undefined) return undefined;
  const operands = mapOperands(node.operands, under, goesOn);
  return operands === node.operands ? node : { ...node, operands };
}

/** The condition under which an operator computes the next operand. */
const goOn: Readonly<Record<string, (operand: DuckExpression) => DuckExpression>> = {
  AND: unlessFalse,
  OR: (operand) => unlessFalse(not(operand)),
};

function mapOperands(
  operands: readonly DuckExpression[],
  under: Under,
  goesOn: (operand: DuckExpression) => DuckExpression,
): readonly DuckExpression[] {
  const mapped = operands.map(
    (operand, index) => under(operand, operands.slice(0, index).map(goesOn)) as DuckExpression,
  );
  return mapped.every((operand, index) => operand === operands[index]) ? operands : mapped;
}

type Case = Extract<DuckExpression, { kind: 'case' }>;

function mapCase(node: Case, under: Under): DuckExpression {
  const { operand, whens, otherwise } = node;
  const before = (end?: number) => {
    return whens.slice(0, end).map((one) => unlessFalse(not(testOf(node, one))));
  };
  const mapped = whens.map((one, index) => ({
    when: under(one.when, before(index)) as DuckExpression,
    result: under(one.result, [...before(index), testOf(node, one)]) as DuckExpression,
  }));
  const last = otherwise && (under(otherwise, before()) as DuckExpression);
  const first = operand && (under(operand, []) as DuckExpression);
  const isSame =
    first === operand &&
    last === otherwise &&
    mapped.every(({ when, result }, index) => {
      return when === whens[index]?.when && result === whens[index]?.result;
    });
  if (isSame) return node;
  return {
    kind: 'case',
    ...(first && { operand: first }),
    whens: mapped,
    ...(last && { otherwise: last }),
  };
}

function testOf({ operand }: Case, { when }: Case['whens'][number]): DuckExpression {
  if (operand === undefined) return when;
  return { kind: 'infix', operator: '=', operands: [operand, when] };
}

function not(operand: DuckExpression): DuckExpression {
  return { kind: 'prefix', operator: 'NOT', operand };
}

function unlessFalse(test: DuckExpression): DuckExpression {
  return isNeverNull(test) ? test : d.call('coalesce', test, d.trueValue);
}

type SubSelect = Extract<DuckExpression, { kind: 'subquery' }>;

function guardQuery(node: SubSelect, guards: Guards, write: WriteGuard): DuckExpression {
  const { operand, query } = node;
  const value = operand && guardBranches(operand, guards, write);
  const guard = guards.length > 0 && canFail(node) ? write(guards, query) : undefined;
  if (guard === undefined) {
    return value === operand ? node : { ...node, ...(value && { operand: value }) };
  }
  return {
    ...node,
    query: addCondition(query, guard) as DuckQuery,
    ...(value && { operand: d.choose(guard, value) }),
  };
}

/** Whether a sub-select may fail, because of its expressions or of a second row. */
function canFail({ form, operand, query }: SubSelect): boolean {
  if (mayFail(query) || (operand !== undefined && mayFail(operand))) return true;
  return form === 'SCALAR' && !hasOneRow(query);
}

/** Whether the form of a query implies at most one row. UNNEST in the SELECT list may add rows. */
function hasOneRow({ body, limit }: DuckQuery): boolean {
  if (limit?.kind === 'number' && limit.digits === '1') return true;
  if (!d.isBlock(body)) return false;
  const { from, groupKeys, items } = body;
  if (groupKeys === 0) return true;
  if (items.some(({ value }) => isUnnest(value))) return false;
  return from === undefined || (from.kind === 'derived' && hasOneRow(from.query));
}

/** Adds a condition to every block of a query, and to the items that a block over an empty aggregate would still compute. */
function addCondition(node: object, condition: DuckExpression): object {
  const mapped = mapChildren(node, (part) => addCondition(part, condition));
  if (!d.isBlock(mapped)) return mapped;
  const { where, items, groupKeys } = mapped as DuckSelect;
  const guarded = items.map(({ name, value }) => {
    const isPlain = groupKeys !== undefined || isUnnest(value) || !mayFail(value);
    return { name, value: isPlain ? value : d.choose(condition, value) };
  });
  return { ...mapped, items: guarded, where: [condition, ...where] };
}

function isUnnest(value: DuckExpression): boolean {
  return value.kind === 'call' && value.path[0] === 'unnest';
}
