import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import { parseCtes } from './parse-ctes.js';
import { parsePipes } from './parse-pipe.js';
import { parseSelect } from './parse-select.js';
import { isSameOperator, parseSetOperator } from './parse-set-operator.js';
import { parseCounts, parseOrderBy, type RowCounts } from './parse-window.js';
import type { Query, QueryBody } from './tree.js';

/**
 * Parses `[WITH …] body [ORDER BY …] [LIMIT … [OFFSET …]]`, and the pipe operators after it. Brackets around
 * a whole query are dropped, so that its order stays: `(select a from t order by a) limit 2` ->
 * `select a from t order by a limit 2`.
 */
export function parseQuery(cursor: Cursor): Query {
  const { at } = cursor.next;
  const ctes = cursor.accept('WITH') ? parseCtes(cursor) : [];
  if (cursor.at('FROM')) return parsePipes(cursor, undefined, { ctes, at });
  const query = parseStandardQuery(cursor, { ctes, at });
  const hasAlias = cursor.at('AS') && cursor.peek(2).key === '|>';
  if (!cursor.at('|>') && !hasAlias) return query;
  // The operators can read the CTEs, too.
  return parsePipes(cursor, { ...query, ctes: [] }, { ctes: query.ctes, at });
}

function parseStandardQuery(cursor: Cursor, { ctes, at }: Pick<Query, 'ctes' | 'at'>): Query {
  const body = parseBody(cursor);
  const orderBy = parseOrderBy(cursor);
  const counts = cursor.accept('LIMIT') ? parseCounts(cursor) : undefined;
  const isBracketOnly = body.kind === 'query' && ctes.length === 0 && orderBy.length === 0;
  if (isBracketOnly && (counts === undefined || body.limit === undefined)) {
    return { ...(counts === undefined ? body : withLimit(body, counts)), at };
  }
  return { kind: 'query', ctes, body, orderBy, ...counts, at };
}

/** Adds LIMIT to a query; in pipe syntax, as an operator. */
function withLimit(query: Query, counts: RowCounts): Query {
  const { body } = query;
  if (body.kind !== 'pipeline') return { ...query, ...counts };
  const operator = { kind: 'pipe-limit', ...counts, at: counts.limit.at } as const;
  return { ...query, body: { ...body, operators: [...body.operators, operator] } };
}

/** Parses a chain of one set operator; mixing different operators requires brackets, as in BigQuery. */
function parseBody(cursor: Cursor): QueryBody {
  const first = parseOperand(cursor);
  const operands = [first];
  const chain = parseSetOperator(cursor);
  if (chain === undefined) return first;
  operands.push(parseOperand(cursor));
  for (;;) {
    const { at } = cursor.next;
    const operator = parseSetOperator(cursor);
    if (operator === undefined) break;
    if (!isSameOperator(operator, chain)) {
      const message =
        'Syntax error: Different set operations cannot be used in the same query without using parentheses for grouping';
      throw new QueryFault(message, at);
    }
    operands.push(parseOperand(cursor));
  }
  return { kind: 'set-operation', ...chain, operands, at: first.at };
}

function parseOperand(cursor: Cursor): QueryBody {
  return cursor.at('(') ? cursor.subquery() : parseSelect(cursor);
}
