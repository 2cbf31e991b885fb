import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import type { SourceSchema } from '../../types/schema.js';
import { scalar, shortTypeName } from '../../types/types.js';
import {
  type BoundCte,
  type BoundExpression,
  type BoundFrom,
  type BoundItem,
  type BoundQuery,
  type Column,
  isLogField,
} from '../bound/bound.js';
import { coerce } from '../bound/coerce.js';
import { hasSubquery } from '../bound/map-expression.js';
import { callByName } from '../functions/match-call.js';
import type {
  DerivedTable,
  Expression,
  FromItem,
  Identifier,
  Join,
  Pivot,
  TableReference,
  UnnestItem,
} from '../syntax/tree.js';
import { resolveExpression } from './resolve-expression.js';
import { fieldValue, findName, findRange, type Range, type Scope } from './scope.js';

/** A resolved FROM clause, and the ranges that it brings into scope. */
export interface ResolvedFrom {
  readonly from: BoundFrom;
  readonly ranges: readonly Range[];
}

/** A SELECT without FROM: a single row without columns. */
export const emptyFrom: ResolvedFrom = { from: { kind: 'none' }, ranges: [] };

/**
 * Resolves the tables and arrays of a FROM clause; UNNEST can use the ranges to its left.
 * @throws QueryFault for an unknown table, a duplicate name, or UNNEST of a value that is not an array
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#from_clause
 */
export function resolveFrom(
  item: FromItem,
  scope: Scope,
  left: ResolvedFrom = emptyFrom,
): ResolvedFrom {
  if (item.kind === 'join') return resolveJoin(item, scope, left);
  if (item.kind === 'unnest') return resolveUnnest(item, scope, { left, join: 'CROSS' });
  if (item.kind === 'derived' || item.kind === 'pivot') return resolveDerived(item, scope);
  const array = arrayOfPath(item, scope, left);
  if (array !== undefined) return unnest({ ...item, array }, scope, { left, join: 'CROSS' });
  return resolveTable(item, scope);
}

/** The left side of a join with an array, the kind of join, and its condition. */
interface Side {
  readonly left: ResolvedFrom;
  readonly join: 'CROSS' | 'LEFT';
  readonly on?: Expression;
}

function resolveJoin(join: Join, scope: Scope, before: ResolvedFrom): ResolvedFrom {
  if (join.left.kind === 'join' && join.left.isComma && ['RIGHT', 'FULL'].includes(join.type)) {
    const message = `${join.type} JOIN must be parenthesized when following a comma join`;
    throw new QueryFault(message, join.at);
  }
  const left = resolveFrom(join.left, scope, before);
  const array = arrayItem(join.right, scope, left);
  if (array !== undefined) return joinArray(join, array, { scope, left });
  const right = resolveFrom(join.right, withRangesOf(scope, left));
  const ranges = joinedRanges(left, right, join);
  if (join.using !== undefined) return joinUsing(join, join.using, { left, right, scope });
  if (join.on === undefined && join.type !== 'CROSS') {
    const message = `${join.type} JOIN must have an immediately following ON or USING clause`;
    throw new QueryFault(message, join.at);
  }
  const on = join.on && joinCondition(join.on, { ...scope, ranges });
  const sides = { left: left.from, right: right.from, ...(on === undefined ? {} : { on }) };
  return { from: { kind: 'join', join: join.type, ...sides, merged: [] }, ranges };
}

interface Sides {
  readonly left: ResolvedFrom;
  readonly right: ResolvedFrom;
  readonly scope: Scope;
}

