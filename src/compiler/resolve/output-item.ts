import * as bound from '../bound/bound.js';
import { ownerOf, plain } from '../bound/coerce.js';
import type { NamedValue, Scope, SelectedItem } from './scope.js';

/**
 * A column of a query and its value. A column that no file has stays absent in the CTEs of a stored query; a
 * caller who names it selects it. In an array of a log, NULL is the empty array: where an outer join may have
 * left it empty, it leaves the query as a computed array.
 */
export function outputItem(
  { name, value: given, undeclared }: NamedValue & Pick<SelectedItem, 'undeclared'>,
  { statement }: Scope,
): bound.Item {
  const isOwned =
    given.type.kind === 'ARRAY' && bound.isLogField(given) && ownerOf(given) !== undefined;
  const value = isOwned ? plain(given) : given;
  const column = statement.newColumn(name, value.type, bound.isLogField(value));
  const { isAbsent } = value.kind === 'column' ? value.column : column;
  const isKnown = isAbsent && statement.sources !== undefined;
  const marks = { ...(isKnown && { isAbsent }), ...(undeclared && { undeclared }) };
  return { column: { ...column, ...marks }, value };
}
