import type * as bound from '../bound/bound.js';
import { int64Node, queryNode, quotedName, selectNode, word } from '../syntax/make-nodes.js';
import type { Expression, FromItem, TableReference } from '../syntax/tree.js';
import { columnPath } from './build-expression.js';
import { absentValue } from './build-literal.js';
import type { BuildScope, NamedCte } from './build-scope.js';

type BoundItemOf<K> = Extract<bound.From, { readonly kind: K }>;

/** Builds the items of a FROM, each with a unique name; undefined for a single row without columns. */
export function buildFrom(from: bound.From, scope: BuildScope): FromItem | undefined {
  switch (from.kind) {
    case 'none':
      return undefined;
    case 'source':
      return buildSource(from, scope);
    case 'cte': {
      const { id, name, query } = from.cte;
      const unnamed = { name, columns: queryColumnNames(query) };
      return readCte(scope.ctes.get(id) ?? unnamed, from.columns, scope);
    }
    case 'self':
      return readCte(scope.ctes.get(from.id), from.columns, scope);
    case 'derived': {
      const query = scope.buildQuery(from.query);
      const range = addRange(from.columns, scope, queryColumnNames(from.query));
      return { kind: 'derived', query, alias: word(range), at: 0 };
    }
    case 'unnest':
      return buildUnnest(from, scope);
    case 'join':
      return buildJoin(from, scope);
    case 'table': {
      // Temporary tables of steps occur only in explanations.
      const range = addRange(from.columns, scope);
      return {
        kind: 'table',
        path: ['temp', from.table].map(quotedName),
        alias: word(range),
        at: 0,
      };
    }
  }
}

/** Builds a source's table. A declared column that the table does not have is NULL, or an empty array. */
function buildSource(
  { source, columns }: BoundItemOf<'source'>,
  scope: BuildScope,
): TableReference {
  const names = source.columns.map(({ name }) => name);
  const range = addRange(columns, scope, names);
  for (const [index, { id, type }] of columns.entries()) {
    if (source.columns[index]?.stored === false) scope.columns.set(id, absentValue(type));
  }
  const path = scope.sourcePath(source.name).map(quotedName);
  return { kind: 'table', path, alias: word(range), at: 0 };
}

function readCte(
  cte: NamedCte | undefined,
  columns: readonly bound.Column[],
  scope: BuildScope,
): TableReference {
  if (cte === undefined) throw new Error('a recursive term outside of its CTE');
  const range = addRange(columns, scope, cte.columns);
  return { kind: 'table', path: [quotedName(cte.name)], alias: word(range), at: 0 };
}

/** Names a range, and adds its columns to the scope; by default, they have the names of output columns. */
export function addRange(
  columns: readonly bound.Column[],
  { columns: known, newRange }: BuildScope,
  names: readonly string[] = columns.map(outputName),
): string {
  const range = newRange();
  for (const [index, { id }] of columns.entries()) {
    known.set(id, columnPath(range, names[index] ?? ''));
  }
  return range;
}

function buildUnnest(from: bound.Unnest, scope: BuildScope): FromItem {
  const { element, offset } = from;
  const left = buildFrom(from.left, scope);
  const array = scope.build(from.array);
  const range = scope.newRange();
  scope.columns.set(element.id, columnPath(range));
  const counter = offset && scope.newRange();
  if (offset && counter) scope.columns.set(offset.id, columnPath(counter));
  const counted = counter !== undefined && { offset: { alias: word(counter), at: 0 } };
  const right: FromItem = { kind: 'unnest', array, alias: word(range), ...counted, at: 0 };
  addMerged(from.merged, scope);
  if (left === undefined && from.join === 'CROSS' && from.on === undefined) return right;
  return joinNode(from.join, { left: left ?? oneRow(scope), right, on: from.on }, scope);
}

function buildJoin(
  { join, on, merged, present, ...sides }: bound.Join,
  scope: BuildScope,
): FromItem {
  const left = buildSide(sides.left, present?.left, scope);
  const right = buildSide(sides.right, present?.right, scope);
  addMerged(merged, scope);
  if (join === 'CROSS' && on === undefined && (left === undefined || right === undefined)) {
    return left ?? right ?? oneRow(scope);
  }
  const both = { left: left ?? oneRow(scope), right: right ?? oneRow(scope), on };
  return joinNode(join, both, scope);
}

/**
 * Builds a side of a join. If the statement asks whether the side has a match, the side is a subquery with a column
 * that is TRUE in all of its rows.
 */
function buildSide(
  side: bound.From,
  present: bound.Column | undefined,
  scope: BuildScope,
): FromItem | undefined {
  const from = buildFrom(side, scope);
  if (present === undefined) return from;
  const { columns } = scope;
  const range = scope.newRange();
  const own = columnsIn(side).flatMap((column) => {
    const value = columns.get(column.id);
    return value === undefined ? [] : [{ column, value }];
  });
  const yes: Expression = { kind: 'literal', type: 'BOOL', value: 'true', at: 0 };
  const items = [...own, { column: present, value: yes }].map(({ column, value }) => {
    columns.set(column.id, columnPath(range, outputName(column)));
    return { kind: 'item', value, alias: word(outputName(column)), at: 0 } as const;
  });
  const query = queryNode(selectNode({ items, ...(from && { from }), at: 0 }));
  return { kind: 'derived', query, alias: word(range), at: 0 };
}

/** The columns that an item of FROM brings into scope. */
function columnsIn(from: bound.From): readonly bound.Column[] {
  switch (from.kind) {
    case 'none':
      return [];
    case 'unnest': {
      const { left, element, offset, merged } = from;
      return [...columnsIn(left), element, ...(offset ? [offset] : []), ...merged.map(itemColumn)];
    }
    case 'join':
      return [...columnsIn(from.left), ...columnsIn(from.right), ...from.merged.map(itemColumn)];
    default:
      return from.columns;
  }
}

/** The column of an item. */
export function itemColumn({ column }: bound.Item): bound.Column {
  return column;
}

interface Sides {
  readonly left: FromItem;
  readonly right: FromItem;
  readonly on: bound.Expression | undefined;
}

function joinNode(
  join: bound.Join['join'],
  { left, right, on }: Sides,
  scope: BuildScope,
): FromItem {
  const type = on !== undefined && join === 'CROSS' ? 'INNER' : join;
  const condition = on && { on: scope.build(on) };
  return { kind: 'join', type, isComma: false, left, right, ...condition, at: 0 };
}

/** `UNNEST([1])` */
export function oneRow({ newRange }: BuildScope): FromItem {
  const array = { kind: 'array', elements: [int64Node(1)], at: 0 } as const;
  return { kind: 'unnest', array, alias: word(newRange()), at: 0 };
}

/** Adds the columns that USING merged to the scope, as their values. */
function addMerged(merged: readonly bound.Item[], scope: BuildScope): void {
  for (const { column, value } of merged) {
    scope.columns.set(column.id, scope.build(value));
  }
}

/** The name of an output column, unique in the statement. */
export function outputName({ id }: bound.Column): string {
  return `c${id}`;
}

/** The names of a query's columns, which its first SELECT determines. */
export function queryColumnNames({ body }: bound.Query): readonly string[] {
  if (body.kind === 'select') return body.items.map(({ column }) => outputName(column));
  const first = body.kind === 'query' ? body : body.operands[0];
  if (first === undefined) throw new Error('a set operation without operands');
  return queryColumnNames(first);
}
