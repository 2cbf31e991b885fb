import { QueryFault } from '../../errors/query-fault.js';
import {
  allFrom,
  binaryNode,
  callNode,
  int64Node,
  logicalNode,
  pathNode,
  queryNode,
  quotedName,
  selectNode,
  starNode,
  testNode,
  textNode,
} from '../syntax/make-nodes.js';
import type { Expression, Query, SelectItem, TableReference } from '../syntax/tree.js';
import { chartParts } from './chart-to-tree.js';
import { fieldCondition } from './field-to-tree.js';
import { quoteForMessage } from './lql-cursor.js';
import { findColumn, type LqlRange, type LqlScope, type LqlTable } from './lql-scope.js';
import type { Lql, LqlFilter, LqlPath, LqlSelect, LqlText, LqlWord } from './lql-tree.js';
import { firstValue, identifier, neededColumn } from './path-to-tree.js';
import { timeCondition } from './time-to-tree.js';

/**
 * The second stage of LQL: translates clauses into the syntax tree of a SELECT, with offsets in the
 * LQL query. Unknown tables and paths become part of the tree; later stages report them.
 * @throws QueryFault for a test that the type of its field does not support
 */
export function lqlToTree(lql: Lql, scope: LqlScope): Query {
  const name = lql.from ?? defaultTable(scope);
  const table = findTable(scope, name.text);
  if (table === undefined) return queryNode(allFrom(tableNode(name)));
  const range: LqlRange = { ...table, alias: freeAlias(name.text, lql, table) };
  const where = logicalNode(
    'AND',
    lql.filters.map((filter) => filterCondition(filter, range)),
  );
  const alias = identifier({ text: range.alias, at: name.at });
  const from = { ...tableNode(name), ...(range.alias !== name.text && { alias }) };
  const body = { from, ...(where && { where }) };
  if (lql.chart !== undefined) {
    const { orderBy, ...parts } = chartParts(lql.chart, range);
    return queryNode(selectNode({ ...body, ...parts, at: 0 }), orderBy);
  }
  return queryNode(selectNode({ ...body, items: toItems(lql, range), at: 0 }), newestFirst(range));
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

function tableNode(name: LqlWord): TableReference {
  return { kind: 'table', path: [identifier(name)], at: name.at };
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

function filterCondition(filter: LqlFilter, range: LqlRange): Expression {
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
  const column = neededColumn(range, 'event_message', { what: 'A text search', at });
  const args = [column.value, textNode(value)];
  const condition = isPattern
    ? callNode('REGEXP_CONTAINS', args, at)
    : binaryNode('>', callNode('STRPOS', args, at), int64Node(0, at));
  return negated ? testNode(condition, 'TRUE', true) : condition;
}

const defaultColumns: readonly string[] = ['id', 'timestamp', 'event_message', 'metadata'];

function toItems(lql: Lql, range: LqlRange): readonly SelectItem[] {
  if (lql.select.length > 0) {
    refuseDuplicates(lql.select, range);
    return lql.select.map((item) => toItem(item, range));
  }
  const columns = defaultColumns.flatMap((name) => findColumn(range, name) ?? []);
  if (columns.length === 0) return [starNode(0)];
  return columns.map(({ name }) => {
    const path = { parts: [{ text: name, at: 0 }], at: 0 };
    return toItem({ kind: 'select', path, at: 0 }, range);
  });
}

/** Returns an item of SELECT, with an alias because a value from an array has no implied name. */
function toItem({ path, alias, at }: LqlSelect, range: LqlRange): SelectItem {
  if (path === undefined) return starNode(at);
  const name = alias ?? { text: outputName(path), at: path.at };
  return { kind: 'item', value: firstValue(path, range), alias: identifier(name), at };
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
