import type { SourceSchema } from '../../types/schema.js';
import type { Type } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { typedNull } from '../duckdb-sql/duckdb-type.js';
import { letOnce } from '../duckdb-sql/let.js';
import { duckList } from '../duckdb-sql/variable.js';
import { clock } from '../functions/date-calls.js';
import { filterList } from './filter-list.js';
import { lowerFilter, lowerOn } from './lower-condition.js';
import { lowerExpression } from './lower-expression.js';
import type { Lowering } from './lowering.js';
import { outputNames, type Relation, wrapInSubquery } from './relation.js';

const oneRow: Relation = { where: [], columns: [] };

/**
 * Lowers FROM to a relation, and adds its columns to `lowering.columns`. UNNEST of a record that is stored as
 * a struct needs no join: its element is the column itself, and a CROSS JOIN tests it for NULL.
 */
export function lowerFrom(from: bound.From, lowering: Lowering): Relation {
  switch (from.kind) {
    case 'none':
      return oneRow;
    case 'source':
      return lowerSource(from, lowering);
    case 'cte':
    case 'self':
    case 'table':
    case 'derived':
      return lowerRead(from, lowering);
    case 'unnest':
      return withMerged(from, lowerUnnest(from, lowering), lowering);
    case 'join':
      return withMerged(from, lowerJoin(from, lowering), lowering);
  }
}

function lowerSource(
  { source, columns }: Extract<bound.From, { kind: 'source' }>,
  lowering: Lowering,
): Relation {
  const alias = lowering.newAlias();
  for (const [index, column] of columns.entries()) {
    const field = source.columns[index];
    const stored = d.column(alias, column.name);
    const seen = field?.name === 'timestamp' ? shifted(stored, source) : stored;
    lowering.columns.set(column.id, field?.stored ? seen : typedNull(column.type));
  }
  return { from: { kind: 'table', path: ['logs', source.name], alias }, where: [], columns };
}

/** The first and the last timestamp of BigQuery, in unix microseconds. */
const firstTime: d.DuckExpression = { kind: 'number', digits: '-62135596800000000' };
const lastTime: d.DuckExpression = { kind: 'number', digits: '253402300799999999' };

/**
 * `timestamp`, or, if the last record is seen as now, `timestamp + (now - last)`. A result outside of the
 * range of BigQuery's timestamps becomes the first or the last timestamp.
 */
function shifted(stored: d.DuckExpression, { seenAsNow }: SourceSchema): d.DuckExpression {
  if (seenAsNow === undefined) return stored;
  const shift = d.infix('-', d.call('epoch_us', clock), d.integer(seenAsNow));
  const micros = d.infix('+', d.call('epoch_us', stored), shift);
  const whens = [
    { when: d.infix('>', micros, lastTime), result: lastTime },
    { when: d.infix('<', micros, firstTime), result: firstTime },
  ];
  return d.call('make_timestamptz', { kind: 'case', whens, otherwise: micros });
}

/** A CTE, a sub-select or a table of gathered rows. */
function lowerRead(from: Read, lowering: Lowering): Relation {
  const alias = lowering.newAlias();
  const names = outputNames(ownColumns(from));
  for (const [index, column] of from.columns.entries()) {
    lowering.columns.set(column.id, d.column(alias, names[index] ?? ''));
  }
  const read: d.DuckFrom =
    from.kind === 'derived'
      ? { kind: 'derived', query: lowering.lowerQuery(from.query, lowering), alias }
      : { kind: 'table', path: relationPath(from, lowering), alias };
  return { from: read, where: [], columns: from.columns };
}

type Read = Extract<bound.From, { kind: 'cte' | 'self' | 'derived' | 'table' }>;

/** The columns with the names that the table itself gives them. */
function ownColumns(from: Read): readonly bound.Column[] {
  if (from.kind === 'derived') return from.query.columns;
  if (from.kind === 'self') return from.own;
  return from.kind === 'cte' ? from.cte.query.columns : from.columns;
}

