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
  refuseOtherStatements(cursor);
  const query = cursor.query();
  if (cursor.accept(';') && cursor.next.kind !== 'end') {
    throw new QueryFault(
      'Only one statement is allowed: nothing may follow its semicolon',
      cursor.next.at,
    );
  }
  if (cursor.next.kind !== 'end') {
    throw cursor.unexpected('Expected end of input but got');
  }
  return query;
}

function refuseOtherStatements(cursor: Cursor): void {
  const { kind, text, at } = cursor.next;
  const first = text.toUpperCase();
  if (kind === 'word' && statementWords.has(first)) {
    throw new QueryFault(`Only SELECT statements are allowed, not ${first}`, at, 'accessDenied');
  }
}
