import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { scalar } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import type { NameMatch } from '../syntax/names.js';
import type { SetOperation } from '../syntax/tree.js';
import type { StatementScope } from './scope.js';

/**
 * Rewrites the resolved operands of a set operation BY NAME to have the columns of the result in the same order, and
 * returns the operands of any other set operation:
 * `select 1 as a union all by name …` -> `select 1 as a, null as b union all …`
 * @throws QueryFault for value tables, unnamed or duplicate columns, and columns that do not match
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#set_operators
 */
export function matchColumns(
  node: SetOperation,
  operands: readonly bound.Query[],
  newColumn: StatementScope['newColumn'],
): readonly bound.Query[] {
  const { match } = node;
  if (match === undefined) return operands;
  const tables = operands.map((query, index) => {
    return { query, columns: columnsByName(query, node.operands[index]?.at ?? node.at) };
  });
  const names = match.columns?.map(({ name }) => name) ?? matchedNames(tables, match.mode);
  const isCommon = (name: string) => tables.every(({ columns }) => columns.has(name.toLowerCase()));
  if (match.mode !== 'FULL' && !names.some(isCommon)) {
    throw new QueryFault(`Queries in ${node.operator} BY NAME have no column in common`, node.at);
  }
  const required = { STRICT: tables, INNER: tables, LEFT: tables.slice(0, 1), FULL: [] };
  for (const { query, columns } of required[match.mode]) {
    const missing = names.find((name) => !columns.has(name.toLowerCase()));
    if (missing !== undefined) throw notFound(missing, query.at);
  }
  if (match.mode === 'STRICT' && match.columns === undefined) {
    const all = tables.flatMap(({ query }) => query.columns);
    const extra = all.find(({ name }) => !tables[0]?.columns.has(name.toLowerCase()));
    if (extra !== undefined) throw notFound(extra.name, node.at);
  }
  return tables.map((table) => arrange(table, names, newColumn));
}

/** An operand and its columns by name in lower case. */
interface Table {
  readonly query: bound.Query;
  readonly columns: ReadonlyMap<string, bound.Column>;
}

function notFound(name: string, at: number): QueryFault {
  const message = `Column ${shortName(name)} is not in every query of the set operation BY NAME: FULL or LEFT fills it with NULL, INNER leaves it out`;
  return new QueryFault(message, at);
}

function columnsByName(query: bound.Query, at: number): ReadonlyMap<string, bound.Column> {
  if (query.isValue) {
    throw new QueryFault('BY NAME and CORRESPONDING do not support value tables', at);
  }
  const columns = new Map<string, bound.Column>();
  for (const column of query.columns) {
    const key = column.name.toLowerCase();
    if (key === '' || columns.has(key)) {
      const what = key === '' ? 'a column without a name' : `two columns ${shortName(column.name)}`;
      throw new QueryFault(`A query of a set operation BY NAME has ${what}`, at);
    }
    columns.set(key, column);
  }
  return columns;
}

function matchedNames(tables: readonly Table[], mode: NameMatch['mode']): readonly string[] {
  const first = tables[0]?.query.columns.map(({ name }) => name) ?? [];
  if (mode === 'INNER') {
    return first.filter((name) => tables.every(({ columns }) => columns.has(name.toLowerCase())));
  }
  if (mode !== 'FULL') return first;
  const all = new Map<string, string>();
  for (const { name } of tables.flatMap(({ query }) => query.columns)) {
    if (!all.has(name.toLowerCase())) all.set(name.toLowerCase(), name);
  }
  return [...all.values()];
}

/**
 * Rewrites an operand to have these columns. A plain SELECT keeps its own items, because literals have more
 * conversions.
 */
function arrange(
  { query, columns }: Table,
  names: readonly string[],
  newColumn: StatementScope['newColumn'],
): bound.Query {
  const { body, at } = query;
  const isSame = names.length === columns.size;
  if (isSame && names.every((name, i) => columns.get(name.toLowerCase()) === query.columns[i])) {
    return query;
  }
  if (body.kind === 'select' && !body.distinct && query.orderBy.length === 0) {
    const own = new Map(body.items.map((item) => [item.column.id, item]));
    const items = names.map((name): bound.Item => {
      return own.get(columns.get(name.toLowerCase())?.id ?? -1) ?? nullItem(name, newColumn);
    });
    return bound.withItems(query, { ...body, items });
  }
  const copies = query.columns.map(({ name, type }) => newColumn(name, type));
  const copiesByName = new Map(copies.map((column) => [column.name.toLowerCase(), column]));
  const items = names.map((name): bound.Item => {
    const copy = copiesByName.get(name.toLowerCase());
    if (copy === undefined) return nullItem(name, newColumn);
    return { column: newColumn(copy.name, copy.type), value: bound.columnValue(copy) };
  });
  return bound.selectQuery(items, { kind: 'derived', query, columns: copies }, { at });
}

function nullItem(name: string, newColumn: StatementScope['newColumn']): bound.Item {
  const value = { kind: 'literal', value: null, type: scalar('INT64') } as const;
  return { column: newColumn(name, value.type), value };
}