function relationPath(
  from: bound.Read | bound.Self | bound.Table,
  { ctes }: Lowering,
): readonly string[] {
  if (from.kind === 'table') return [d.temporarySchema, from.table];
  if (from.kind === 'self') return [nameOfSelf(from.id, ctes)];
  const cte = ctes.get(from.cte.id);
  if (cte === undefined) throw new Error(`CTE ${from.cte.name} is out of scope`);
  ctes.set(from.cte.id, { ...cte, reads: cte.reads + 1 });
  return [cte.name];
}

/** The name of a recursive CTE in its own terms. */
export function nameOfSelf(id: number, ctes: Lowering['ctes']): string {
  const name = ctes.get(id)?.name;
  if (name === undefined) throw new Error('a recursive term outside of its CTE');
  return name;
}

function lowerUnnest(node: bound.Unnest, lowering: Lowering): Relation {
  const left = lowerFrom(node.left, lowering);
  const columns = [
    ...left.columns,
    node.element,
    ...(node.offset === undefined ? [] : [node.offset]),
  ];
  const { type } = node.array;
  const isStruct = type.kind === 'ARRAY' && type.layout === 'struct';
  return { ...(isStruct ? readElement : unnestList)(node, left, lowering), columns };
}

/** `cross join unnest(t.metadata) m` -> `m` is `t.metadata`, `where t.metadata is not null`. */
function readElement(node: bound.Unnest, left: Relation, lowering: Lowering): Relation {
  const value = lowerExpression(node.array, lowering);
  lowering.columns.set(node.element.id, value);
  if (node.offset !== undefined) lowering.columns.set(node.offset.id, d.integer(0));
  const on = node.on && lowerExpression(node.on, lowering);
  const element = node.join === 'LEFT' && on !== undefined ? d.choose(on, value) : value;
  lowering.columns.set(node.element.id, element);
  if (node.offset !== undefined) {
    lowering.columns.set(node.offset.id, d.choose(d.isNull(element), d.nullValue, d.integer(0)));
  }
  if (node.join === 'LEFT') return left;
  return withNotNull(left, value, { type: node.array.type, on }, lowering);
}

/** Adds a test of a record for NULL, which replaces the test of the record that contains it. */
function withNotNull(
  left: Relation,
  value: d.DuckExpression,
  { type, on }: { readonly type: Type; readonly on: d.DuckExpression | undefined },
  lowering: Lowering,
): Relation {
  const path = witnessPath(type, lowering);
  const probe = path.reduce((of, name): d.DuckExpression => ({ kind: 'field', of, name }), value);
  const test = d.isNotNull(probe);
  const above = left.notNull?.get(value.kind === 'field' ? value.of : value);
  const where = left.where.filter((condition) => condition !== above);
  const notNull = new Map([...(left.notNull ?? []), [value, test]]);
  return { ...left, where: [...where, test, ...(on === undefined ? [] : [on])], notNull };
}

/**
 * The path of a field that is NULL only if the record is (its not-null witness); prefers a field that the query reads.
 */
function witnessPath(type: Type, lowering: Lowering): readonly string[] {
  const paths = (type.kind === 'ARRAY' && type.notNullWitnesses) || [];
  if (paths.length <= 1) return paths[0] ?? [];
  const named = lowering.fieldNames();
  return paths.find((path) => named.has(path.at(-1) ?? '')) ?? paths[0] ?? [];
}

/**
 * Unnests a list in a SELECT list, next to the columns of the left row: DuckDB's UNNEST in FROM is up to
 * a thousand times slower.
 * `t left join unnest(a) x on c` -> `(select t.*, unnest(case when … end) as u from t)`
 */
function unnestList(node: bound.Unnest, left: Relation, lowering: Lowering): Relation {
  const list = matching(lowerExpression(node.array, lowering), node, lowering);
  const unnested = d.call('unnest', node.join === 'LEFT' ? orNull(list) : list);
  const wrapped = wrapInSubquery(left, lowering, [{ name: 'unnested', value: unnested }]);
  setElement(d.column(wrapped.alias, 'unnested'), node, lowering);
  return wrapped.relation;
}

/** The elements for which ON holds, each with its offset if the query reads offsets. */
function matching(
  list: d.DuckExpression,
  node: bound.Unnest,
  lowering: Lowering,
): d.DuckExpression {
  const elements = node.offset === undefined ? list : withOffsets(list);
  if (node.on === undefined) return elements;
  const parameter = lowering.newAlias();
  setElement(d.variable(parameter), node, lowering);
  const test = lowerExpression(node.on, lowering);
  return filterList({ list: elements, parameter, test }, lowering);
}

