import type { BoundExpression, BoundFrom, BoundQuery } from '../bound/bound.js';
import { hasSubquery, mapQueries } from '../bound/map-expression.js';
import { allOf, conjuncts } from './conditions.js';
import { type KnownValues, pruneBranches } from './fold-constants.js';
import { timeWindowOf } from './time-window.js';

/**
 * Drops the conditions of WHERE that hold for every row of its one source, because the source has
 * records of only one project.
 * `where t.project = @project and t.id > 'a'` -> `where t.id > 'a'`
 */
export function dropOwnProject(statement: BoundQuery, known: KnownValues): BoundQuery {
  return mapQueries(statement, { query: (query) => dropFromWhere(query, known) });
}

function dropFromWhere(query: BoundQuery, known: KnownValues): BoundQuery {
  const { body } = query;
  if (body.kind !== 'select' || body.where === undefined) return query;
  const { where, ...select } = body;
  const conditions = conjuncts(where);
  const others = conditions.filter(
    (each) => !isTrue(each) && !holdsForAll(each, select.from, known),
  );
  if (others.length === conditions.length) return query;
  const rest = allOf(others);
  return { ...query, body: rest === undefined ? select : { ...select, where: rest } };
}

/**
 * Whether a CTE returns only records that the caller may see, so that there is nothing to wall off:
 * it filters by the one project that its source has, or returns every record.
 */
export function holdsOwnRows(
  { body, orderBy, limit, offset }: BoundQuery,
  known: KnownValues,
): boolean {
  if (body.kind !== 'select' || body.from.kind !== 'source') return false;
  const { from, distinct, grouping, having, qualify } = body;
  const clauses = [limit, offset, grouping, having, qualify];
  if (distinct || clauses.some((clause) => clause !== undefined)) return false;
  // A sub-select may read another table.
  if ([...body.items, ...orderBy].some(({ value }) => hasSubquery(value))) return false;
  const conditions = conjuncts(body.where).map((condition) => pruneBranches(condition, known));
  const isOwn = (condition: BoundExpression) => holdsForAll(condition, from, known);
  const others = conditions.filter((condition) => !isTrue(condition) && !isOwn(condition));
  const isWindow = others.every((condition) => timeWindowOf(condition, from.columns) !== undefined);
  return others.length === 0 || (conjuncts(body.where).some(isOwn) && isWindow);
}

function isTrue(condition: BoundExpression): boolean {
  return condition.kind === 'literal' && condition.value === 'true';
}

type Source = Extract<BoundFrom, { kind: 'source' }>;

function holdsForAll(condition: BoundExpression, from: BoundFrom, known: KnownValues): boolean {
  if (from.kind !== 'source' || from.source.onlyProject === undefined) return false;
  const paths = new Map(from.columns.map(({ id, name }) => [id, [name]]));
  if (condition.kind === 'subquery' && condition.form === 'EXISTS') {
    return holdsForElement(condition.query, { source: from, paths, known });
  }
  return isProject(condition, { source: from, paths, known });
}

/** The source that a condition is checked against. */
interface Proof {
  readonly source: Source;
  /** The path in the source of each visible column. */
  readonly paths: ReadonlyMap<number, readonly string[]>;
  readonly known: KnownValues;
}

/** `exists (select … from unnest(t.metadata) as m where m.project = @project)`. */
function holdsForElement({ body, limit, ctes }: BoundQuery, proof: Proof): boolean {
  if (body.kind !== 'select' || body.grouping !== undefined || body.qualify !== undefined)
    return false;
  const { from, where } = body;
  if (limit !== undefined || ctes.length > 0 || from.kind !== 'unnest') return false;
  const { array, on, left, element } = from;
  const path = pathOf(array, proof.paths);
  const isOne = array.type.kind === 'ARRAY' && array.type.layout === 'struct';
  if (path === undefined || !isOne || on !== undefined || left.kind !== 'none') return false;
  const paths = new Map([...proof.paths, [element.id, path]]);
  return where !== undefined && isProject(where, { ...proof, paths });
}

/** Whether a condition compares the source's project with a parameter whose value is its only project. */
function isProject(condition: BoundExpression, { source, paths, known }: Proof): boolean {
  if (condition.kind !== 'call' || condition.function.name !== '$=') return false;
  const { projectPath = [], onlyProject } = source.source;
  const isParameter = (value: BoundExpression) =>
    value.kind === 'parameter' && known.get(value.name)?.text === onlyProject;
  const isField = (value: BoundExpression) =>
    JSON.stringify(pathOf(value, paths)) === JSON.stringify(projectPath);
  const [left, right] = condition.args;
  if (left === undefined || right === undefined) return false;
  return (isField(left) && isParameter(right)) || (isParameter(left) && isField(right));
}

function pathOf(value: BoundExpression, paths: Proof['paths']): readonly string[] | undefined {
  if (value.kind === 'column') return paths.get(value.column.id);
  const of = value.kind === 'field' ? pathOf(value.of, paths) : undefined;
  return of && value.kind === 'field' ? [...of, value.name] : undefined;
}
