import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import { parseAlias, parseGroupItem } from './parse-select.js';
import { parseDirection } from './parse-window.js';
import { callsWindow, nextBlock, onlyAlias, openSelect, type PipeBlock } from './pipe-block.js';
import type { Expression, GroupItem, Identifier, OrderItem, SelectItem } from './tree.js';

/** A key or an aggregate with its alias, and its order if it has one. */
interface Column {
  readonly alias?: Identifier;
  readonly order?: Pick<OrderItem, 'descending' | 'nulls'>;
  readonly at: number;
}

/**
 * Parses `aggregates [GROUP [AND ORDER] BY keys]` after AGGREGATE. The keys become the first columns, and
 * GROUP BY and ORDER BY name them by number, because names could mean other columns.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/pipe-syntax#aggregate_pipe_operator
 */
export function parsePipeAggregate(cursor: Cursor, input: PipeBlock, at: number): PipeBlock {
  const aggregates = cursor.at('GROUP') ? [] : parseAggregates(cursor);
  const orders = cursor.accept('GROUP', 'AND', 'ORDER', 'BY');
  const isGrouped = orders || cursor.accept('GROUP', 'BY');
  const groups = isGrouped ? cursor.list(() => parseGroup(cursor, orders)) : [];
  const keys = keysOf(groups);
  const values: readonly Value[] = [...keys.values(), ...aggregates];
  const items = values.map(({ value, alias, at: itemAt }): SelectItem => {
    return { kind: 'item', value, ...(alias === undefined ? {} : { alias }), at: itemAt };
  });
  const orderBy = values.flatMap(({ order, at: itemAt }, index): readonly OrderItem[] =>
    order === undefined ? [] : [{ value: ordinal(index, itemAt), ...order, at: itemAt }],
  );
  const isFree = input.query.orderBy.length === 0 && input.query.limit === undefined;
  const block =
    openSelect(input) !== undefined && isFree
      ? input
      : nextBlock(input, { at, keepsOrder: false, alias: onlyAlias(input) });
  const select = openSelect(block);
  if (select === undefined) throw new Error('a new block is open');
  const all: readonly GroupItem[] = isGrouped
    ? withOrdinals(groups, keys)
    : [{ kind: 'sets', sets: [[]], at }];
  const body = { ...select, items, groupBy: { all: false, items: all, at } };
  return {
    query: { ...block.query, body, orderBy },
    open: 'limit',
    order: orderBy.length > 0 ? 'own' : 'none',
  };
}

interface Value extends Column {
  readonly value: Expression;
}

function parseAggregates(cursor: Cursor): readonly Value[] {
  const values = [parseAggregate(cursor)];
  while (cursor.accept(',') && !cursor.at('GROUP')) values.push(parseAggregate(cursor));
  return values;
}

function parseAggregate(cursor: Cursor): Value {
  const { at } = cursor.next;
  const value = cursor.expression();
  if (callsWindow(value)) {
    throw new QueryFault('Window functions are not allowed in |> AGGREGATE: use |> EXTEND', at);
  }
  return { value, ...parseAlias(cursor), ...parseOrder(cursor, false), at };
}

function parseOrder(cursor: Cursor, always: boolean): Pick<Column, 'order'> {
  return always || cursor.atOne('ASC', 'DESC') ? { order: parseDirection(cursor) } : {};
}

interface Group extends Column {
  readonly item: GroupItem;
}

function parseGroup(cursor: Cursor, orders: boolean): Group {
  const { at } = cursor.next;
  const item = parseGroupItem(cursor);
  return { item, ...parseAlias(cursor), ...parseOrder(cursor, orders), at };
}

/** The keys by their texts, each once: those of grouping sets may repeat. */
function keysOf(groups: readonly Group[]): ReadonlyMap<string, Value> {
  const keys = new Map<string, Value>();
  for (const { item, alias, order, at } of groups) {
    const values = item.kind === 'key' ? [item.value] : item.sets.flat();
    for (const value of values) {
      const named = { ...(alias === undefined ? {} : { alias }), ...(order && { order }) };
      const key = textOf(value);
      if (!keys.has(key)) keys.set(key, { value, ...named, at });
    }
  }
  return keys;
}

/** A text that is the same for expressions that are written alike. */
function textOf(value: Expression): string {
  return JSON.stringify(value, (key, part) => (key === 'at' ? undefined : part));
}

/** The items of GROUP BY with the number of its column in place of each key. */
function withOrdinals(
  groups: readonly Group[],
  keys: ReadonlyMap<string, Value>,
): readonly GroupItem[] {
  const indexes = new Map([...keys.keys()].map((text, index) => [text, index]));
  const number = (value: Expression) => ordinal(indexes.get(textOf(value)) ?? -1, value.at);
  return groups.map(({ item }) => {
    if (item.kind === 'key') return { ...item, value: number(item.value) };
    return { ...item, sets: item.sets.map((set) => set.map(number)) };
  });
}

function ordinal(index: number, at: number): Expression {
  return { kind: 'literal', type: 'INT64', value: String(index + 1), at };
}
