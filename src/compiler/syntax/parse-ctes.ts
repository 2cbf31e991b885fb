import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import type { Cte } from './tree.js';

/** Parses the CTEs after WITH; the list may end with a comma. */
export function parseCtes(cursor: Cursor): readonly Cte[] {
  if (cursor.at('RECURSIVE')) {
    throw new QueryFault('WITH RECURSIVE is not supported', cursor.next.at);
  }
  const ctes = [parseCte(cursor)];
  while (
    cursor.accept(',') &&
    !cursor.atOne('SELECT', 'FROM', '(', '|>') &&
    cursor.next.kind !== 'end'
  )
    ctes.push(parseCte(cursor));
  return ctes;
}

function parseCte(cursor: Cursor): Cte {
  const name = cursor.identifier();
  cursor.expect('AS', '(');
  const query = cursor.query();
  cursor.expect(')');
  return { name, query, at: name.at };
}
