import type { Type } from '../../types/types.js';
import { holdsText } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { hasWindow, isRepeatable } from '../bound/search.js';
import type { DuckExpression, DuckOrder, DuckQuery, DuckSelect } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { failsOnData } from '../duckdb-sql/fails-on-data.js';
import { jsonAsText, jsonObject } from '../duckdb-sql/json-object.js';
import { canRedactAsJson } from '../duckdb-sql/redact-value.js';
import { collectAliases } from '../duckdb-sql/tables-of.js';
import { letBe } from '../duckdb-sql/variable.js';
import { holdsSubquery } from './lower-condition.js';
import { lowerExpression } from './lower-expression.js';
import type { Lowering } from './lowering.js';
import { tieValue } from './tie-value.js';

/** The {@link tieValue} of a key that may be an output column. */
export function changedKey(
  key: bound.Order,
  body: bound.Query['body'],
  lowering: Lowering,
): DuckExpression {
  const { value, type } = shownBy(key, body, lowering);
  return tieValue(value, type, lowering);
}

/** The original value of a key, and its type. */
function shownBy({ value }: bound.Order, body: bound.Query['body'], lowering: Lowering): Shown {
  const items = body.kind === 'select' && !body.distinct ? body.items : [];
  const id = value.kind === 'column' ? value.column.id : undefined;
  const shown = items.find(({ column }) => column.id === id)?.value ?? value;
  return { value: lowerExpression(shown, lowering), type: shown.type };
}

interface Shown {
  readonly value: DuckExpression;
  readonly type: Type;
}

type Lowered = Pick<DuckQuery, 'body' | 'orderBy'>;

/**
 * Chooses the first stored records in order of time from the records that have one of the first times, so that the columns
 * that decide between ties are read and redacted only for these.
 * `… order by ts, id, metadata limit 9` -> `… where ts in (select ts … order by ts limit 9) order by ts, id, metadata limit 9`
 */
export function amongFirstTimes(query: bound.Query, lowered: Lowered, lowering: Lowering): Lowered {
  const { body } = lowered;
  const [key] = lowered.orderBy;
  const rows = rowsOf(query);
  if (!d.isBlock(body) || key === undefined || rows === undefined || !isByTime(query))
    return lowered;
  // The conditions are written twice: they must not fail or contain a query.
  if (body.where.some((one) => failsOnData(one) || holdsSubquery(one))) return lowered;
  const time = { ...key, value: valueOfKey(key, body) };
  const few = withAmong(body, { keys: [time], value: time.value, rows }, lowering);
  return { body: few, orderBy: redactedIfTied(query, { ...lowered, body: few }, lowering) };
}

/**
 * Redacts the tie-breaking keys of the first records only if there may be ties: if two records have equal values of the first
 * tie-breaking key, or redaction may change one. Redacting costs more than finding the records.
 * `order by ts, redact(id), redact(a), redact(b)` ->
 * `order by ts, case when tied then redact(id) else id end, case when tied then redact_row({a, b}) end`
 */
function redactedIfTied(
  query: bound.Query,
  { body, orderBy }: { readonly body: DuckSelect; readonly orderBy: readonly DuckOrder[] },
  lowering: Lowering,
): readonly DuckOrder[] {
  const [time] = orderBy;
  const [, ...keys] = query.orderBy;
  const [first, ...others] = keys.map((key) => shownBy(key, query.body, lowering));
  const isTie =
    keys.every((key) => key.isTieBreaker) &&
    lowering.redact &&
    keys[0] &&
    holdsText(keys[0].value.type);
  if (!isTie || time === undefined || first?.type.kind !== 'STRING') return orderBy;
  const columns = others.map(({ type, value }, index) => ({ name: `k${index + 1}`, type, value }));
  if (!canRedactAsJson(columns)) return orderBy;
  const tied = mayBeTied(body, first.value, lowering);
  const ascending = (value: DuckExpression) => ({ value, descending: false });
  const redacted = ascending(d.choose(tied, apart('redact', first.value), first.value));
  if (others.length === 0) return [time, redacted];
  const rest = d.choose(tied, apart('redact_row', jsonAsText(jsonObject(columns))));
  return [time, redacted, ascending(rest)];
}

/** Calls a macro in a lambda, because the engine then compiles its patterns only if the lambda runs. */
function apart(name: string, value: DuckExpression): DuckExpression {
  return letBe(value, 'text', d.macro(name, { kind: 'name', name: 'text' }));
}

/** Whether two rows of a block may have the same value of a key after redaction. */
function mayBeTied(body: DuckSelect, key: DuckExpression, { newAlias }: Lowering): DuckExpression {
  const values = { ...d.call('count', key), distinct: true };
  const isChanged = d.call('bool_or', d.macro('may_hold_address', key));
  const value = d.infix('OR', d.infix('<', values, d.countOfRows), isChanged);
  const items = [{ name: 'tied', value }];
  const query = d.queryOf({ ...body, items });
  const names = new Map([...collectAliases(query)].map((alias) => [alias, newAlias()]));
  return { kind: 'subquery', form: 'SCALAR', query: withAliases(query, names) };
}

