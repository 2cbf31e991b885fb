import type { BoundExpression, BoundFrom, BoundQuery, BoundSelect } from '../bound/bound.js';
import { hasSubquery } from '../bound/map-expression.js';
import { type Known, withoutUntaken } from './fold-constants.js';
import { conjuncts, windowOf } from './gather-window.js';

/**
 * Whether every record of a CTE's source is the caller's: then there is nothing to wall off. It is so
 * where the CTE asks for the one project that the source holds, whatever its time window, and where
 * it hands out every record.
 */
export function holdsOwnRows({ body, orderBy, limit, offset }: BoundQuery, known: Known): boolean {
  if (body.kind !== 'select' || body.from.kind !== 'source') return false;
  const { from, distinct, grouping, having, qualify } = body;
  const changes = [limit, offset, grouping, having, qualify];
  if (distinct || changes.some((part) => part !== undefined)) return false;
  // A sub-select may read another table.
  if ([...body.items, ...orderBy].some(({ value }) => hasSubquery(value))) return false;
  const left = openConditions(body, known);
  const isWindow = left.every((condition) => windowOf(condition, from.columns).length > 0);
  const asksForProject = conjuncts(body.where).some((each) => isProven(each, from, known));
  return left.length === 0 || (asksForProject && isWindow);
}

/**
 * The conditions of a block, without those that hold for every row of its one source:
 * `t.project = @project` where the source holds that project only.
 */
export function openConditions(
  { from, where }: Pick<BoundSelect, 'from' | 'where'>,
  known: Known,
): readonly BoundExpression[] {
  const conditions = conjuncts(where).map((condition) => withoutUntaken(condition, known));
  return conditions.filter((condition) => !isTrue(condition) && !isProven(condition, from, known));
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