/** USING merges the two columns of each name into one, which comes first and is not ambiguous. */
function joinUsing(
  join: Join,
  using: readonly Identifier[],
  { left, right, scope }: Sides,
): ResolvedFrom {
  const columns = using.map((name) => {
    const sides = [left, right].map((side) => columnOf(name, { ...scope, ranges: side.ranges }));
    const on = callByName('$=', sides, name.at);
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
  const merged = columns.map(({ name, value }): BoundItem => {
    return { column: scope.statement.newColumn(name, value.type, isLogField(value)), value };
  });
  const hidden = new Set(using.map((name) => name.name.toLowerCase()));
  const sides = joinedRanges(left, right, join).map((range) => ({
    ...range,
    hidden: new Set([...(range.hidden ?? []), ...hidden]),
  }));
  const conditions = columns.map(({ on }) => on);
  const on = conditions.length === 1 ? conditions[0] : callByName('$AND', conditions, join.at);
  const from: BoundFrom = {
    kind: 'join',
    join: join.type === 'CROSS' ? 'INNER' : join.type,
    left: left.from,
    right: right.from,
    ...(on === undefined ? {} : { on }),
    merged,
  };
  return { from, ranges: [{ columns: merged.map(({ column }) => column) }, ...sides] };
}

function columnOf(name: Identifier, scope: Scope): BoundExpression {
  const { outer: _, ...own } = scope;
  const found = findName(name, own);
  if (found !== undefined) return found;
  throw new QueryFault(
    `Column ${shortName(name.name)} in USING clause not found on both sides of the join`,
    name.at,
  );
}

/** The item as an UNNEST if it is one, or if it is the path of an array; otherwise undefined. */
function arrayItem(item: FromItem, scope: Scope, left: ResolvedFrom): UnnestItem | undefined {
  if (item.kind === 'unnest') return item;
  if (item.kind !== 'table') return undefined;
  const array = arrayOfPath(item, scope, left);
  return (
    array && { ...item, kind: 'unnest', array: { kind: 'path', parts: item.path, at: item.at } }
  );
}

function joinArray(
  join: Join,
  item: UnnestItem,
  { scope, left }: { readonly scope: Scope; readonly left: ResolvedFrom },
): ResolvedFrom {
  if (join.type === 'RIGHT' || join.type === 'FULL') {
    throw new QueryFault(`${join.type} JOIN with UNNEST is not supported`, join.at);
  }
  const side = { left, join: join.type === 'LEFT' ? 'LEFT' : 'CROSS' } as const;
  return resolveUnnest(item, scope, join.on === undefined ? side : { ...side, on: join.on });
}

function resolveUnnest(item: UnnestItem, scope: Scope, side: Side): ResolvedFrom {
  const array = resolveExpression(item.array, withRangesOf(scope, side.left));
  return unnest({ ...item, array }, scope, side);
}

type ArrayItem = Pick<UnnestItem, 'alias' | 'offset' | 'at'> & { readonly array: BoundExpression };

function unnest(item: ArrayItem, scope: Scope, side: Side): ResolvedFrom {
  const { array, alias, offset } = item;
  const { type } = array;
  if (type.kind !== 'ARRAY') {
    const message = `Values referenced in UNNEST must be arrays. UNNEST contains expression of type ${shortTypeName(type)}`;
    throw new QueryFault(message, item.at);
  }
  const { newColumn } = scope.statement;
  const element = newColumn(alias?.name ?? '', type.element, isLogField(array));
  const offsetColumn = offset && newColumn(offset.alias?.name ?? 'offset', scalar('INT64'));
  const range: Range = {
    ...(alias === undefined ? {} : { name: alias.name }),
    columns: offsetColumn === undefined ? [] : [offsetColumn],
    element,
  };
  const ranges = addRange(side.left.ranges, range, item.at);
  const inner = { ...scope, ranges: [...scope.ranges, ...ranges] };
  const on = side.on && joinCondition(side.on, inner);
  const from: BoundFrom = {
    kind: 'unnest',
    join: side.join,
    left: side.left.from,
    array,
    element,
    ...(offsetColumn === undefined ? {} : { offset: offsetColumn }),
    ...(on === undefined ? {} : { on }),
  };
  return { from, ranges };
}

/** The array of `t.a` if `t` is a range. */
function arrayOfPath(
  item: TableReference,
  scope: Scope,
  left: ResolvedFrom,
): BoundExpression | undefined {
  const [first, ...rest] = item.path;
  if (first === undefined || rest.length === 0) return undefined;
  const inner = withRangesOf(scope, left);
  if (!hasRange(first, inner)) return undefined;
  const base = findName(first, inner);
  return base && rest.reduce((value, name) => fieldValue(value, name), base);
}

function hasRange(name: Identifier, scope: Scope): boolean {
  if (findRange(name.name, scope) !== undefined) return true;
  return scope.outer !== undefined && hasRange(name, scope.outer);
}

/** The scope extended by the ranges to the left. */
function withRangesOf(scope: Scope, left: ResolvedFrom): Scope {
  return { ...scope, ranges: [...scope.ranges, ...left.ranges], clause: 'FROM clause' };
}

function joinCondition(node: Expression, scope: Scope): BoundExpression {
  const value = resolveExpression(node, { ...scope, clause: 'JOIN ON clause' });
  const on = coerce(value, scalar('BOOL'), node.at);
  if (!hasSubquery(on)) return on;
  throw new QueryFault('Unsupported subquery with table in join predicate', node.at);
}

function joinedRanges(left: ResolvedFrom, right: ResolvedFrom, join: Join): readonly Range[] {
  return right.ranges.reduce((ranges, range) => addRange(ranges, range, join.at), left.ranges);
}

function addRange(ranges: readonly Range[], range: Range, at: number): readonly Range[] {
  const name = range.name?.toLowerCase();
  if (name !== undefined && ranges.some((other) => other.name?.toLowerCase() === name)) {
    throw new QueryFault(
      `Duplicate table alias ${shortName(range.name ?? '')} in the same FROM clause`,
      at,
    );
  }
  return [...ranges, range];
}

function resolveDerived(item: DerivedTable | Pivot, scope: Scope): ResolvedFrom {
  const around: Scope = { ...scope, ranges: [] };
  const { resolveQuery, resolvePivot } = scope.statement;
  const query =
    item.kind === 'pivot' ? resolvePivot(item, around) : resolveQuery(item.query, around);
  const columns = copyColumns(query.columns, scope);
  return {
    from: { kind: 'derived', query, columns },
    ranges: [rangeOf(query, columns, item.alias?.name)],
  };
}

/** The range for a query in FROM; a row of a value table is a single value, and has no columns. */
function rangeOf(query: BoundQuery, columns: readonly Column[], name: string | undefined): Range {
  const [element] = columns;
  const named = name === undefined ? {} : { name };
  return query.isValue && element ? { ...named, columns: [], element } : { ...named, columns };
}

function resolveTable(item: TableReference, scope: Scope): ResolvedFrom {
  const name = item.path.map((part) => part.name).join('.');
  const cte = item.path.length === 1 ? findCte(name, scope.ctes) : undefined;
  const alias = (item.alias ?? item.path.at(-1))?.name ?? name;
  if (cte !== undefined) {
    const columns = copyColumns(cte.query.columns, scope);
    return { from: { kind: 'cte', cte, columns }, ranges: [rangeOf(cte.query, columns, alias)] };
  }
  const source = findSource(name, scope);
  if (source === undefined) throw noSuchTable(name, item, scope);
  const { newColumn } = scope.statement;
  const columns = source.columns.map(({ name: column, type }) => newColumn(column, type, true));
  const short = item.alias?.name ?? name.replace(/^.*\./, '');
  return { from: { kind: 'source', source, columns }, ranges: [{ name: short, columns }] };
}

/** The innermost CTE of a name, ignoring case. */
function findCte(name: string, ctes: readonly BoundCte[]): BoundCte | undefined {
  return ctes.findLast((cte) => cte.name.toLowerCase() === name.toLowerCase());
}

function findSource(name: string, scope: Scope): SourceSchema | undefined {
  const bare = /^logs\.(.*)$/i.exec(name)?.[1];
  return bare === undefined ? undefined : scope.statement.sources?.get(bare.toLowerCase());
}

/** The reason is `accessDenied` only in a caller's query, where other tables may exist. */
function noSuchTable(name: string, { at }: TableReference, scope: Scope): QueryFault {
  const { sources } = scope.statement;
  const tables = [
    ...new Set([
      ...scope.ctes.map((cte) => cte.name),
      ...[...(sources?.keys() ?? [])].map((source) => `logs.${source}`),
    ]),
  ];
  const near = didYouMean(name, tables);
  const message = `Table not found: ${shortName(name)}${near} (the tables are ${tables.join(', ')})`;
  return new QueryFault(message, at, sources === undefined ? 'accessDenied' : 'invalidQuery');
}

function copyColumns(columns: readonly Column[], scope: Scope): readonly Column[] {
  return columns.map(({ name, type, isLogField: isField }) =>
    scope.statement.newColumn(name, type, isField),
  );
}
