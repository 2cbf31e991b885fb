import * as bound from '../../compiler/bound/bound.js';
import { mapQueries } from '../../compiler/bound/map-expression.js';
import { redactMatches } from '../../compiler/bound/redact-matches.js';
import { holdsText } from '../../types/types.js';
import { fieldUses, noUses } from './field-uses.js';
import { type NewColumn, redactBoundValue } from './redact-value.js';

/** The options of redacting a statement. */
export interface RedactOptions {
  /** The CTEs of the endpoint, for a caller's query. */
  readonly stored: readonly bound.Cte[] | undefined;
  /** The first unused id of columns and CTEs. */
  readonly nextId: number;
}

/**
 * Redacts personal data in the answer of a statement. A stored query also matches parameters against redacted values
 * only, and a caller's query reads redacted rows of the endpoint's CTEs only.
 */
export function redactStatement(
  statement: bound.Query,
  { stored, nextId }: RedactOptions,
): bound.Query {
  let free = nextId;
  const newColumn: NewColumn = (type) => ({ id: free++, name: '', type, isLogField: false });
  const ids = new Set(stored?.map(({ id }) => id));
  const redacted =
    stored === undefined
      ? redactedMatches(statement, newColumn)
      : redactCtes(statement, ids, newColumn);
  return redactAnswer(redacted, newColumn);
}

function redactedMatches(query: bound.Query, newColumn: NewColumn): bound.Query {
  return redactMatches(query, { redact: (value) => redactBoundValue(value, newColumn), newColumn });
}

/**
 * `with web as (…) select id from web` ->
 * `with web as (…), web_2 as (select redact(id) as id, … from web) select id from web_2`
 */
function redactCtes(
  statement: bound.Query,
  stored: ReadonlySet<number>,
  newColumn: NewColumn,
): bound.Query {
  const own = { ...statement, ctes: statement.ctes.filter(({ id }) => !stored.has(id)) };
  const redacted = new Map<number, bound.Cte>();
  const ctes = statement.ctes.flatMap((cte): readonly bound.Cte[] => {
    if (!stored.has(cte.id)) return [];
    const query = redactedMatches(cte.query, newColumn);
    const original = { ...cte, query };
    const shown = redactCte(original, own, newColumn);
    redacted.set(cte.id, shown);
    return [original, shown];
  });
  const read = mapQueries(own, {
    from: (item) => {
      const cte = item.kind === 'cte' ? redacted.get(item.cte.id) : undefined;
      return item.kind === 'cte' && cte !== undefined ? { ...item, cte } : item;
    },
  });
  return { ...read, ctes: [...ctes, ...read.ctes] };
}

function redactCte(cte: bound.Cte, reader: bound.Query, newColumn: NewColumn): bound.Cte {
  const uses = fieldUses(reader, cte.id);
  const read = cte.query.columns.map(({ type }) => newColumn(type));
  const items = read.map((column, index): bound.Item => {
    const used = uses[index] ?? noUses();
    const value = redactBoundValue(bound.columnValue(column), newColumn, used);
    return { column: newColumn(column.type), value };
  });
  const { id } = newColumn({ kind: 'BOOL' });
  const rows = bound.selectQuery(items, { kind: 'cte', cte, columns: read });
  const query = { ...rows, isValue: cte.query.isValue };
  return { id, name: cte.name, query };
}

/**
 * Wraps the statement in a query that redacts its rows and keeps their order, with the sort keys as extra columns
 * inside. The CTEs stay outside: BigQuery allows recursive CTEs only there.
 */
function redactAnswer({ ctes, ...statement }: bound.Query, newColumn: NewColumn): bound.Query {
  const { columns } = statement;
  if (!columns.some(({ type }) => holdsText(type))) return { ...statement, ctes };
  const { query: inner, keys } = withKeys({ ...statement, ctes: [] }, newColumn);
  const read = inner.columns.map(({ type }) => newColumn(type));
  const items = columns.map((column, index): bound.Item => {
    const value = redactBoundValue(bound.columnValue(read[index] ?? column), newColumn);
    return { column: { ...column, id: newColumn(column.type).id }, value };
  });
  const orderBy = statement.orderBy.map((key, index) => {
    const column = read[keys[index] ?? -1];
    if (column === undefined) throw new Error('an order without its column');
    return { ...key, value: bound.columnValue(column) };
  });
  return {
    ...bound.selectQuery(items, { kind: 'derived', query: inner, columns: read }),
    ctes,
    orderBy,
  };
}

/** Adds the keys that are not columns of the answer; `keys` has the index of the column of each key. */
function withKeys(statement: bound.Query, newColumn: NewColumn) {
  const isBare = statement.body.kind === 'select' && !statement.body.distinct;
  const hasOthers = statement.orderBy.some(({ value }) => value.kind !== 'column');
  // DISTINCT and set operations cannot have extra columns.
  const items = statement.columns.map((column): bound.Item => {
    return { column: newColumn(column.type), value: bound.columnValue(column) };
  });
  const query = hasOthers && !isBare ? bound.overRows(statement, items) : statement;
  const { body } = query;
  const columns = [...query.columns];
  const added: bound.Item[] = [];
  const keys = query.orderBy.map(({ value }) => {
    const id = value.kind === 'column' ? value.column.id : undefined;
    const index = columns.findIndex((column) => column.id === id);
    if (index >= 0) return index;
    const column: bound.Column = newColumn(value.type);
    added.push({ column, value });
    return columns.push(column) - 1;
  });
  if (added.length === 0) return { query, keys };
  if (body.kind !== 'select') throw new Error('a set operation is ordered by its columns');
  const all = [...body.items, ...added];
  return { query: { ...query, body: { ...body, items: all, columns }, columns }, keys };
}
