import { type Cursor, maxNesting } from './cursor.js';

/** Whether a query, not a join group, begins here: `((select 1) union …` but not `((select 1) a join …`. */
export function opensQuery(cursor: Cursor, ahead = 0): boolean {
  const { kind, text } = cursor.peek(ahead);
  if (kind === 'word') return ['SELECT', 'WITH'].includes(text.toUpperCase());
  if (kind !== 'symbol' || text !== '(' || ahead > maxNesting) return false;
  return afterOperand.has(textBehind(cursor, ahead)) && opensQuery(cursor, ahead + 1);
}

/** The same in an expression's bracket, where `((select 1))` is a value in brackets. */
export function opensSubquery(cursor: Cursor): boolean {
  return opensQuery(cursor) && !(cursor.at('(') && textBehind(cursor, 0) === ')');
}

const afterOperand = new Set([')', 'UNION', 'INTERSECT', 'EXCEPT', 'ORDER', 'LIMIT']);

/** What stands behind the bracket that opens `ahead` places on. */
function textBehind(cursor: Cursor, ahead: number): string {
  return cursor.peek(cursor.closing(ahead) + 1).text.toUpperCase();
}
