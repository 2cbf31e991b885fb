import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import { isOpen, shortTypeName } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { arrayOwner, plain } from '../bound/coerce.js';
import type { Identifier } from '../syntax/names.js';
import type { SelectStar } from '../syntax/tree.js';
import { resolveExpression } from './resolve-expression.js';
import {
  fieldAt,
  fieldsIn,
  findRange,
  isUndeclared,
  type NamedValue,
  namedPart,
  type Range,
  type Scope,
  type SelectedItem,
} from './scope.js';

/**
 * Expands `*`, `t.*` or `value.*` to its columns, applying EXCEPT and REPLACE. Declared fields that
 * are not stored are omitted.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#select_list
 */
export function expandStar(star: SelectStar, scope: Scope): readonly SelectedItem[] {
  const all = starColumns(star, scope);
  const present = new Set(all.map(nameKey));
  for (const name of [...star.except, ...star.replace.flatMap(({ alias }) => alias ?? [])]) {
    if (!present.has(nameKey(name))) throw missingColumn(name, all);
  }
  const excepted = new Set(star.except.map(nameKey));
  // Reversed, so that the first of two replacements with one name wins.
  const replaced = new Map(
    star.replace
      .toReversed()
      .flatMap(({ alias, value }) => (alias ? [[nameKey(alias), value] as const] : [])),
  );
  return all
    .filter((item) => !excepted.has(nameKey(item)))
    .map((item) => {
      const replacement = replaced.get(nameKey(item));
      return replacement ? { ...item, value: resolveExpression(replacement, scope) } : item;
    });
}

/** A name in lower case: names are compared ignoring case. */
function nameKey({ name }: { readonly name: string }): string {
  return name.toLowerCase();
}

function starColumns(star: SelectStar, scope: Scope): readonly SelectedItem[] {
  if (star.of === undefined) {
    if (scope.ranges.length === 0) {
      throw new QueryFault('SELECT * must have a FROM clause', star.at);
    }
    return scope.ranges.flatMap((range) => rangeItems(range, star.at));
  }
  const { of } = star;
  const name = of.kind === 'path' && of.parts.length === 1 ? of.parts[0] : undefined;
  const range = name && findRange(name.name, scope);
  if (range !== undefined && range.element === undefined) return allItems(range, star.at);
  const value = resolveExpression(of, scope);
  if (!isOpen(value.type) || fieldsIn(value.type).length > 0) return fieldItems(value, star.at);
  // The fields of a record in an open string are unknown, so the star selects the string.
  const last = of.kind === 'path' ? of.parts.at(-1)?.name : undefined;
  return [{ name: last ?? '', value, at: star.at }];
}

/** The items that `*` selects from a range, with changed columns; `t.*` selects the original columns of `t`. */
export function rangeItems(range: Range, at: number): readonly SelectedItem[] {
  const { changed } = range;
  return allItems(range, at).flatMap((item): readonly SelectedItem[] => {
    const key = nameKey(item);
    if (changed?.has(key) !== true) return [item];
    const now = changed.get(key);
    return now === undefined ? [] : [{ ...now, at }];
  });
}

function allItems({ element, columns, changed }: Range, at: number): readonly SelectedItem[] {
  const own = element === undefined ? [] : elementItems(element, at);
  const present = columns
    .filter(({ name, isAbsent }) => !isAbsent || changed?.get(name.toLowerCase()) !== undefined)
    .map((column) => starItem(column.name, bound.columnValue(column), at));
  return [...own, ...present];
}

function elementItems(element: bound.Column, at: number): readonly SelectedItem[] {
  const value = bound.columnValue(element);
  return element.type.kind === 'STRUCT' || fieldsIn(element.type).length > 0
    ? fieldItems(value, at)
    : [{ name: element.name, value, at }];
}

/** The stored fields of a record, or of a record in an open string. @throws QueryFault for a value of another type */
export function fieldItems(value: bound.Expression, at: number): readonly SelectedItem[] {
  const { type } = value;
  if (isOpen(type)) {
    return fieldsIn(type).map(({ name }) => starItem(name, namedPart(value, name), at));
  }
  if (type.kind !== 'STRUCT') {
    const message = `Dot-star is not supported for type ${shortTypeName(type)}`;
    throw new QueryFault(message, at);
  }
  return type.fields.flatMap(({ name, stored }, index): readonly SelectedItem[] =>
    stored ? [starItem(name, fieldAt(value, index), at)] : [],
  );
}

function starItem(name: string, value: bound.Expression, at: number): SelectedItem {
  return { name, value, at, ...(isUndeclared(value) && { undeclared: true as const }) };
}

function missingColumn(name: Identifier, items: readonly SelectedItem[]): QueryFault {
  const names = items.map((item) => item.name);
  const near = didYouMean(name.name, names);
  const message = `Column ${shortName(name.name)} in SELECT * EXCEPT or REPLACE list does not exist${near}`;
  return new QueryFault(message, name.at);
}

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
    given.type.kind === 'ARRAY' && bound.isLogField(given) && arrayOwner(given) !== undefined;
  const isMade = given.kind === 'struct' && !bound.isLogField(given);
  const value = isOwned || isMade ? plain(given) : given;
  const column = statement.newColumn(name, value.type, bound.isLogField(value));
  const { isAbsent } = value.kind === 'column' ? value.column : column;
  const isKnown = isAbsent && statement.sources !== undefined;
  const marks = { ...(isKnown && { isAbsent }), ...(undeclared && { undeclared }) };
  return { column: { ...column, ...marks }, value };
}
