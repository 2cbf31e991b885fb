import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
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
import { parseOrderBy } from './parse-window.js';
import {
  and,
  asInput,
  blockFrom,
  callsWindow,
  closedBlock,
  nextBlock,
  onlyAlias,
  openSelect,
  type PipeBlock,
} from './pipe-block.js';
import type { Cte, FromItem, Identifier, Query, Select, SelectStar } from './tree.js';

/**
 * Parses a query in pipe syntax into the tree of the same query in standard syntax: `FROM t |> WHERE a |>
 * SELECT b` is `SELECT b FROM t WHERE a`.
 * @param query the query before the first `|>`; undefined at FROM
 * @throws QueryFault for a syntax error, or an operator that is not supported
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/pipe-syntax
 */
export function parsePipes(
  cursor: Cursor,
  query: Query | undefined,
  { ctes: before, at }: Pick<Query, 'ctes' | 'at'>,
): Query {
  let block = query === undefined ? parseFromClause(cursor) : overQuery(cursor, query);
  const ctes = [...before];
  while (cursor.accept('|>')) {
    if (cursor.accept('WITH')) ctes.push(...ownCtes(parseCtes(cursor), block));
    else block = parseOperator(cursor, block);
  }
  const { query: result } = block;
  return { ...result, ctes: [...ctes, ...result.ctes], at };
}

function parseFromClause(cursor: Cursor): PipeBlock {
  const { at } = cursor.next;
  cursor.expect('FROM');
  return blockFrom(parseFrom(cursor), at);
}

/** `query [AS alias]` before the first operator. */
function overQuery(cursor: Cursor, query: Query): PipeBlock {
  const { alias } = cursor.accept('AS') ? { alias: cursor.identifier() } : { alias: undefined };
  const order = query.orderBy.length > 0 ? 'own' : 'none';
  return nextBlock({ query, open: 'none', order }, { at: query.at, keepsOrder: true, alias });
}

/** A CTE of `|> WITH` is visible from here on, so no operator before it may read a table of its name. */
function ownCtes(ctes: readonly Cte[], { query }: PipeBlock): readonly Cte[] {
  for (const { name } of ctes) {
    if (!readsTable(query, name.name.toLowerCase())) continue;
    throw new QueryFault(`The name ${name.name} is already used before |> WITH`, name.at);
  }
  return ctes;
}

function readsTable(node: unknown, name: string): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { kind, path } = node as { readonly kind?: unknown; readonly path?: readonly Identifier[] };
  if (kind === 'table' && path?.[0]?.name.toLowerCase() === name) return true;
  return Object.values(node).some((part) => readsTable(part, name));
}

type ParseOperator = (cursor: Cursor, block: PipeBlock, at: number) => PipeBlock;

/** The operators by the words that they begin with. */
const operators: readonly (readonly [words: readonly string[], parse: ParseOperator])[] = [
  [['WHERE'], parseWhere],
  [['SELECT'], parsePipeSelect],
  [['EXTEND'], parseExtend],
  [['SET'], parseSet],
  [['DROP'], parseDrop],
  [['RENAME'], parseRename],
  [['AS'], parseAs],
  [['AGGREGATE'], parsePipeAggregate],
  [['DISTINCT'], parseDistinct],
  [['ORDER', 'BY'], parsePipeOrderBy],
  [['LIMIT'], parseLimit],
];

/** Operators that BigQuery has and this service does not. */
const unsupported = ['CALL', 'TABLESAMPLE', 'MATCH_RECOGNIZE', 'ASSERT', 'WINDOW'] as const;

function parseOperator(cursor: Cursor, block: PipeBlock): PipeBlock {
  const { at } = cursor.next;
  const found = operators.find(([words]) => cursor.accept(...words));
  if (found !== undefined) return found[1](cursor, block, at);
  if (atPivot(cursor)) return parsePipePivot(cursor, block, at);
  const set = parseSetOperator(cursor);
  if (set !== undefined) {
    const queries = cursor.list(() => parseBracketed(cursor));
    return closedBlock(
      { kind: 'set-operation', ...set, operands: [block.query, ...queries], at },
      at,
    );
  }
  const type = parseJoinType(cursor);
  if (type !== undefined) return parseJoin(cursor, block, { type, at });
  const refused = unsupported.find((word) => cursor.at(word));
  if (refused === undefined) throw cursor.unexpected();
  throw new QueryFault(`The pipe operator ${refused} is not supported`, at);
}

function parseBracketed(cursor: Cursor): Query {
  cursor.expect('(');
  const query = cursor.query();
  cursor.expect(')');
  return query;
}

/** The block if clauses may still be added to its SELECT, or a new one over it. */
function openBlock(block: PipeBlock, at: number, keepsOrder: boolean) {
  const isFree = block.query.orderBy.length === 0 && block.query.limit === undefined;
  const select = openSelect(block);
  if (select !== undefined && isFree) return { block, select };
  const next = nextBlock(block, { at, keepsOrder, alias: onlyAlias(block) });
  const own = openSelect(next);
  if (own === undefined) throw new Error('a new block is open');
  return { block: next, select: own };
}

/** The block with another SELECT, which the next operator reads as a subquery. */
function projected(block: PipeBlock, select: Select): PipeBlock {
  return { ...block, query: { ...block.query, body: select }, open: 'limit' };
}

