import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import type { SourceSchema } from '../../types/schema.js';
import { fieldType, scalar, shortTypeName } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { hasSubquery, readsColumns } from '../bound/search.js';
import { asArray, asCondition, callByName, conjunctionCall } from '../functions/match-call.js';
import type { Identifier } from '../syntax/names.js';
import type * as tree from '../syntax/tree.js';
import { emptySide } from './empty-side.js';
import { resolveGapFill } from './gap-fill.js';
import { filteredJoin, withQueriesInSides } from './join-queries.js';
import { nameOutput } from './name-output.js';
import { resolveExpression } from './resolve-expression.js';
import { resolvePivot } from './resolve-pivot.js';
import {
  changeNames,
  columnIds,
  emptyScope,
  fieldValue,
  findName,
  findRange,
  type Range,
  type ResolvedFrom,
  type Scope,
} from './scope.js';

/** A SELECT without FROM: a single row without columns. */
export const emptyFrom: ResolvedFrom = { from: { kind: 'none' }, ranges: [] };

/**
 * Resolves the tables and arrays of a FROM clause. An array can use the ranges to its left; a join in
 * brackets cannot use ranges outside of the brackets.
 * @throws QueryFault for an unknown table, a duplicate name, or UNNEST of a value that is not an array
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#from_clause
 */
export function resolveFrom(item: tree.FromItem, scope: Scope): ResolvedFrom {
  if (item.kind === 'join') return resolveJoin(item, scope);
  if (item.kind === 'piped') {
    if (scope.piped === undefined) throw new Error('no table before the operator');
    return scope.piped;
  }
  if (item.kind === 'derived' || item.kind === 'pivot') return resolveDerived(item, scope);
  if (item.kind === 'gap-fill')
    return derivedFrom(resolveGapFill(item, scope), item.alias?.name, scope);
  const array = arrayItem(item, scope);
  if (array !== undefined) return unnest(array, scope);
  if (item.kind === 'table') return resolveTable(item, scope);
  throw new Error('UNNEST without an array');
}

interface Sides {
  readonly left: ResolvedFrom;
  readonly right: ResolvedFrom;
  readonly scope: Scope;
}

/** The condition of a join, the columns that USING merges, and the ranges of both sides. */
interface Condition extends Pick<bound.Join, 'on' | 'merged' | 'present'> {
  readonly ranges: readonly Range[];
}

function resolveJoin(join: tree.Join, scope: Scope): ResolvedFrom {
  if (join.left.kind === 'join' && join.left.isComma && ['RIGHT', 'FULL'].includes(join.type)) {
    const message = `${join.type} JOIN must be parenthesized when following a comma join`;
    throw new QueryFault(message, join.at);
  }
  return joinTo(join, resolveFrom(join.left, scope), scope);
}

/** A join without its left side. */
type JoinRight = Omit<tree.Join, 'kind' | 'isComma' | 'left'>;

/** Joins the right side of a join to a resolved left side. @throws QueryFault as {@link resolveFrom} does */
export function joinTo(join: JoinRight, left: ResolvedFrom, scope: Scope): ResolvedFrom {
  const { type, on, using, at } = join;
  if (type === 'CROSS' && (on ?? using) !== undefined) {
    const clause = on === undefined ? 'USING' : 'ON';
    throw new QueryFault(`${clause} clause cannot be used with CROSS JOIN`, at);
  }
  const withLeft = { ...scope, ranges: left.ranges, clause: 'FROM clause' };
  const array = arrayItem(join.right, withLeft);
  if (array !== undefined) return joinArray(join, array, { scope, left });
  return joinTables(join, { left, right: resolveFrom(join.right, scope), scope });
}

