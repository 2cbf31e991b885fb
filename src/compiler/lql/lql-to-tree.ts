import { QueryFault } from '../../errors/query-fault.js';
import {
  binaryOf,
  callOf,
  integerOf,
  pathNode,
  queryNode,
  quotedName,
  selectNode,
} from '../syntax/make-nodes.js';
import type { Expression, FromItem, Query, SelectItem } from '../syntax/tree.js';
import { chartParts } from './chart-to-tree.js';
import { fieldCondition } from './field-to-tree.js';
import { quoteForMessage } from './lql-cursor.js';
import { findColumn, type LqlRange, type LqlScope, type LqlTable } from './lql-scope.js';
import type { Lql, LqlFilter, LqlPath, LqlSelect, LqlText, LqlWord } from './lql-tree.js';
import { andNode, identifier, isNotTrue, textNode } from './make-nodes.js';
import { firstValue } from './path-to-tree.js';
import { timeCondition } from './time-to-tree.js';

/**
 * The second stage of LQL: translates clauses into the syntax tree of a SELECT, with offsets in the
 * LQL query. Unknown tables and paths become part of the tree; later stages report them.
 * @throws QueryFault for a test that the type of its field does not support
 */
export function lqlToTree(lql: Lql, scope: LqlScope): Query {
  const name = lql.from ?? defaultTable(scope);
  const table = findTable(scope, name.text);
  if (table === undefined) return unknownTable(name);
  const range: LqlRange = { ...table, alias: freeAlias(name.text, lql, table) };
  const where = andNode(lql.filters.map((filter) => conditionOf(filter, range)));
  const body = { from: fromOf(name, range), ...(where === undefined ? {} : { where }) };
  if (lql.chart !== undefined) {
    const { orderBy, ...parts } = chartParts(lql.chart, range);
    return queryNode(selectNode({ ...body, ...parts, at: 0 }), orderBy);
  }
  return queryNode(selectNode({ ...body, items: itemsOf(lql, range), at: 0 }), newestFirst(range));
}

function defaultTable({ defaultTable: text }: LqlScope): LqlWord {
  if (text !== undefined) return { text, at: 0 };
  throw new QueryFault('The query needs an f: clause: the endpoint has no default table', 0);
}

/** Finds a table by name; of several with the same name, the last is the innermost. */
function findTable({ tables }: LqlScope, name: string): LqlTable | undefined {
  const wanted = name.toLowerCase();
  return tables.findLast((table) => table.name.toLowerCase() === wanted);
}

function unknownTable(name: LqlWord): Query {
  const from: FromItem = { kind: 'table', path: [identifier(name)], at: name.at };
  return queryNode(selectNode({ items: [starOf(0)], from, at: 0 }));
}

function fromOf(name: LqlWord, { alias }: LqlRange): FromItem {
  const { at } = name;
  const table: FromItem = { kind: 'table', path: [identifier(name)], at };
  return alias === name.text ? table : { ...table, alias: identifier({ text: alias, at }) };
}

/** An alias for the table: its own name, or a generated one if a column or alias already has that name. */
function freeAlias(name: string, lql: Lql, { columns }: LqlTable): string {
  const paths = [...lql.select, ...lql.filters, lql.chart?.aggregate].flatMap((node) =>
    node !== undefined && 'path' in node && node.path !== undefined ? [node.path] : [],
  );
  const taken = new Set(
    [
      ...columns.map((column) => column.name),
      ...paths.flatMap((path) => [path.parts[0]?.text ?? '', outputName(path)]),
      ...lql.select.flatMap(({ alias }) => alias?.text ?? []),
    ].map((word) => word.toLowerCase()),
  );
  // Unlike any other name, so that error messages never suggest it.
  let alias = name;
  for (let n = 1; taken.has(alias.toLowerCase()); n++) alias = `row_of_the_table_${n}`;
  return alias;
}

function outputName({ parts }: LqlPath): string {
  return parts.at(-1)?.text ?? '';
}

function conditionOf(filter: LqlFilter, range: LqlRange): Expression {
  switch (filter.kind) {
    case 'text':
      return textCondition(filter, range);
    case 'time':
      return timeCondition(filter, range);
    case 'field':
      return fieldCondition(filter, range);
  }
}

function textCondition(filter: LqlText & { readonly negated: boolean }, range: LqlRange) {
  const { value, isPattern, negated, at } = filter;
  const column = findColumn(range, 'event_message');
  if (column === undefined) {
    const message = `A text search needs a column event_message, which ${range.name} does not have`;
    throw new QueryFault(message, at);
  }
  const args = [
    pathNode(quotedName(range.alias, at), quotedName(column.name, at)),
    textNode(value),
  ];
  const condition = isPattern
    ? callOf('REGEXP_CONTAINS', args, at)
    : binaryOf('>', callOf('STRPOS', args, at), integerOf(0, at));
  return negated ? isNotTrue(condition) : condition;
}

const defaultColumns: readonly string[] = ['id', 'timestamp', 'event_message', 'metadata'];

function itemsOf(lql: Lql, range: LqlRange): readonly SelectItem[] {
  if (lql.select.length > 0) {
    refuseDuplicates(lql.select, range);
    return lql.select.map((item) => itemOf(item, range));
  }
  const columns = defaultColumns.flatMap((name) => findColumn(range, name) ?? []);
  if (columns.length === 0) return [starOf(0)];
  return columns.map(({ name }) => itemOf(selectOf({ text: name, at: 0 }), range));
}

function selectOf(word: LqlWord): LqlSelect {
  return { kind: 'select', path: { parts: [word], at: word.at }, at: word.at };
}

/** Returns an item of SELECT, with an alias because a value from an array has no implied name. */
function itemOf({ path, alias, at }: LqlSelect, range: LqlRange): SelectItem {
  if (path === undefined) return starOf(at);
  const name = alias ?? { text: outputName(path), at: path.at };
  return { kind: 'item', value: firstValue(path, range), alias: identifier(name), at };
}

function starOf(at: number): SelectItem {
  return { kind: 'star', except: [], replace: [], at };
}

/** @throws QueryFault at an item that repeats a column name */
function refuseDuplicates(select: readonly LqlSelect[], range: LqlRange): void {
  const seen = new Set<string>();
  for (const { path, alias, at } of select) {
    const names =
      path === undefined
        ? range.columns.map(({ name }) => name)
        : [alias?.text ?? outputName(path)];
    for (const name of names) {
      if (seen.has(name.toLowerCase())) {
        throw new QueryFault(`Duplicate column name ${quoteForMessage(name)} in the result`, at);
      }
      seen.add(name.toLowerCase());
    }
  }
}

function newestFirst(range: LqlRange): Query['orderBy'] {
  const column = findColumn(range, 'timestamp');
  if (column === undefined) return [];
  const value = pathNode(quotedName(range.alias, 0), quotedName(column.name, 0));
  return [{ value, descending: true, at: 0 }];
}
