import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import { parseAlias, parseGroupItem, refuseMixed } from './parse-select.js';
import { parseDirection } from './parse-window.js';
import type { AggregateItem, AggregateKey, PipeOperatorOf } from './tree.js';

/**
 * Parses `values [GROUP [AND ORDER] BY keys]` after AGGREGATE.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/pipe-syntax#aggregate_pipe_operator
 */
export function parsePipeAggregate(cursor: Cursor, at: number): PipeOperatorOf<'pipe-aggregate'> {
  const isEnd = () => cursor.at('GROUP');
  const values = isEnd() ? [] : cursor.list(() => parseValue(cursor), isEnd);
  const orders = cursor.accept('GROUP', 'AND', 'ORDER', 'BY');
  if (!orders && !cursor.accept('GROUP', 'BY')) return { kind: 'pipe-aggregate', values, at };
  const keys = cursor.list(() => parseKey(cursor, orders));
  refuseMixed(keys.map(({ item }) => item));
  return { kind: 'pipe-aggregate', values, keys, at };
}

function parseValue(cursor: Cursor): AggregateItem {
  const { at } = cursor.next;
  const value = cursor.expression();
  if (callsWindow(value)) {
    throw new QueryFault('Window functions are not allowed in |> AGGREGATE: use |> EXTEND', at);
  }
  return { value, ...parseAlias(cursor), ...parseOrder(cursor, false), at };
}

function parseKey(cursor: Cursor, orders: boolean): AggregateKey {
  const { at } = cursor.next;
  const item = parseGroupItem(cursor);
  return { item, ...parseAlias(cursor), ...parseOrder(cursor, orders), at };
}

function parseOrder(cursor: Cursor, always: boolean): Pick<AggregateItem, 'order'> {
  return always || cursor.atOne('ASC', 'DESC') ? { order: parseDirection(cursor) } : {};
}

/** Whether a window function is called in a tree, outside of its subqueries. */
export function callsWindow(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if ('kind' in node && node.kind === 'query') return false;
  return ('over' in node && node.over !== undefined) || Object.values(node).some(callsWindow);
}