function joinTables(join: JoinRight, given: Sides): ResolvedFrom {
  const { scope } = given;
  const { type, at } = join;
  if (type !== 'CROSS' && (join.on ?? join.using) === undefined) {
    const message = `${type} JOIN must have an immediately following ON or USING clause`;
    throw new QueryFault(message, at);
  }
  const on = join.on && joinCondition(join.on, given);
  const withQueries = on && hasSubquery(on) ? on : undefined;
  if (withQueries && type === 'INNER') {
    const cross: JoinRight = { right: join.right, type: 'CROSS', at };
    return filteredJoin(joinTables(cross, given), withQueries, scope, at);
  }
  const sides =
    withQueries === undefined
      ? { ...given, on }
      : { scope, ...withQueriesInSides({ ...given, on: withQueries }, scope, at) };
  const { ranges, ...condition } = matchSides(join, sides, sides.on);
  const { left, right } = sides;
  return {
    from: { kind: 'join', join: type, left: left.from, right: right.from, ...condition },
    ranges,
  };
}

function matchSides(join: JoinRight, sides: Sides, on: bound.Expression | undefined): Condition {
  if (join.using !== undefined) return matchUsing(join, join.using, sides);
  return { ...(on && { on }), merged: [], ...joinedRanges(sides, join) };
}

/** USING merges the two columns of each name into one, which comes first and is not ambiguous. */
function matchUsing(join: JoinRight, using: readonly Identifier[], sides: Sides): Condition {
  const { left, right, scope } = sides;
  const columns = using.map((name) => {
    const values = [left, right].map(({ ranges }) => usingColumn(name, { ...scope, ranges }));
    const on = callByName('$=', values, name.at);
    const [leftValue = on, rightValue = on] = on.args;
    const value = {
      INNER: leftValue,
      CROSS: leftValue,
      LEFT: leftValue,
      RIGHT: rightValue,
      FULL: callByName('coalesce', [leftValue, rightValue], name.at),
    };
    return { name: name.name, on, value: value[join.type] };
  });
  const merged = columns.map(({ name, value }): bound.Item => {
    return { column: scope.statement.newColumn(name, value.type, bound.isLogField(value)), value };
  });
  const hidden = new Map(using.map((name) => [name.name.toLowerCase(), undefined]));
  const { ranges, ...joined } = joinedRanges(sides, join);
  const conditions = columns.map(({ on }) => on);
  const on = conjunctionCall(conditions, join.at);
  return {
    ...(on && { on }),
    merged,
    ...joined,
    ranges: [
      { columns: merged.map(({ column }) => column) },
      ...ranges.map((range) => changeNames(range, hidden)),
    ],
  };
}

function usingColumn(name: Identifier, scope: Scope): bound.Expression {
  const { outer: _, ...own } = scope;
  const range = findRange(name.name, own);
  if (range !== undefined && range.element === undefined) {
    const message = `Name ${shortName(name.name)} in USING clause is a table alias, but a column name was expected`;
    throw new QueryFault(message, name.at);
  }
  const found = findName(name, own);
  if (found !== undefined) return found;
  const message = `Column ${shortName(name.name)} in USING clause not found on both sides of the join`;
  throw new QueryFault(message, name.at);
}

/** An array in FROM: the argument of UNNEST, or an array named by its path. */
type ArrayItem = Pick<tree.UnnestItem, 'alias' | 'offset' | 'at'> & {
  readonly array: bound.Expression;
};

/** The item as an array; undefined if it is not one. The default alias is the last part of the array's path. */
function arrayItem(item: tree.FromItem, scope: Scope): ArrayItem | undefined {
  if (item.kind === 'unnest') return { ...item, array: resolveExpression(item.array, scope) };
  if (item.kind !== 'table') return undefined;
  const array = arrayOfPath(item, scope);
  const alias = item.alias ?? item.path.at(-1);
  return array && { ...item, ...(alias && { alias }), array };
}

/**
 * Joins an array. The condition is optional, except in RIGHT and FULL joins.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#correlated_join
 */
function joinArray(
  join: JoinRight,
  item: ArrayItem,
  { scope, left }: Omit<Sides, 'right'>,
): ResolvedFrom {
  const right = unnest(item, scope);
  const sides = { left, right, scope };
  if (join.type === 'RIGHT' || join.type === 'FULL') {
    if (!readsColumns(item.array, new Set(left.ranges.flatMap(columnIds)))) {
      return joinTables(join, sides);
    }
    const message = `${join.type} JOIN cannot be correlated: its UNNEST cannot use the tables to its left; use LEFT JOIN or CROSS JOIN`;
    throw new QueryFault(message, join.at);
  }
  const on = join.on && joinCondition(join.on, sides);
  const withQueries = on && hasSubquery(on) ? on : undefined;
  if (withQueries && join.type === 'LEFT') {
    throw new QueryFault('Unsupported subquery with table in join predicate', join.at);
  }
  const { ranges, ...condition } = matchSides(join, sides, withQueries ? undefined : on);
  const type = join.type === 'LEFT' ? 'LEFT' : 'CROSS';
  const from = { ...right.from, ...condition, join: type, left: left.from } as const;
  return withQueries
    ? filteredJoin({ from, ranges }, withQueries, scope, join.at)
    : { from, ranges };
}

