import type * as bound from '../bound/bound.js';

/** A source that a query reads. */
export type ReadSource = Extract<bound.From, { kind: 'source' }>;

/**
 * Returns the value that a condition compares with the project of a source's records; undefined for any other
 * condition.
 * `t.project = @project` -> `@project`
 * `exists (select 1 from unnest(t.metadata) as m where m.project = @project)` -> `@project`
 */
export function comparedProject(
  condition: bound.Expression,
  from: ReadSource,
): bound.Expression | undefined {
  const paths = new Map(from.columns.map(({ id, name }) => [id, [name]]));
  if (condition.kind === 'subquery' && condition.form === 'EXISTS') {
    return comparedInElement(condition.query, { from, paths });
  }
  return comparedWithField(condition, { from, paths });
}

interface Search {
  readonly from: ReadSource;
  /** The path in the source of each visible column. */
  readonly paths: ReadonlyMap<number, readonly string[]>;
}

/** `select … from unnest(t.metadata) as m where m.project = @project`. */
function comparedInElement({ body, limit, ctes }: bound.Query, search: Search) {
  if (body.kind !== 'select' || body.grouping !== undefined || body.qualify !== undefined)
    return undefined;
  const { from, where } = body;
  if (limit !== undefined || ctes.length > 0 || from.kind !== 'unnest') return undefined;
  const { array, on, left, element } = from;
  const path = valuePath(array, search.paths);
  const isOne = array.type.kind === 'ARRAY' && array.type.layout === 'struct';
  if (path === undefined || !isOne || on !== undefined || left.kind !== 'none') return undefined;
  const paths = new Map([...search.paths, [element.id, path]]);
  return where && comparedWithField(where, { ...search, paths });
}

function comparedWithField(condition: bound.Expression, { from, paths }: Search) {
  if (condition.kind !== 'call' || condition.function.name !== '$=') return undefined;
  const wanted = JSON.stringify(from.source.projectPath ?? []);
  const isField = (value: bound.Expression) => JSON.stringify(valuePath(value, paths)) === wanted;
  const [left, right] = condition.args;
  if (left === undefined || right === undefined) return undefined;
  if (isField(left)) return right;
  return isField(right) ? left : undefined;
}

function valuePath(value: bound.Expression, paths: Search['paths']): readonly string[] | undefined {
  if (value.kind === 'column') return paths.get(value.column.id);
  const of = value.kind === 'field' ? valuePath(value.of, paths) : undefined;
  return of && value.kind === 'field' ? [...of, value.name] : undefined;
}