/** `[a, b]` -> `[{element: a, offset: 0}, {element: b, offset: 1}]`. */
function withOffsets(list: d.DuckExpression): d.DuckExpression {
  const fields = [
    { name: 'element', value: d.variable('element') },
    { name: 'offset', value: d.infix('-', d.variable('position'), d.integer(1)) },
  ];
  const body: d.DuckExpression = { kind: 'struct', fields };
  const parameters = ['element', 'position'];
  return d.call('list_transform', list, { kind: 'lambda', parameters, body });
}

/** Sets the expressions of the element and its offset: the element itself, or the fields of a struct of both. */
function setElement(value: d.DuckExpression, node: bound.Unnest, { columns }: Lowering): void {
  if (node.offset === undefined) {
    columns.set(node.element.id, value);
    return;
  }
  columns.set(node.element.id, { kind: 'field', of: value, name: 'element' });
  columns.set(node.offset.id, { kind: 'field', of: value, name: 'offset' });
}

/** An empty list becomes a list of one NULL. */
function orNull(list: d.DuckExpression): d.DuckExpression {
  return letOnce([list], ([one = list]) => {
    const some = d.infix('>', d.call('len', one), d.integer(0));
    return d.choose(some, one, duckList(d.nullValue));
  });
}

/** Adds the columns of USING, computed from the columns of both sides. */
function withMerged(
  { merged }: Pick<bound.Join, 'merged'>,
  relation: Relation,
  lowering: Lowering,
): Relation {
  for (const { column, value } of merged) {
    lowering.columns.set(column.id, lowerExpression(value, lowering));
  }
  return { ...relation, columns: [...relation.columns, ...merged.map(({ column }) => column)] };
}

/**
 * Lowers a join. The conditions of a side that may have no match are tested before the join, all others after it. A
 * join with a single row without FROM is the other side, with the conditions of both.
 */
function lowerJoin({ join, on, present, ...node }: bound.Join, lowering: Lowering): Relation {
  const outerLeft = join === 'RIGHT' || join === 'FULL';
  const outerRight = join === 'LEFT' || join === 'FULL';
  let left = wrapOuterSide(lowerSide(node.left, present?.left, lowering), outerLeft, lowering);
  let right = wrapOuterSide(lowerSide(node.right, present?.right, lowering), outerRight, lowering);
  if (outerLeft || outerRight) {
    // An outer join needs a table on both sides.
    if (left.from === undefined) left = wrapInSubquery(left, lowering).relation;
    if (right.from === undefined) right = wrapInSubquery(right, lowering).relation;
  }
  const where = [...left.where, ...right.where];
  const columns = [...left.columns, ...right.columns];
  if (left.from === undefined || right.from === undefined) {
    const from = left.from ?? right.from;
    return { ...(from && { from }), where: [...where, ...lowerFilter(on, lowering)], columns };
  }
  const test = on && lowerOn(on, lowering);
  const from = { kind: 'join', join, left: left.from, right: right.from } as const;
  return { from: { ...from, ...(test && { on: test }) }, where, columns };
}

/** Moves filters and computed columns of a side that may have no match into a sub-select. */
function wrapOuterSide(relation: Relation, isOuterSide: boolean, lowering: Lowering): Relation {
  if (!isOuterSide) return relation;
  const computed = relation.columns.some(
    ({ id }) => !['column', 'field'].includes(lowering.columns.get(id)?.kind ?? ''),
  );
  const bare = relation.from !== undefined && relation.where.length === 0 && !computed;
  return bare ? relation : wrapInSubquery(relation, lowering).relation;
}

/** Lowers a side of a join, and adds a column that is TRUE if `present` is set. */
function lowerSide(
  from: bound.From,
  present: bound.Column | undefined,
  lowering: Lowering,
): Relation {
  const relation = lowerFrom(from, lowering);
  if (present === undefined) return relation;
  lowering.columns.set(present.id, d.trueValue);
  return { ...relation, columns: [...relation.columns, present] };
}
