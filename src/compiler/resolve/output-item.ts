import * as bound from '../bound/bound.js';
import { ownerOf, plain } from '../bound/coerce.js';
import type { NamedValue, Scope, SelectedItem } from './scope.js';

/**
 * Returns an output column and its value. A column that no file has stays absent in the CTEs of a stored
 * query; a caller selects it by naming it. In a log array, NULL is the empty array: if an outer join may have
 * found no match, the query returns a computed array instead.
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