function unnest({ array: given, alias, offset, at }: ArrayItem, scope: Scope) {
  const array = asArray(given, at);
  const { type } = array;
  if (type.kind !== 'ARRAY') {
    const message = `Values referenced in UNNEST must be arrays. UNNEST contains expression of type ${shortTypeName(type)}`;
    throw new QueryFault(message, at);
  }
  const { newColumn } = scope.statement;
  const element = newColumn(alias?.name ?? '', type.element, bound.isLogField(given));
  const offsetColumn = offset && newColumn(offset.alias?.name ?? 'offset', scalar('INT64'));
  const range: Range = {
    ...(alias && { name: alias.name }),
    columns: offsetColumn ? [offsetColumn] : [],
    element,
  };
  const from: bound.Unnest = {
    kind: 'unnest',
    join: 'CROSS',
    left: emptyFrom.from,
    array,
    element,
    ...(offsetColumn && { offset: offsetColumn }),
    merged: [],
  };
  return { from, ranges: [range] };
}

/** The array of `t.a` if `t` is a range. */
function arrayOfPath({ path }: tree.TableReference, scope: Scope): bound.Expression | undefined {
  const [first, ...rest] = path;
  if (first === undefined || rest.length === 0 || !hasRange(first, scope)) return undefined;
  const base = findName(first, scope);
  return base && rest.reduce((value, name) => fieldValue(value, name), base);
}

function hasRange(name: Identifier, scope: Scope): boolean {
  if (findRange(name.name, scope) !== undefined) return true;
  return scope.outer !== undefined && hasRange(name, scope.outer);
}

/** The condition of ON, over the rows of both sides before the join. */
function joinCondition(node: tree.Expression, { left, right, scope }: Sides): bound.Expression {
  const ranges = joinRanges(left.ranges, right.ranges, node.at);
  const value = resolveExpression(node, { ...scope, ranges, clause: 'JOIN ON clause' });
  return asCondition(value, node.at);
}

function joinedRanges(
  { left, right, scope }: Sides,
  { type, at }: JoinRight,
): Pick<Condition, 'ranges' | 'present'> {
  const isOuter = (side: 'LEFT' | 'RIGHT') => type === 'FULL' || type === side;
  const before = isOuter('RIGHT') ? emptySide(left, scope) : left;
  const after = isOuter('LEFT') ? emptySide(right, scope) : right;
  const present = {
    ...('present' in before && { left: before.present }),
    ...('present' in after && { right: after.present }),
  };
  const ranges = joinRanges(before.ranges, after.ranges, at);
  return { ranges, ...(Object.keys(present).length > 0 && { present }) };
}

/** Combines the ranges of both sides. @throws QueryFault for a name that both sides have */
function joinRanges(left: readonly Range[], right: readonly Range[], at: number): readonly Range[] {
  const names = new Set(left.map(({ name }) => name?.toLowerCase()));
  const twice = right.find(({ name }) => name !== undefined && names.has(name.toLowerCase()));
  if (twice === undefined) return [...left, ...right];
  const message = `Duplicate table alias ${shortName(twice.name ?? '')} in the same FROM clause`;
  throw new QueryFault(message, at);
}

function resolveDerived(item: tree.DerivedTable | tree.Pivot, scope: Scope): ResolvedFrom {
  const query =
    item.kind === 'pivot'
      ? resolvePivot(item, resolveFrom(item.input, scope), scope)
      : scope.statement.resolveQuery(item.query, scope);
  return derivedFrom(query, item.alias?.name, scope);
}

