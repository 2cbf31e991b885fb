import { QueryFault } from '../../errors/query-fault.js';
import { Cursor } from './cursor.js';
import { parseExpression } from './parse-expression.js';
import { parseQuery } from './parse-query.js';
import type { Query } from './tree.js';
import { statementWords } from './words.js';

/**
 * The first stage: parses a query into the syntax tree of one SELECT statement, with the offset of
 * every node.
 * @throws QueryFault `invalidQuery` with BigQuery's wording, `accessDenied` for another kind of
 * statement, `resourcesExceeded` for too much nesting
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax
 */
export function parse(text: string): Query {
  const cursor = new Cursor(text, { query: parseQuery, expression: parseExpression });
  const { key: word = '', at } = cursor.next;
  if (statementWords.has(word)) {
    throw new QueryFault(`Only SELECT statements are allowed, not ${word}`, at, 'accessDenied');
  }
  const query = cursor.query();
  const hasSemicolon = cursor.accept(';');
  const { next } = cursor;
  if (next.kind === 'end') return query;
  if (!hasSemicolon) throw cursor.unexpected('Expected end of input but got');
  const message = 'Only one statement is allowed: nothing may follow its semicolon';
  throw new QueryFault(message, next.at);
}
