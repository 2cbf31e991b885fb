import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import { orderCtes } from './recursive-ctes.js';
import type { Cte } from './tree.js';

/**
 * Parses the CTEs after WITH; the list may end with a comma. After WITH RECURSIVE, returns each CTE after
 * the CTEs that it reads.
 */
export function parseCtes(cursor: Cursor): readonly Cte[] {
  const { at } = cursor.next;
  const isRecursive = cursor.accept('RECURSIVE');
  if (isRecursive && !cursor.isOutermost) {
    throw new QueryFault('WITH RECURSIVE is only allowed at the top level of a query', at);
  }
  const isEnd = () => cursor.atOne('SELECT', 'FROM', '(', '|>') || cursor.next.kind === 'end';
  const ctes = cursor.list(() => parseCte(cursor), isEnd);
  return isRecursive ? orderCtes(ctes) : ctes;
}

function parseCte(cursor: Cursor): Cte {
  const name = cursor.identifier();
  cursor.expect('AS');
  return { name, query: cursor.subquery(), at: name.at };
}
