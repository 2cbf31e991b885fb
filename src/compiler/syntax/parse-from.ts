import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import { allFrom, queryNode } from './make-nodes.js';
import type { Identifier, JoinType } from './names.js';
import { parseArgument } from './parse-call.js';
import { atPivot, parsePivots } from './parse-pivot.js';
import type { FromItem, Join, TableReference } from './tree.js';

/** Parses the items of a FROM clause as left-associative joins; a comma is a cross join. */
export function parseFrom(cursor: Cursor): FromItem {
  let left = parseFromItem(cursor);
  for (;;) {
    const { at } = cursor.next;
    const isComma = cursor.accept(',');
    const type = isComma ? 'CROSS' : parseJoinType(cursor);
    if (type === undefined) return left;
    const right = parseFromItem(cursor);
    const condition = isComma ? {} : parseCondition(cursor);
    left = { kind: 'join', type, left, right, isComma, ...condition, at: isComma ? right.at : at };
  }
}

const outerJoins = ['LEFT', 'RIGHT', 'FULL'] as const;

/** Parses `[type] JOIN`, if it comes next. */
export function parseJoinType(cursor: Cursor): JoinType | undefined {
  if (cursor.accept('JOIN')) return 'INNER';
  return (
    outerJoins.find((type) => cursor.accept(type, 'OUTER', 'JOIN')) ??
    ([...outerJoins, 'INNER', 'CROSS'] as const).find((type) => cursor.accept(type, 'JOIN'))
  );
}

/** Parses ON or USING, if it comes next. */
export function parseCondition(cursor: Cursor): Pick<Join, 'on' | 'using'> {
  if (cursor.accept('ON')) return { on: cursor.expression() };
  return cursor.accept('USING', '(') ? { using: cursor.closed(() => cursor.names()) } : {};
}

/** Operators after an item of FROM that BigQuery supports, but this parser does not. */
const unsupported: readonly (readonly string[])[] = [
  ['MATCH_RECOGNIZE', '('],
  ['TABLESAMPLE'],
  ['FOR', 'SYSTEM_TIME'],
  ['FOR', 'SYSTEM', 'TIME'],
  ['NATURAL'],
];

/** Parses a table, an array, a subquery or joins in brackets, with PIVOT and UNPIVOT after it. */
export function parseFromItem(cursor: Cursor): FromItem {
  const item = parsePivots(cursor, parseTable(cursor), () => parseTableAlias(cursor));
  const refused = unsupported.find((words) => cursor.at(...words));
  if (refused === undefined) return item;
  const words = refused.filter((word) => word !== '(').join(' ');
  throw new QueryFault(`${words} is not supported`, cursor.next.at);
}

function parseTable(cursor: Cursor): FromItem {
  const { at } = cursor.next;
  if (cursor.at('LATERAL')) throw new QueryFault('LATERAL is not supported', at);
  if (cursor.accept('UNNEST', '(')) {
    const array = cursor.closed(() => cursor.expression());
    return { kind: 'unnest', array, ...parseAliasAndOffset(cursor), at };
  }
  if (cursor.accept('(')) return cursor.nested(() => parseBracketed(cursor, at));
  const path = [cursor.identifier()];
  while (cursor.accept('.')) path.push(cursor.identifier(true));
  if (cursor.at('(') && path.length === 1 && path[0]?.name.toLowerCase() === 'gap_fill') {
    return cursor.nested(() => parseGapFill(cursor, at));
  }
  if (cursor.at('(')) {
    const name = path.map((part) => part.name).join('.');
    throw new QueryFault(`Table-valued function not found: ${shortName(name)}`, at, 'accessDenied');
  }
  return { kind: 'table', path, ...parseAliasAndOffset(cursor), at };
}

/** `(TABLE t, …)` or `((SELECT …), …)`. */
function parseGapFill(cursor: Cursor, at: number): FromItem {
  cursor.expect('(');
  const input = cursor.accept('TABLE') ? queryNode(allFrom(parseTable(cursor))) : cursor.subquery();
  const given = [];
  while (cursor.accept(',')) given.push(parseArgument(cursor));
  cursor.expect(')');
  return { kind: 'gap-fill', input, arguments: given, ...parseTableAlias(cursor), at };
}

/** `(SELECT …) [AS alias]`, or joins in brackets. */
function parseBracketed(cursor: Cursor, at: number): FromItem {
  if (!cursor.atQuery()) return cursor.closed(() => parseFrom(cursor));
  const query = cursor.closed(() => cursor.query());
  return { kind: 'derived', query, ...parseTableAlias(cursor), at };
}

function parseAliasAndOffset(cursor: Cursor): Pick<TableReference, 'alias' | 'offset'> {
  const alias = parseTableAlias(cursor);
  const { at } = cursor.next;
  if (!cursor.accept('WITH', 'OFFSET')) return alias;
  return { ...alias, offset: { ...parseTableAlias(cursor), at } };
}

/** Parses an optional alias in FROM; PIVOT, UNPIVOT and MATCH_RECOGNIZE are aliases only after AS. */
export function parseTableAlias(cursor: Cursor): { readonly alias?: Identifier } {
  if (cursor.accept('AS')) return { alias: cursor.identifier() };
  const isOperator = atPivot(cursor) || cursor.at('MATCH_RECOGNIZE', '(');
  return cursor.atIdentifier() && !isOperator ? { alias: cursor.identifier() } : {};
}
