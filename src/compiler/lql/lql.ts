import { QueryFault } from '../../errors/query-fault.js';
import { LqlCursor } from './lql-cursor.js';
import type { Lql, LqlAggregate, LqlFilter, LqlSelect, LqlUnit, LqlWord } from './lql-tree.js';
import { parseChart } from './parse-chart.js';
import { parseField, parsePath, parseText, parseTimeFilter } from './parse-filter.js';

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
  | { readonly kind: 'group'; readonly unit: LqlUnit; readonly at: number }
  | WithoutNegation<LqlFilter>;

type Item = Exclude<Clause, WithoutNegation<LqlFilter>> | LqlFilter;

/** A clause before the parser sets whether it is negated. */
type WithoutNegation<T> = T extends unknown ? Omit<T, 'negated'> : never;

function parseItem(cursor: LqlCursor): Item {
  const { at } = cursor;
  const negated = cursor.accept('-');
  const clause = parseClause(cursor);
  cursor.endItem();
  if (isFilter(clause)) return { ...clause, negated } as LqlFilter;
  if (negated) throw new QueryFault('Syntax error: Only a filter can be negated', at);
  return clause;
}

type OfFilter<T> = Extract<T, { readonly kind: LqlFilter['kind'] }>;

function isFilter<T extends Clause | Item>(node: T): node is OfFilter<T> {
  return node.kind === 'text' || node.kind === 'time' || node.kind === 'field';
}

const clauses: ReadonlyMap<string, (cursor: LqlCursor, at: number) => Clause> = new Map([
  ['f:', parseFrom],
  ['from:', parseFrom],
  ['s:', parseSelect],
  ['select:', parseSelect],
  ['c:', parseChart],
  ['chart:', parseChart],
]);

/** Parses an item by its keyword; without one, it is a filter. */
function parseClause(cursor: LqlCursor): Clause {
  const { at } = cursor;
  const keyword = cursor.peek(/[a-z]+:/y);
  const parse = clauses.get(keyword);
  if (parse !== undefined) {
    cursor.expect(keyword);
    return parse(cursor, at);
  }
  if (keyword === 't:' || keyword === 'timestamp:') return parseTimeFilter(cursor);
  return cursor.peek(/[\p{L}_][^\s":]*:/uy) === '' ? parseText(cursor) : parseField(cursor);
}

function parseFrom(cursor: LqlCursor, at: number): Clause {
  return { kind: 'from', name: cursor.word(/[^\s"]+/y, 'a name'), at };
}

function parseSelect(cursor: LqlCursor, at: number): Clause {
  if (cursor.accept('*')) return { kind: 'select', at };
  const path = parsePath(cursor);
  if (!cursor.accept('@')) return { kind: 'select', path, at };
  return { kind: 'select', path, alias: cursor.word(/[\p{L}_][\p{L}\p{N}_-]*/uy, 'an alias'), at };
}

function assemble(items: readonly Item[]): Lql {
  const from = single(items, 'from', 'f: clause');
  const aggregate = single(items, 'aggregate', 'aggregate');
  const group = single(items, 'group', 'group_by');
  const chart = aggregate ?? group;
  const select = items.filter((item) => item.kind === 'select');
  const [selected] = select;
  if (chart !== undefined && selected !== undefined) {
    throw new QueryFault(
      'A chart cannot have an s: clause: its columns are timestamp and count',
      selected.at,
    );
  }
  return {
    ...(from === undefined ? {} : { from: from.name }),
    select,
    ...(chart === undefined
      ? {}
      : {
          chart: {
            ...(aggregate === undefined ? {} : { aggregate }),
            ...(group === undefined ? {} : { unit: group.unit }),
            at: chart.at,
          },
        }),
    filters: items.filter((item) => isFilter(item)),
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
