import type { BoundExpression, BoundFrom, BoundQuery } from '../bound/bound.js';
import { hasSubquery, mapQueries } from '../bound/map-expression.js';
import { allOf, conjuncts } from './conditions.js';
import { type Known, pruneBranches } from './fold-constants.js';
import { timeWindowOf } from './time-window.js';

/**
 * Drops the conditions of WHERE that hold for every row of its one source, because the source has
 * records of only one project.
 * `where t.project = @project and t.id > 'a'` -> `where t.id > 'a'`
 */
export function dropOwnProject(statement: BoundQuery, known: Known): BoundQuery {
  return mapQueries(statement, { query: (query) => dropProven(query, known) });
}

function dropProven(query: BoundQuery, known: Known): BoundQuery {
  const { body } = query;
  if (body.kind !== 'select' || body.where === undefined) return query;
  const { where, ...select } = body;
  const conditions = conjuncts(where);
  const open = conditions.filter((each) => !isTrue(each) && !isProven(each, select.from, known));
  if (open.length === conditions.length) return query;
  const rest = allOf(open);
  return { ...query, body: rest === undefined ? select : { ...select, where: rest } };
}

/**
 * Whether a CTE gives out only records that the caller may see, so that there is nothing to wall off:
 * it asks for the one project that its source holds, or it gives out every record.
 */
export function holdsOwnRows({ body, orderBy, limit, offset }: BoundQuery, known: Known): boolean {
  if (body.kind !== 'select' || body.from.kind !== 'source') return false;
  const { from, distinct, grouping, having, qualify } = body;
  const clauses = [limit, offset, grouping, having, qualify];
  if (distinct || clauses.some((clause) => clause !== undefined)) return false;
  // A sub-select may read another table.
  if ([...body.items, ...orderBy].some(({ value }) => hasSubquery(value))) return false;
  const conditions = conjuncts(body.where).map((condition) => pruneBranches(condition, known));
  const isOwn = (condition: BoundExpression) => isProven(condition, from, known);
  const open = conditions.filter((condition) => !isTrue(condition) && !isOwn(condition));
  const isWindow = open.every((condition) => timeWindowOf(condition, from.columns) !== undefined);
  return open.length === 0 || (conjuncts(body.where).some(isOwn) && isWindow);
}

function isTrue(condition: BoundExpression): boolean {
  return condition.kind === 'literal' && condition.value === 'true';
}

type Source = Extract<BoundFrom, { kind: 'source' }>;

function isProven(condition: BoundExpression, from: BoundFrom, known: Known): boolean {
  if (from.kind !== 'source' || from.source.onlyProject === undefined) return false;
  const paths = new Map(from.columns.map(({ id, name }) => [id, [name]]));
  if (condition.kind === 'subquery' && condition.form === 'EXISTS') {
    return isProvenOfElement(condition.query, { source: from, paths, known });
  }
  return isProject(condition, { source: from, paths, known });
}

interface Proof {
  readonly source: Source;
  /** The path in the source of each column in sight. */
  readonly paths: ReadonlyMap<number, readonly string[]>;
  readonly known: Known;
}

/** `exists (select … from unnest(t.metadata) as m where m.project = @project)`. */
function isProvenOfElement({ body, limit, ctes }: BoundQuery, proof: Proof): boolean {
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

/** Whether a condition compares the source's project with a parameter that is the one it holds. */
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
