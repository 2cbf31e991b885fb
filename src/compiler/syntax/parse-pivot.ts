import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import {
  allFrom,
  logicalNode,
  pathNode,
  queryNode,
  quotedName,
  selectNode,
  starNode,
  testNode,
  textNode,
} from './make-nodes.js';
import type { Identifier } from './names.js';
import { parseComparand } from './parse-expression.js';
import type * as tree from './tree.js';

/** Whether the operator PIVOT or UNPIVOT comes next, rather than an alias of that name. */
export function atPivot(cursor: Cursor): boolean {
  if (cursor.at('PIVOT', '(') || cursor.at('UNPIVOT', '(')) return true;
  return cursor.at('UNPIVOT') && ['INCLUDE', 'EXCLUDE'].includes(cursor.peek(1).text.toUpperCase());
}

/**
 * Applies the PIVOT or UNPIVOT operator after an item, if any; UNPIVOT becomes an equivalent subquery.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#pivot_operator
 */
export function parsePivots(
  cursor: Cursor,
  item: tree.FromItem,
  parseAlias: () => Pick<tree.DerivedTable, 'alias'>,
): tree.FromItem {
  if (!atPivot(cursor)) return item;
  const { at } = cursor.next;
  const word = cursor.at('PIVOT') ? 'PIVOT' : 'UNPIVOT';
  if (item.kind !== 'table' && item.kind !== 'derived' && item.kind !== 'piped') {
    const what = item.kind === 'unnest' ? 'UNNEST' : 'joins in brackets';
    throw new QueryFault(`${word} is not allowed on ${what}: put them into a subquery`, at);
  }
  if (cursor.accept('PIVOT')) {
    const input = refuseOffset(item);
    return { kind: 'pivot', input, ...parsePivot(cursor, at), ...parseAlias(), at };
  }
  const select = unpivotSelect(parseUnpivot(cursor), refuseOffset(item), at);
  return { kind: 'derived', query: queryNode(select), ...parseAlias(), at };
}

function refuseOffset<T extends tree.Pivot['input']>(item: T): T {
  if (item.kind !== 'table' || item.offset === undefined) return item;
  const message = 'PIVOT and UNPIVOT are not allowed after WITH OFFSET';
  throw new QueryFault(message, item.offset.at);
}

/** The maximum number of columns that a PIVOT creates: a short query must not become a huge tree. */
const maxColumns = 1_000;

function parsePivot(
  cursor: Cursor,
  at: number,
): Pick<tree.Pivot, 'aggregates' | 'column' | 'values'> {
  cursor.expect('(');
  const aggregates = cursor.list(() => parseAggregate(cursor));
  cursor.expect('FOR');
  const column = parseComparand(cursor);
  cursor.expect('IN', '(');
  const values = cursor.list(() => parseAliased(cursor));
  cursor.expect(')', ')');
  if (aggregates.length * values.length > maxColumns) {
    throw new QueryFault(`PIVOT makes at most ${maxColumns} columns`, at, 'resourcesExceeded');
  }
  return { aggregates, column, values };
}

/** The resolver checks whether the function is an aggregate. */
function parseAggregate(cursor: Cursor): tree.PivotAggregate {
  const { value, alias } = parseAliased(cursor);
  if (value.kind === 'call') return { value, ...(alias && { alias }) };
  throw new QueryFault('PIVOT expression must be an aggregate function call', value.at);
}

/** The parts of `unpivot (values for key in (sets))`: each set has one column per value, and a label. */
type Unpivot = ReturnType<typeof parseUnpivot>;

function parseUnpivot(cursor: Cursor) {
  cursor.expect('UNPIVOT');
  const keepsNulls = cursor.acceptOne('INCLUDE', 'EXCLUDE') === 'INCLUDE';
  cursor.accept('NULLS');
  cursor.expect('(');
  const values = parseNames(cursor);
  cursor.expect('FOR');
  const key = cursor.identifier();
  cursor.expect('IN', '(');
  const sets = cursor.list(() => parseSet(cursor, values.length));
  cursor.expect(')', ')');
  refuseRepeated(sets.flatMap(({ columns }) => columns));
  return { values, key, sets, keepsNulls };
}

function refuseRepeated(columns: readonly Identifier[]): void {
  const names = columns.map(({ name }) => name.toLowerCase());
  const repeated = columns.find((_, index) => names.indexOf(names[index] ?? '') < index);
  if (repeated === undefined) return;
  const message = `Column names in UNPIVOT IN clause cannot be repeated: ${repeated.name}`;
  throw new QueryFault(message, repeated.at);
}

/**
 * `t unpivot (v for k in (a, b))`, or `((v, w) for k in ((a, b), …))` ->
 * `(select t.* except (a, b), u.v, u.k from (select * from t) t
 * cross join unnest([struct(a as v, 'a' as k), …]) u where u.v is not null)`
 */
function unpivotSelect(
  { values, key, sets, keepsNulls }: Unpivot,
  item: tree.FromItem,
  at: number,
) {
  const [rows, cells] = [quotedName('$rows', at), quotedName('$cells', at)];
  const structs = sets.map(({ columns, label }): tree.Expression => {
    const fields = columns.map((column, i) => ({
      value: pathNode(column),
      alias: values[i] ?? column,
    }));
    return { kind: 'struct', fields: [...fields, { value: label, alias: key }], at };
  });
  const left: tree.FromItem = { kind: 'derived', query: queryNode(allFrom(item)), alias: rows, at };
  const array: tree.Expression = { kind: 'array', elements: structs, at };
  const right: tree.FromItem = { kind: 'unnest', array, alias: cells, at };
  const from: tree.FromItem = { kind: 'join', type: 'CROSS', isComma: false, left, right, at };
  const except = sets.flatMap(({ columns }) => columns);
  const items: readonly tree.SelectItem[] = [
    { ...starNode(at), of: pathNode(rows), except },
    ...[...values, key].map((name): tree.SelectItem => {
      return { kind: 'item', value: pathNode(cells, name), alias: name, at };
    }),
  ];
  const tests = values.map((value) => testNode(pathNode(cells, value), 'NULL', true));
  const where = keepsNulls ? undefined : logicalNode('OR', tests);
  return selectNode({ items, from, at, ...(where && { where }) });
}

function parseAliased(cursor: Cursor): tree.AliasedValue {
  const value = cursor.expression();
  if (cursor.accept('AS') || cursor.atIdentifier()) return { value, alias: cursor.identifier() };
  return { value };
}

/** `v` or `(v, w)`. */
function parseNames(cursor: Cursor): readonly Identifier[] {
  return cursor.accept('(') ? cursor.closed(() => cursor.names()) : [cursor.identifier()];
}

/** `column [as 'label']` or `(a, b) [as 'label']`; by default the label is the columns' names. */
function parseSet(cursor: Cursor, count: number) {
  const { at } = cursor.next;
  const columns = parseNames(cursor);
  if (columns.length !== count) {
    const message = `UNPIVOT expects ${count} column(s) in each group here, but got ${columns.length}`;
    throw new QueryFault(message, at);
  }
  cursor.accept('AS');
  const hasLabel = ['string', 'integer'].includes(cursor.next.kind);
  const text = columns.map((column) => column.name).join('_');
  return { columns, label: hasLabel ? cursor.expression() : textNode({ text, at }) };
}
