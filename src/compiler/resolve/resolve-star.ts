import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import { shortTypeName } from '../../types/types.js';
import { type BoundExpression, type Column, columnValue } from '../bound/bound.js';
import type { Identifier, SelectStar } from '../syntax/tree.js';
import { resolveExpression } from './resolve-expression.js';
import { fieldAt, findRange, type Range, type Scope, type SelectedItem } from './scope.js';

/**
 * Expands `*`, `t.*` or `value.*` to its columns, applying EXCEPT and REPLACE. Declared fields that
 * are not stored are omitted.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#select_list
 */
export function expandStar(star: SelectStar, scope: Scope): readonly SelectedItem[] {
  const all = columnsOf(star, scope);
  const present = new Set(all.map(keyOf));
  const renamed = new Map(star.rename?.map(({ column, alias }) => [keyOf(column), alias.name]));
  const columns = star.rename?.map(({ column }) => column) ?? [];
  for (const name of [
    ...star.except,
    ...star.replace.flatMap(({ alias }) => alias ?? []),
    ...columns,
  ]) {
    if (!present.has(keyOf(name))) throw missingColumn(name, all);
  }
  const excepted = new Set(star.except.map(keyOf));
  // Reversed, so that the first of two replacements with one name wins.
  const replaced = new Map(
    star.replace
      .toReversed()
      .flatMap(({ alias, value }) => (alias ? [[keyOf(alias), value] as const] : [])),
  );
  return all
    .filter((item) => !excepted.has(keyOf(item)))
    .map((item) => {
      const replacement = replaced.get(keyOf(item));
      const name = renamed.get(keyOf(item)) ?? item.name;
      if (replacement === undefined) return { ...item, name };
      return { ...item, name, value: resolveExpression(replacement, scope) };
    });
}

/** A name in lower case: names are compared ignoring case. */
function keyOf({ name }: { readonly name: string }): string {
  return name.toLowerCase();
}

function columnsOf(star: SelectStar, scope: Scope): readonly SelectedItem[] {
  if (star.of === undefined) {
    if (scope.ranges.length === 0) {
      throw new QueryFault('SELECT * must have a FROM clause', star.at);
    }
    return scope.ranges.flatMap((range) => rangeItems(range, star.at));
  }
  const { of } = star;
  const name = of.kind === 'path' && of.parts.length === 1 ? of.parts[0] : undefined;
  const range = name && findRange(name.name, scope);
  if (range !== undefined && range.element === undefined) return rangeItems(range, star.at);
  return fieldItems(resolveExpression(of, scope), star.at);
}

function rangeItems(range: Range, at: number): readonly SelectedItem[] {
  const columns = range.columns
    .filter(({ isAbsent }) => !isAbsent)
    .map((column) => ({ name: column.name, value: columnValue(column), at }));
  const { element } = range;
  const own = element === undefined ? [] : elementItems(element, at);
  return [...own, ...columns].filter(({ name }) => !range.hidden?.has(name.toLowerCase()));
}

function elementItems(element: Column, at: number): readonly SelectedItem[] {
  const value = columnValue(element);
  return element.type.kind === 'STRUCT'
    ? fieldItems(value, at)
    : [{ name: element.name, value, at }];
}

/** The stored fields of a record. @throws QueryFault for a value of another type */
export function fieldItems(value: BoundExpression, at: number): readonly SelectedItem[] {
  const { type } = value;
  if (type.kind !== 'STRUCT') {
    const message = `Dot-star is not supported for type ${shortTypeName(type)}`;
    throw new QueryFault(message, at);
  }
  return type.fields.flatMap(({ name, stored }, index): readonly SelectedItem[] =>
    stored ? [{ name, value: fieldAt(value, index), at }] : [],
  );
}

function missingColumn(name: Identifier, items: readonly SelectedItem[]): QueryFault {
  const near = didYouMean(
    name.name,
    items.map((item) => item.name),
  );
  const message = `Column ${shortName(name.name)} in SELECT * EXCEPT or REPLACE list does not exist${near}`;
  return new QueryFault(message, name.at);
}
