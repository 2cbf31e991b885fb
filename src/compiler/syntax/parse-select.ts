import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import { expandGroupingSets } from './grouping-sets.js';
import type { Identifier } from './names.js';
import { parseFrom } from './parse-from.js';
import { parseWindow } from './parse-window.js';
import type * as tree from './tree.js';

/** Parses a SELECT block. */
export function parseSelect(cursor: Cursor): tree.Select {
  const { at } = cursor.next;
  if (!cursor.accept('SELECT')) throw cursor.unexpected();
  if (cursor.at('WITH') && !cursor.at('WITH', '(')) {
    throw new QueryFault('WITH in a SELECT list is not supported', cursor.next.at);
  }
  const list = parseSelectList(cursor);
  const from = cursor.accept('FROM') && { from: parseFrom(cursor) };
  return { kind: 'select', ...list, ...from, ...parseClauses(cursor), at };
}

/** Parses `[DISTINCT] [AS STRUCT] items`. */
export function parseSelectList(cursor: Cursor): tree.SelectList {
  const distinct = cursor.accept('DISTINCT');
  if (!distinct) cursor.accept('ALL');
  const as = cursor.accept('AS') && { as: parseAs(cursor) };
  return { distinct, ...as, items: parseItems(cursor) };
}

function parseAs(cursor: Cursor): 'STRUCT' | 'VALUE' {
  const as = cursor.acceptOne('STRUCT', 'VALUE');
  if (as === undefined) throw cursor.unexpected('Expected STRUCT or VALUE but got');
  return as;
}

function parseClauses(cursor: Cursor) {
  return {
    ...(cursor.accept('WHERE') && { where: cursor.expression() }),
    ...(cursor.at('GROUP', 'BY') && { groupBy: parseGroupBy(cursor) }),
    ...(cursor.accept('HAVING') && { having: cursor.expression() }),
    ...(cursor.accept('QUALIFY') && { qualify: cursor.expression() }),
    windows: parseWindows(cursor),
  };
}

/** Parses `WINDOW name AS spec, …`, if it comes next. */
export function parseWindows(cursor: Cursor): readonly tree.NamedWindow[] {
  return cursor.accept('WINDOW') ? cursor.list(() => parseNamedWindow(cursor)) : [];
}

function parseNamedWindow(cursor: Cursor): tree.NamedWindow {
  const name = cursor.identifier();
  cursor.expect('AS');
  return { name, spec: parseWindow(cursor) };
}

const endOfItems = ['FROM', 'WHERE', 'GROUP', 'ORDER', 'LIMIT', ')', 'UNION', '|>', 'WINDOW'];

/** Parses a SELECT list, which may end with a comma. */
export function parseItems(cursor: Cursor): readonly tree.SelectItem[] {
  const isEnd = () => cursor.atOne(...endOfItems) || cursor.next.kind === 'end';
  return cursor.list(() => parseItem(cursor), isEnd);
}

function parseItem(cursor: Cursor): tree.SelectItem {
  const { at } = cursor.next;
  if (cursor.accept('*')) return parseStar(cursor, at);
  const value = cursor.expression();
  if (cursor.accept('.', '*')) return parseStar(cursor, at, value);
  return { kind: 'item', value, ...parseAlias(cursor), at };
}

/** An optional `[AS] alias`. */
export function parseAlias(cursor: Cursor): { readonly alias?: Identifier } {
  if (cursor.accept('AS')) return { alias: cursor.identifier() };
  return cursor.atIdentifier() ? { alias: cursor.identifier() } : {};
}

function parseStar(cursor: Cursor, at: number, of?: tree.Expression): tree.SelectItem {
  const except = cursor.accept('EXCEPT', '(') ? cursor.closed(() => cursor.names()) : [];
  const replace = cursor.accept('REPLACE', '(')
    ? cursor.closed(() => cursor.list(() => parseReplacement(cursor)))
    : [];
  return { kind: 'star', ...(of && { of }), except, replace, at };
}

function parseReplacement(cursor: Cursor): tree.SelectExpression {
  const { at } = cursor.next;
  const value = cursor.expression();
  cursor.expect('AS');
  return { kind: 'item', value, alias: cursor.identifier(), at };
}

function parseGroupBy(cursor: Cursor): tree.GroupBy {
  const { at } = cursor.next;
  cursor.expect('GROUP', 'BY');
  if (cursor.accept('ALL')) return { all: true, items: [], at };
  const items = cursor.list(() => parseGroupItem(cursor));
  refuseMixed(items);
  return { all: false, items, at };
}

const groupings = {
  rollup: 'GROUP BY ROLLUP',
  cube: 'GROUP BY CUBE',
  sets: 'GROUP BY GROUPING SETS and GROUP BY ()',
} as const;

/**
 * Refuses grouping sets that are combined with other items of GROUP BY.
 * @throws QueryFault
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#group_by_clause
 */
export function refuseMixed(items: readonly tree.GroupItem[]): void {
  const item = items.find(({ kind }) => kind !== 'key');
  if (items.length < 2 || item === undefined || item.kind === 'key') return;
  throw new QueryFault(
    `${groupings[item.kind]} cannot have other items beside it: write all of them as one GROUPING SETS (…)`,
    item.at,
  );
}

/** Parses a key of GROUP BY, or grouping sets. */
export function parseGroupItem(cursor: Cursor): tree.GroupItem {
  const { at } = cursor.next;
  const word = ['ROLLUP', 'CUBE'].find((name) => cursor.at(name, '('));
  if (word !== undefined) {
    cursor.take();
    const sets = cursor.bracketed(() => cursor.list(() => parseSet(cursor)));
    return { kind: word === 'CUBE' ? 'cube' : 'rollup', sets, at };
  }
  if (cursor.accept('GROUPING', 'SETS')) {
    const sets = cursor.bracketed(() => cursor.list(() => parseGroupingSet(cursor)));
    return { kind: 'sets', sets: sets.flat(), at };
  }
  if (cursor.accept('(', ')')) return { kind: 'sets', sets: [[]], at };
  return { kind: 'key', value: cursor.expression(), at };
}

/** One grouping set, or the sets of a ROLLUP or CUBE. */
function parseGroupingSet(cursor: Cursor): readonly (readonly tree.Expression[])[] {
  const isMany = cursor.at('ROLLUP', '(') || cursor.at('CUBE', '(');
  return isMany ? expandGroupingSets(parseGroupItem(cursor)) : [parseSet(cursor)];
}

function parseSet(cursor: Cursor): readonly tree.Expression[] {
  if (cursor.accept('(', ')')) return [];
  const value = cursor.expression();
  return value.kind === 'struct' && value.type === undefined
    ? value.fields.map((field) => field.value)
    : [value];
}
