import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import { queryNode } from './make-nodes.js';
import type { Identifier } from './names.js';
import { parseCtes } from './parse-ctes.js';
import {
  parseCondition,
  parseFrom,
  parseFromItem,
  parseJoinType,
  parseTableAlias,
} from './parse-from.js';
import { parsePipeAggregate } from './parse-pipe-aggregate.js';
import { atPivot, parsePivots } from './parse-pivot.js';
import { parseItems, parseSelectList, parseWindows } from './parse-select.js';
import { parseSetOperator } from './parse-set-operator.js';
import { parseCounts, parseOrderItem } from './parse-window.js';
import type { FromItem, PipeOperator, Query } from './tree.js';

/**
 * Parses a query in pipe syntax: `FROM t |> WHERE a |> SELECT b`.
 * @param query the query before the first `|>`; undefined if FROM comes next
 * @throws QueryFault for a syntax error, or an operator that is not supported
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/pipe-syntax
 */
export function parsePipes(
  cursor: Cursor,
  query: Query | undefined,
  { ctes, at }: Pick<Query, 'ctes' | 'at'>,
): Query {
  const input = parseInput(cursor, query);
  const operators: PipeOperator[] = [];
  while (cursor.accept('|>')) operators.push(...parseOperators(cursor));
  const body = { kind: 'pipeline', input, operators, at } as const;
  return { ...queryNode(body), ctes };
}

/** `FROM t` or `query [AS alias]` before the first operator. */
function parseInput(cursor: Cursor, query: Query | undefined): FromItem {
  if (query === undefined) {
    cursor.expect('FROM');
    return parseFrom(cursor);
  }
  const alias = cursor.accept('AS') && { alias: cursor.identifier() };
  return { kind: 'derived', query, ...alias, at: query.at };
}

type ParseOperator = (cursor: Cursor, at: number) => PipeOperator;

/** The operators by the words that they begin with. */
const operators: readonly (readonly [words: readonly string[], parse: ParseOperator])[] = [
  [['WHERE'], (cursor, at) => ({ kind: 'pipe-where', where: cursor.expression(), at })],
  [['SELECT'], parsePipeSelect],
  [['EXTEND'], parseExtend],
  [['SET'], parseSet],
  [['DROP'], (cursor, at) => ({ kind: 'pipe-drop', columns: cursor.names(), at })],
  [['RENAME'], parseRename],
  [['AS'], (cursor, at) => ({ kind: 'pipe-as', alias: cursor.identifier(), at })],
  [['AGGREGATE'], parsePipeAggregate],
  [['DISTINCT'], (_, at) => ({ kind: 'pipe-distinct', at })],
  [['ORDER', 'BY'], parseOrder],
  [['LIMIT'], (cursor, at) => ({ kind: 'pipe-limit', ...parseCounts(cursor), at })],
  [['WITH'], (cursor, at) => ({ kind: 'pipe-with', ctes: parseCtes(cursor), at })],
];

/** Operators that BigQuery supports, but this service does not. */
const unsupported = ['CALL', 'TABLESAMPLE', 'MATCH_RECOGNIZE', 'ASSERT', 'WINDOW'] as const;

function parseOperators(cursor: Cursor): readonly PipeOperator[] {
  return atPivot(cursor) ? parsePipePivot(cursor, cursor.next.at) : [parseOperator(cursor)];
}

function parseOperator(cursor: Cursor): PipeOperator {
  const { at } = cursor.next;
  const found = operators.find(([words]) => cursor.accept(...words));
  if (found !== undefined) return found[1](cursor, at);
  const set = parseSetOperator(cursor);
  if (set !== undefined) {
    const operands = cursor.list(() => cursor.subquery());
    return { kind: 'pipe-set-operation', ...set, operands, at };
  }
  const type = parseJoinType(cursor);
  if (type !== undefined) {
    const right = parseFromItem(cursor);
    return { kind: 'pipe-join', type, right, ...parseCondition(cursor), at };
  }
  const refused = unsupported.find((word) => cursor.at(word));
  if (refused === undefined) throw cursor.unexpected();
  throw new QueryFault(`The pipe operator ${refused} is not supported`, at);
}

function parseOrder(cursor: Cursor, at: number): PipeOperator {
  return { kind: 'pipe-order-by', orderBy: cursor.list(() => parseOrderItem(cursor)), at };
}

function parsePipeSelect(cursor: Cursor, at: number): PipeOperator {
  return { kind: 'pipe-select', ...parseSelectList(cursor), windows: parseWindows(cursor), at };
}

function parseExtend(cursor: Cursor, at: number): PipeOperator {
  return { kind: 'pipe-extend', items: parseItems(cursor), windows: parseWindows(cursor), at };
}

function parseSet(cursor: Cursor, at: number): PipeOperator {
  const items = cursor.list(() => {
    const alias = cursor.identifier();
    cursor.expect('=');
    return { kind: 'item', value: cursor.expression(), alias, at: alias.at } as const;
  });
  refuseRepeated(
    'SET',
    items.map(({ alias }) => alias),
  );
  return { kind: 'pipe-set', items, at };
}

function parseRename(cursor: Cursor, at: number): PipeOperator {
  const columns = cursor.list(() => {
    const column = cursor.identifier();
    cursor.accept('AS');
    return { column, alias: cursor.identifier() };
  });
  refuseRepeated(
    'RENAME',
    columns.map(({ column }) => column),
  );
  return { kind: 'pipe-rename', columns, at };
}

function refuseRepeated(operator: string, columns: readonly Identifier[]): void {
  const seen = new Set<string>();
  for (const { name, at } of columns) {
    const key = name.toLowerCase();
    if (seen.has(key))
      throw new QueryFault(`${operator} names the column ${shortName(name)} twice`, at);
    seen.add(key);
  }
}

/** Parses PIVOT or UNPIVOT; UNPIVOT becomes a join with an array of its cells, as in {@link parsePivots}. */
function parsePipePivot(cursor: Cursor, at: number): readonly PipeOperator[] {
  const item = parsePivots(cursor, { kind: 'piped', at }, () => parseTableAlias(cursor));
  if (item.kind === 'pivot') return [{ kind: 'pipe-pivot', pivot: item, at }];
  const body = item.kind === 'derived' ? item.query.body : undefined;
  const from = body?.kind === 'select' ? body.from : undefined;
  if (item.kind !== 'derived' || body?.kind !== 'select' || from?.kind !== 'join') {
    throw new Error('not a join of rows with cells');
  }
  const { left, type, right } = from;
  const { items, where } = body;
  return [
    ...asAlias(left, at),
    { kind: 'pipe-join', type, right, at },
    ...(where === undefined ? [] : [{ kind: 'pipe-where', where, at } as const]),
    { kind: 'pipe-select', distinct: false, items, windows: [], at },
    ...asAlias(item, at),
  ];
}

function asAlias(item: FromItem, at: number): readonly PipeOperator[] {
  const alias = item.kind === 'derived' ? item.alias : undefined;
  return alias === undefined ? [] : [{ kind: 'pipe-as', alias, at }];
}