function parseWhere(cursor: Cursor, input: PipeBlock, at: number): PipeBlock {
  const condition = cursor.expression();
  const { block, select } = openBlock(input, at, false);
  if (callsWindow(condition)) {
    const filtered = projected(block, { ...select, qualify: condition });
    return nextBlock(filtered, { at, keepsOrder: false, alias: onlyAlias(block) });
  }
  const body = { ...select, where: and(select.where, condition) };
  return { ...block, query: { ...block.query, body } };
}

function parsePipeSelect(cursor: Cursor, input: PipeBlock, at: number): PipeBlock {
  const list = parseSelectList(cursor);
  const windows = parseWindows(cursor);
  const { block, select } = openBlock(input, at, !list.distinct);
  return projected(block, { ...select, ...list, windows, allowsAggregates: false });
}

function parseExtend(cursor: Cursor, input: PipeBlock, at: number): PipeBlock {
  const added = parseItems(cursor);
  const windows = parseWindows(cursor);
  const { block, select } = openBlock(input, at, true);
  const items = [...select.items, ...added];
  const extended = projected(block, { ...select, items, windows, allowsAggregates: false });
  return nextBlock(extended, { at, keepsOrder: true, alias: onlyAlias(block) });
}

/** An operator that changes the columns of `*`; the aliases of the input would still mean its columns. */
function withStar(input: PipeBlock, at: number, change: Partial<SelectStar>): PipeBlock {
  const { block, select } = openBlock(input, at, true);
  const star: SelectStar = { kind: 'star', except: [], replace: [], at, ...change };
  return projected(block, { ...select, items: [star], allowsAggregates: false });
}

function parseSet(cursor: Cursor, input: PipeBlock, at: number): PipeBlock {
  const replace = cursor.list(() => {
    const alias = cursor.identifier();
    cursor.expect('=');
    return { kind: 'item', value: cursor.expression(), alias, at: alias.at } as const;
  });
  refuseRepeated(
    'SET',
    replace.map(({ alias }) => alias),
  );
  return withStar(input, at, { replace });
}

function parseDrop(cursor: Cursor, input: PipeBlock, at: number): PipeBlock {
  return withStar(input, at, { except: cursor.list(() => cursor.identifier()) });
}

function parseRename(cursor: Cursor, input: PipeBlock, at: number): PipeBlock {
  const rename = cursor.list(() => {
    const column = cursor.identifier();
    cursor.accept('AS');
    return { column, alias: cursor.identifier() };
  });
  refuseRepeated(
    'RENAME',
    rename.map(({ column }) => column),
  );
  return withStar(input, at, { rename });
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

function parseAs(cursor: Cursor, input: PipeBlock, at: number): PipeBlock {
  return nextBlock(input, { at, keepsOrder: true, alias: cursor.identifier() });
}

function parseDistinct(_: Cursor, input: PipeBlock, at: number): PipeBlock {
  const { block, select } = openBlock(input, at, false);
  const distinct = projected(block, { ...select, distinct: true });
  return nextBlock(distinct, { at, keepsOrder: false, alias: onlyAlias(block) });
}

function parsePipeOrderBy(cursor: Cursor, input: PipeBlock, at: number): PipeBlock {
  const orderBy = parseOrderBy(cursor);
  const { block } = openBlock(input, at, false);
  return { ...block, query: { ...block.query, orderBy }, order: 'own' };
}

function parseLimit(cursor: Cursor, input: PipeBlock, at: number): PipeBlock {
  const limit = cursor.expression();
  const offset = cursor.accept('OFFSET') ? cursor.expression() : undefined;
  const isFree = input.open !== 'none' && input.query.limit === undefined;
  const block = isFree
    ? input
    : nextBlock(input, { at, keepsOrder: true, alias: onlyAlias(input) });
  const query = { ...block.query, limit, ...(offset === undefined ? {} : { offset }) };
  return { ...block, query };
}

function parseJoin(
  cursor: Cursor,
  input: PipeBlock,
  {
    type,
    at,
  }: { readonly type: NonNullable<ReturnType<typeof parseJoinType>>; readonly at: number },
): PipeBlock {
  const right = parseFromItem(cursor);
  const condition = parseCondition(cursor);
  // The condition cannot wait until after a join that adds rows without a left side.
  const addsRows = type === 'RIGHT' || type === 'FULL';
  const left = addsRows ? asInput(input, onlyAlias(input)) : filteredInput(input, at);
  return blockFrom({ kind: 'join', type, isComma: false, left, right, ...condition, at }, at);
}

/** The input with its tables and aliases, of which a filter keeps all. */
function filteredInput(input: PipeBlock, at: number): FromItem {
  const { block, select } = openBlock(input, at, false);
  if (select.from === undefined || select.where === undefined) return asInput(block);
  return { kind: 'filtered', input: select.from, where: select.where, at };
}

function parsePipePivot(cursor: Cursor, input: PipeBlock, at: number): PipeBlock {
  const { block, select } = openBlock(input, at, false);
  const { from, where } = select;
  const isTable = from?.kind === 'table' || from?.kind === 'derived';
  const alias = onlyAlias(block);
  const item: FromItem =
    isTable && where === undefined
      ? from
      : { kind: 'derived', query: block.query, ...(alias === undefined ? {} : { alias }), at };
  return blockFrom(
    parsePivots(cursor, item, () => parseTableAlias(cursor)),
    at,
  );
}