/**
 * Keeps the first rows, and all rows that equal one of them in the keys.
 * `select a from t order by b limit 9`, with ties -> `select a from t where b in (select b from t order by b limit 9)`
 */
export function keepTies(query: bound.Query, lowered: Lowered, lowering: Lowering): Lowered {
  const { body, orderBy } = lowered;
  const rows = rowsOf(query);
  if (!d.isBlock(body) || rows === undefined) {
    throw new Error('ties are kept in one block with a number of rows');
  }
  const keys = orderBy.map((key) => ({ ...key, value: valueOfKey(key, body) }));
  const fields = keys.map(({ value }, index) => ({ name: `k${index + 1}`, value }));
  // Structs with the same fields are equal, even if the fields are NULL.
  const whole: DuckExpression = { kind: 'struct', fields };
  const value = query.withTies === 'time' ? (keys[0]?.value ?? whole) : whole;
  return { body: withAmong(body, { keys, value, rows }, lowering), orderBy: [] };
}

interface First {
  readonly keys: readonly DuckOrder[];
  /** The keys as one value. */
  readonly value: DuckExpression;
  readonly rows: number;
}

/** Adds the condition that a row's keys equal those of one of the first rows. */
function withAmong(
  body: DuckSelect,
  { keys, value, rows }: First,
  { newAlias }: Lowering,
): DuckSelect {
  const items = [{ name: 'key', value }];
  const first = { ...d.queryOf({ ...body, items }), orderBy: keys, limit: d.integer(rows) };
  const names = new Map([...collectAliases(body)].map((alias) => [alias, newAlias()]));
  const among: DuckExpression = {
    kind: 'subquery',
    form: 'IN',
    operand: value,
    query: withAliases(first, names),
  };
  // Conditions with queries are checked in the answer again, and could fail on rows that other conditions remove.
  const where = body.where.filter((one) => !holdsSubquery(one));
  return { ...body, where: [...where, among] };
}

/** Copies a node with other aliases: the passes tell tables apart by alias, and blocks by identity. */
function withAliases<T>(node: T, names: ReadonlyMap<string, string>): T {
  if (Array.isArray(node)) return node.map((part) => withAliases(part, names)) as T;
  if (typeof node !== 'object' || node === null) return node;
  const isColumn = 'kind' in node && node.kind === 'column';
  const entries = Object.entries(node).map(([key, part]) => {
    const isAlias = key === 'alias' || (isColumn && key === 'table');
    const name = isAlias && typeof part === 'string' ? names.get(part) : undefined;
    return [key, name ?? withAliases(part, names)];
  });
  return Object.fromEntries(entries) as T;
}

function valueOfKey({ value }: DuckOrder, { items }: DuckSelect): DuckExpression {
  return typeof value === 'number' ? (items[value - 1]?.value ?? d.nullValue) : value;
}

function rowsOf({ limit, offset }: bound.Query): number | undefined {
  const counts = [limit, offset].map((count) => {
    if (count === undefined) return 0;
    return count.kind === 'literal' ? Number(count.value) : Number.NaN;
  });
  const rows = counts.reduce((one, other) => one + other, 0);
  return limit !== undefined && Number.isSafeInteger(rows) ? rows : undefined;
}

/** Whether a query orders single records by their time, which is never NULL, and then by other columns. */
function isByTime(query: bound.Query): boolean {
  const { body, orderBy } = query;
  const [key] = orderBy;
  if (body.kind !== 'select' || body.distinct || body.grouping !== undefined) return false;
  if (body.qualify !== undefined || body.items.some(({ value }) => hasWindow(value))) return false;
  if (orderBy.length < 2) return false;
  return key?.value.kind === 'column' && isTime(key.value.column.id, body) && isRepeatable(query);
}

/** Whether an output column or a column of FROM is the time of a source's records. */
function isTime(id: number, { items, from }: bound.Select): boolean {
  const value = items.find(({ column }) => column.id === id)?.value;
  if (value !== undefined) return value.kind === 'column' && isTimeIn(value.column.id, from);
  return isTimeIn(id, from);
}

function isTimeIn(id: number, from: bound.From): boolean {
  if (from.kind === 'unnest') return isTimeIn(id, from.left);
  if (from.kind === 'source') {
    return from.columns.some((column) => column.id === id && column.name === 'timestamp');
  }
  if (from.kind !== 'cte' && from.kind !== 'derived') return false;
  const { body, columns } = from.kind === 'cte' ? from.cte.query : from.query;
  const inner = columns[from.columns.findIndex((column) => column.id === id)];
  if (inner === undefined || body.kind !== 'select' || body.grouping !== undefined) return false;
  return isTime(inner.id, body);
}