/** A resolved query as an item of FROM. */
export function derivedFrom(query: bound.Query, name: string | undefined, scope: Scope) {
  const columns = copyColumns(query.columns, scope);
  const from = { kind: 'derived', query, columns } as const;
  return { from, ranges: [queryRange(query, columns, name)] };
}

/** The range for a query in FROM; a row of a value table is a single value, and has no columns. */
function queryRange(
  query: bound.Query,
  columns: readonly bound.Column[],
  name: string | undefined,
): Range {
  const [element] = columns;
  const named = name === undefined ? {} : { name };
  return query.isValue && element ? { ...named, columns: [], element } : { ...named, columns };
}

function resolveTable(item: tree.TableReference, scope: Scope): ResolvedFrom {
  const name = item.path.map((part) => part.name).join('.');
  const cte = item.path.length === 1 ? findCte(name, scope.ctes) : undefined;
  const alias = (item.alias ?? item.path.at(-1))?.name ?? name;
  if (cte !== undefined) {
    const columns = copyColumns(cte.query.columns, scope);
    return { from: cteRead(cte, columns), ranges: [queryRange(cte.query, columns, alias)] };
  }
  const source = findSource(name, scope);
  const short = item.alias?.name ?? name.replace(/^.*\./, '');
  if (source === undefined) return derivedFrom(endpointAnswer(name, item, scope), short, scope);
  const { newColumn } = scope.statement;
  const columns = source.columns.map((field): bound.Column => {
    const isAbsent = !field.stored && field.type.kind !== 'ARRAY';
    const { undeclared } = field;
    const column = newColumn(field.name, fieldType(field), true);
    return { ...column, ...(isAbsent && { isAbsent }), ...(undeclared && { undeclared }) };
  });
  return { from: { kind: 'source', source, columns }, ranges: [{ name: short, columns }] };
}

/** The answer of another endpoint, which sees no CTE of the query around it. */
function endpointAnswer(name: string, item: tree.TableReference, scope: Scope): bound.Query {
  const { statement } = scope;
  const found = item.path.length === 1 ? statement.findEndpoint?.(name, item.at) : undefined;
  if (found === undefined) throw noSuchTable(name, item, scope);
  const { query, findEndpoint } = found;
  return nameOutput(statement.resolveQuery(query, emptyScope({ ...statement, findEndpoint }, [])));
}

function cteRead(cte: bound.Cte, columns: readonly bound.Column[]): bound.From {
  const { id, name, query, isSelf } = cte;
  return isSelf
    ? { kind: 'self', id, name, own: query.columns, columns }
    : { kind: 'cte', cte, columns };
}

/** The innermost CTE of this name, ignoring case. */
function findCte(name: string, ctes: readonly bound.Cte[]): bound.Cte | undefined {
  return ctes.findLast((cte) => cte.name.toLowerCase() === name.toLowerCase());
}

function findSource(name: string, scope: Scope): SourceSchema | undefined {
  const bare = /^logs\.(.*)$/i.exec(name)?.[1];
  return bare === undefined ? undefined : scope.statement.sources?.get(bare.toLowerCase());
}

/**
 * Returns the error for an unknown table; its reason is `accessDenied` only in a caller's query, as other tables may
 * exist.
 */
function noSuchTable(name: string, { at }: tree.TableReference, scope: Scope): QueryFault {
  const { sources } = scope.statement;
  const logs = Array.from(sources?.keys() ?? [], (source) => `logs.${source}`);
  const tables = [...new Set([...scope.ctes.map((cte) => cte.name), ...logs])];
  const near = didYouMean(name, tables);
  const message = `Table not found: ${shortName(name)}${near} (the tables are ${tables.join(', ')})`;
  return new QueryFault(message, at, sources === undefined ? 'accessDenied' : 'invalidQuery');
}

function copyColumns(columns: readonly bound.Column[], scope: Scope): readonly bound.Column[] {
  return columns.map(({ nullWith: _, ...given }): bound.Column => {
    const { name, type } = given;
    const column = { ...given, ...scope.statement.newColumn(name, type, given.isLogField) };
    // A record may be NULL because an outer join in the query found no match.
    return type.kind === 'STRUCT' ? { ...column, nullWith: column } : column;
  });
}
