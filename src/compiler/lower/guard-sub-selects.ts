import { countNodes } from '../duckdb-sql/count-nodes.js';
import {
  call,
  choose,
  type DuckExpression,
  type DuckQuery,
  type DuckSelect,
  infix,
  isNull,
} from '../duckdb-sql/duckdb-sql.js';
import { mapChildren } from '../duckdb-sql/map-tree.js';
import { mayFail } from '../duckdb-sql/may-fail.js';
import { conjunction } from './lower-condition.js';
import type { Lowering } from './lowering.js';
import { type Relation, wrapInSubquery } from './relation.js';
import { collectTables } from './tables-of.js';

/**
 * Makes sub-selects that may fail return no rows where the CASE around them does not take their branch:
 * the engine runs a sub-select before the CASE. If the sub-select reads a table, the condition becomes a
 * column of the rows first, so that it runs once for each of its two values and not for each row.
 * `select CASE WHEN t.a > 1 THEN (select f(b) from u) END from t` ->
 * `select CASE WHEN s.a > 1 THEN (select f(b) from u where s.guard_1) END from (select t.a, t.a > 1 as guard_1 from t) s`
 * @param select lowers the block over these rows
 */
export function guardSubSelects(
  rows: Relation,
  select: (rows: Relation) => DuckSelect,
  lowering: Lowering,
): DuckSelect {
  const { countWritten } = lowering;
  const guarded: DuckExpression[] = [];
  const nameGuard = (guard: DuckExpression) => {
    if (rows.from !== undefined && collectTables(guard).size > 0) guarded.push(guard);
    return guard;
  };
  const first = guardItems(select(rows), { nameGuard, countWritten });
  if (guarded.length === 0) return first;
  const items = guarded.map((value, index) => ({ name: `guard_${index + 1}`, value }));
  const { alias, relation } = wrapInSubquery(rows, lowering, { items });
  const names = items.map(({ name }) => name).values();
  const readGuard = (guard: DuckExpression): DuckExpression => {
    if (collectTables(guard).size === 0) return guard;
    return { kind: 'column', table: alias, name: names.next().value ?? '' };
  };
  return guardItems(select(relation), { nameGuard: readGuard, countWritten });
}

function guardItems(select: DuckSelect, context: Context): DuckSelect {
  const items = guardIn(select.items, [], context);
  return items === select.items ? select : { ...select, items };
}

interface Context extends Pick<Lowering, 'countWritten'> {
  /** What a sub-select that reads a table has in place of its guard. */
  readonly nameGuard: (guard: DuckExpression) => DuckExpression;
}

/** @param guards the conditions under which the node is computed */
function guardIn<T extends object>(
  node: T,
  guards: readonly DuckExpression[],
  context: Context,
): T {
  const { kind, path } = node as { readonly kind?: unknown; readonly path?: readonly unknown[] };
  const under = (part: object, more: readonly DuckExpression[]) =>
    guardIn(part, [...guards, ...more], context);
  if (kind === 'subquery') return guardQuery(node, guards, context);
  if (kind === 'case') return mapCase(node as unknown as Case, under) as unknown as T;
  if (kind !== 'call' || path?.[0] !== 'coalesce')
    return mapChildren(node, (part) => under(part, []));
  const { args } = node as unknown as { readonly args: readonly DuckExpression[] };
  const mapped = args.map((arg, index) => under(arg, args.slice(0, index).map(isNull)));
  return mapped.every((arg, index) => arg === args[index]) ? node : { ...node, args: mapped };
}

type Case = Extract<DuckExpression, { kind: 'case' }>;

function mapCase(
  node: Case,
  under: (part: object, more: readonly DuckExpression[]) => object,
): DuckExpression {
  const { operand, whens, otherwise } = node;
  const before = (end?: number) => whens.slice(0, end).map((one) => isNot(testOf(node, one)));
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
  return operand === undefined ? when : infix('=', operand, when);
}

function isNot(test: DuckExpression): DuckExpression {
  const not: DuckExpression = { kind: 'prefix', operator: 'NOT', operand: test };
  return call('coalesce', not, { kind: 'word', word: 'TRUE' });
}

/** The engine allows no window function in a condition, and a CTE may not read the row. */
function guardQuery<T extends object>(
  node: T,
  guards: readonly DuckExpression[],
  context: Context,
): T {
  if (guards.length === 0 || !canFail(node)) return node;
  context.countWritten(countNodes(guards));
  if (has(guards, 'over') || has(node, 'evaluation')) return node;
  const all = conjunction(guards);
  const guard = has(node, 'path', isTable) ? context.nameGuard(all) : all;
  const { operand, ...rest } = node as { readonly operand?: DuckExpression };
  const guarded = addCondition(rest, guard);
  return (operand ? { ...guarded, operand: choose(guard, operand) } : guarded) as T;
}

/** Whether a sub-select may fail: by its expressions, or by a second row. */
function canFail(node: object): boolean {
  const { form, query } = node as Extract<DuckExpression, { kind: 'subquery' }>;
  if (mayFail(query)) return true;
  return form === 'SCALAR' && !hasOneRow(query);
}

/** Whether a query has at most one row by its form. UNNEST in the SELECT list makes rows. */
function hasOneRow({ body, limit }: DuckQuery): boolean {
  if (limit?.kind === 'number' && limit.digits === '1') return true;
  if (!('kind' in body) || body.kind !== 'select') return false;
  const { from, groupKeys, items } = body;
  if (groupKeys === 0) return true;
  if (items.some(({ value }) => isUnnest(value))) return false;
  return from === undefined || (from.kind === 'derived' && hasOneRow(from.query));
}

function isTable(node: object): boolean {
  return 'kind' in node && node.kind === 'table';
}

/** Whether some node of a tree has this key, and passes the test. */
function has(tree: object, key: string, test: (node: object) => boolean = () => true): boolean {
  if (key in tree && test(tree)) return true;
  return Object.values(tree).some(
    (part: unknown) => typeof part === 'object' && part !== null && has(part, key, test),
  );
}

/** Adds a condition to every block of a query, and to what an aggregate without rows would still compute. */
function addCondition(node: object, condition: DuckExpression): object {
  const mapped = mapChildren(node, (part) => addCondition(part, condition));
  if (!('kind' in mapped) || mapped.kind !== 'select') return mapped;
  const { where, items, groupKeys } = mapped as DuckSelect;
  const guarded = items.map(({ name, value }) => {
    const isPlain = groupKeys !== undefined || isUnnest(value) || !mayFail(value);
    return { name, value: isPlain ? value : choose(condition, value) };
  });
  return { ...mapped, items: guarded, where: [condition, ...where] };
}

function isUnnest(value: DuckExpression): boolean {
  return value.kind === 'call' && value.path[0] === 'unnest';
}
