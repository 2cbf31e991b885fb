import { QueryFault } from '../../errors/query-fault.js';
import { LqlCursor, quoteForMessage } from './lql-cursor.js';
import type { Lql, LqlAggregate, LqlFilter, LqlSelect, LqlUnit, LqlWord } from './lql-tree.js';
import { chartUnits, lqlAggregates } from './lql-words.js';
import { parseFilter, parsePath } from './parse-filter.js';
import { parseUnit } from './parse-moment.js';

/** The maximum number of items in a query. */
const maxItems = 100;

/**
 * The first stage of LQL: parses a query into its clauses, each with its offset. The second stage is
 * `lqlToTree`.
 * @throws QueryFault for an invalid item, or clauses that exclude each other
 */
export function parseLql(text: string): Lql {
  const cursor = new LqlCursor(text);
  const items: Item[] = [];
  cursor.take(/\s+/y);
  while (!cursor.isAtEnd) {
    if (items.length === maxItems) {
      throw new QueryFault(`A query has at most ${maxItems} items`, cursor.at);
    }
    items.push(parseItem(cursor));
  }
  return assemble(items);
}

type Clause =
  | { readonly kind: 'from'; readonly name: LqlWord; readonly at: number }
  | LqlSelect
  | LqlAggregate
  | { readonly kind: 'group'; readonly unit: LqlUnit; readonly at: number };

type Item = Clause | LqlFilter;

/** Parses an item by its keyword; without one, it is a filter. */
function parseItem(cursor: LqlCursor): Item {
  const start = cursor.at;
  const negated = cursor.accept('-');
  const { at } = cursor;
  const keyword = cursor.peek(/[a-z]+:/y);
  const parse = clauses.get(keyword);
  if (parse !== undefined) cursor.expect(keyword);
  const item = parse?.(cursor, at) ?? { ...parseFilter(cursor, keyword), negated };
  cursor.endItem();
  if (!negated || 'negated' in item) return item;
  throw new QueryFault('Syntax error: Only a filter can be negated', start);
}

const clauses: ReadonlyMap<string, (cursor: LqlCursor, at: number) => Clause> = new Map([
  ['f:', parseFrom],
  ['from:', parseFrom],
  ['s:', parseSelect],
  ['select:', parseSelect],
  ['c:', parseChart],
  ['chart:', parseChart],
]);

function parseFrom(cursor: LqlCursor, at: number): Clause {
  return { kind: 'from', name: cursor.word(/[^\s"]+/y, 'a name'), at };
}

function parseSelect(cursor: LqlCursor, at: number): Clause {
  if (cursor.accept('*')) return { kind: 'select', at };
  const path = parsePath(cursor);
  if (!cursor.accept('@')) return { kind: 'select', path, at };
  return { kind: 'select', path, alias: cursor.word(/[\p{L}_][\p{L}\p{N}_-]*/uy, 'an alias'), at };
}

/** Parses the text after `c:`: `aggregate(path)` or `group_by(t::unit)`. @throws QueryFault */
function parseChart(cursor: LqlCursor, at: number): Clause {
  const { text } = cursor.word(/\w+/y, 'an aggregate');
  if (text === 'group_by') return { kind: 'group', unit: parseGroup(cursor), at };
  const name = lqlAggregates.find((known) => known === text);
  if (name === undefined) {
    const names = [...lqlAggregates, 'group_by'].join(', ');
    const message = `Unknown aggregate ${quoteForMessage(text)}: expected one of ${names}`;
    throw new QueryFault(message, cursor.at - text.length);
  }
  cursor.expect('(');
  const starAt = cursor.at;
  const path = cursor.accept('*') ? undefined : parsePath(cursor);
  if (path === undefined && !name.startsWith('count')) {
    throw new QueryFault(`Only count and countd accept *: ${name} needs a path`, starAt);
  }
  cursor.expect(')');
  return { kind: 'aggregate', name, ...(path && { path }), at };
}

function parseGroup(cursor: LqlCursor): LqlUnit {
  cursor.expect('(');
  if (!cursor.accept('timestamp') && !cursor.accept('t')) {
    throw cursor.unexpected('Expected t or timestamp but got');
  }
  cursor.expect('::');
  const unit = parseUnit(cursor.word(/[^\s)]+/y, 'a unit'), chartUnits);
  cursor.expect(')');
  return unit;
}

function assemble(items: readonly Item[]): Lql {
  const from = single(items, 'from', 'f: clause');
  const aggregate = single(items, 'aggregate', 'aggregate');
  const group = single(items, 'group', 'group_by');
  const chart = aggregate ?? group;
  const select = items.filter((item) => item.kind === 'select');
  const [selected] = select;
  if (chart !== undefined && selected !== undefined) {
    const message = 'A chart cannot have an s: clause: its columns are timestamp and count';
    throw new QueryFault(message, selected.at);
  }
  const parts = { ...(aggregate && { aggregate }), ...(group && { unit: group.unit }) };
  return {
    ...(from && { from: from.name }),
    select,
    ...(chart && { chart: { ...parts, at: chart.at } }),
    filters: items.filter((item) => 'negated' in item),
  };
}

/** The only item of a kind, or undefined. @throws QueryFault at a second one */
function single<K extends Item['kind']>(items: readonly Item[], kind: K, what: string) {
  const [first, second] = items.filter(
    (item): item is Extract<Item, { readonly kind: K }> => item.kind === kind,
  );
  if (second === undefined) return first;
  throw new QueryFault(`A query has at most one ${what}`, second.at);
}
