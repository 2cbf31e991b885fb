import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import { shortTypeName } from '../../types/type.js';
import { type BoundExpression, columnValue } from '../bound/bound.js';
import type { Identifier, SelectStar } from '../syntax/tree.js';
import { resolveExpression } from './resolve-expression.js';
import type { Item } from './resolve-select.js';
import { fieldAt, findRange, type Range, type Scope } from './scope.js';

/**
 * `*`, `t.*` or `value.*` as its columns, less those of EXCEPT and with those of REPLACE.
 * A field that is only declared is not listed.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#select_list
 */
export function expandStar(star: SelectStar, scope: Scope): readonly Item[] {
  const all = columnsOf(star, scope);
  const present = new Set(all.map(keyOf));
  for (const name of [...star.except, ...star.replace.flatMap(({ alias }) => alias ?? [])]) {
    if (!present.has(keyOf(name))) throw notThere(name, all);
  }
  const excepted = new Set(star.except.map(keyOf));
  // From the end: of two replacements of one name the first counts.
  const replaced = new Map(
    star.replace
      .toReversed()
      .flatMap(({ alias, value }) => (alias ? [[keyOf(alias), value] as const] : [])),
  );
  return all
    .filter((item) => !excepted.has(keyOf(item)))
    .map((item) => {
      const replacement = replaced.get(keyOf(item));
      if (replacement === undefined) return item;
      return { ...item, value: resolveExpression(replacement, scope) };
    });
}

/** Names are matched without letter case. */
function keyOf({ name }: { readonly name: string }): string {
  return name.toLowerCase();
}

function columnsOf(star: SelectStar, scope: Scope): readonly Item[] {
  if (star.of === undefined) {
    if (scope.ranges.length === 0) {
      throw new QueryFault('SELECT * must have a FROM clause', star.at);
    }
    return scope.ranges.flatMap((range) => rangeItems(range, star.at));
  }
  const { of } = star;
  const only = of.kind === 'path' && of.parts.length === 1 ? of.parts[0] : undefined;
  const range = only && findRange(only.name, scope);
  if (range !== undefined && range.element === undefined) return rangeItems(range, star.at);
  return fieldItems(resolveExpression(of, scope), star.at);
}

function rangeItems(range: Range, at: number): readonly Item[] {
  const columns = range.columns.map((column) => ({
    name: column.name,
    value: columnValue(column),
    at,
  }));
  const { element } = range;
  if (element === undefined)
    return columns.filter(({ name }) => !range.hidden?.has(name.toLowerCase()));
  const value = columnValue(element);
  const own =
    element.type.kind === 'STRUCT' ? fieldItems(value, at) : [{ name: element.name, value, at }];
  return [...own, ...columns];
}

function fieldItems(value: BoundExpression, at: number): readonly Item[] {
  const { type } = value;
  if (type.kind !== 'STRUCT') {
    const message = `Dot-star is not supported for type ${shortTypeName(type)}`;
    throw new QueryFault(message, at);
  }
  return type.fields.flatMap(({ name, stored }, place): readonly Item[] =>
    stored ? [{ name, value: fieldAt(value, place), at }] : [],
  );
}

function notThere(name: Identifier, items: readonly Item[]): QueryFault {
  const near = didYouMean(
    name.name,
    items.map((item) => item.name),
  );
  const message = `Column ${shortName(name.name)} in SELECT * EXCEPT or REPLACE list does not exist${near}`;
  return new QueryFault(message, name.at);
}
