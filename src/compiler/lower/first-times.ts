import { holdsText } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { isRecordTime, rowsUsed, shownValue } from '../bound/first-rows.js';
import { hasWindow, isRepeatable } from '../bound/search.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { failsOnData } from '../duckdb-sql/fails-on-data.js';
import { jsonAsText, jsonObject } from '../duckdb-sql/json-object.js';
import { collectAliases } from '../duckdb-sql/list-tables.js';
import { type DuckMapper, mapChildren, mapTree } from '../duckdb-sql/map-tree.js';
import { orderFields } from '../duckdb-sql/order-fields.js';
import { canRedactAsJson } from '../duckdb-sql/redact-value.js';
import { letBe } from '../duckdb-sql/variable.js';
import { holdsSubquery } from './lower-condition.js';
import { lowerExpression } from './lower-expression.js';
import type { Lowering } from './lowering.js';
import { tieValue } from './tie-value.js';

/** The {@link tieValue} of a key that may be an output column. */
export function changedKey(
  { value }: bound.Order,
  items: readonly bound.Item[],
  lowering: Lowering,
): d.DuckExpression {
  const shown = shownValue(value, items);
  return tieValue(lowerExpression(shown, lowering), shown.type, lowering);
}

type Lowered = Pick<d.DuckQuery, 'body' | 'orderBy'>;

/**
 * Chooses the first stored records in order of time from the records that have one of the first times, so that the
 * columns that decide between ties are read and redacted only for these.
 * `… order by ts, id, metadata limit 9` -> `… where ts in (select ts … order by ts limit 9) order by ts, id, metadata limit 9`
 */
export function amongFirstTimes(query: bound.Query, lowered: Lowered, lowering: Lowering): Lowered {
  const { body } = lowered;
  const [key] = lowered.orderBy;
  const rows = rowsUsed(query);
  if (body.kind !== 'select' || key === undefined || rows === undefined || !isByTime(query))
    return lowered;
  // The conditions are written twice: they must not fail or contain a query.
  if (body.where.some((one) => failsOnData(one) || holdsSubquery(one))) return lowered;
  const time = { ...key, value: d.keyValue(key, body.items) };
  const order = { orderBy: [time], limit: d.integer(rows) };
  const few = withAmong(body, time.value, order, lowering);
  return { body: few, orderBy: redactedIfTied(query, { ...lowered, body: few }, lowering) };
}

/**
 * Redacts the tie-breaking keys of the first records only if there may be ties: if two records have equal values of the
 * first tie-breaking key, or redaction may change one. Redacting costs more than finding the records.
 * `order by ts, redact(id), redact(a), redact(b)` ->
 * `order by ts, case when tied then redact(id) else id end, case when tied then redact_row({a, b}) end`
 */
function redactedIfTied(
  query: bound.Query,
  { body, orderBy }: { readonly body: d.DuckSelect; readonly orderBy: readonly d.DuckOrder[] },
  lowering: Lowering,
): readonly d.DuckOrder[] {
  const [time] = orderBy;
  const [, ...keys] = query.orderBy;
  const items = query.body.kind === 'select' ? query.body.items : [];
  const [first, ...others] = keys.map((key) => {
    const shown = shownValue(key.value, items);
    return { type: shown.type, value: orderFields(lowerExpression(shown, lowering), shown.type) };
  });
  const isTie =
    keys.every((key) => key.isTieBreaker) &&
    lowering.redact &&
    keys[0] &&
    holdsText(keys[0].value.type);
  if (!isTie || time === undefined || first?.type.kind !== 'STRING') return orderBy;
  const columns = others.map(({ type, value }, index) => ({ name: `k${index + 1}`, type, value }));
  if (!canRedactAsJson(columns)) return orderBy;
  const tied = mayBeTied(body, first.value, lowering);
  const ascending = (value: d.DuckExpression) => ({ value, descending: false });
  const redacted = ascending(d.choose(tied, apart('redact', first.value), first.value));
  if (others.length === 0) return [time, redacted];
  const rest = d.choose(tied, apart('redact_row', jsonAsText(jsonObject(columns))));
  return [time, redacted, ascending(rest)];
}

/** Calls a macro in a lambda, because the engine then compiles its patterns only if the lambda runs. */
function apart(name: string, value: d.DuckExpression): d.DuckExpression {
  return letBe(value, 'text', d.macro(name, d.variable('text')));
}

/** Whether two rows of a block may have the same value of a key after redaction. */
function mayBeTied(body: d.DuckSelect, key: d.DuckExpression, { newAlias }: Lowering) {
  const values = { ...d.call('count', key), distinct: true };
  const isChanged = d.call('bool_or', d.macro('may_hold_address', key));
  const value = d.infix('OR', d.infix('<', values, d.countOfRows), isChanged);
  const items = [{ name: 'tied', value }];
  const query = d.bareQuery({ ...body, items });
  const names = new Map([...collectAliases(query)].map((alias) => [alias, newAlias()]));
  return { kind: 'subquery', form: 'SCALAR', query: withAliases(query, names) } as const;
}

/**
 * Keeps the first rows, and all rows that equal one of them in the keys.
 * `select a from t order by b limit 9`, with ties -> `select a from t where b in (select b from t order by b limit 9)`
 */
export function keepTies(query: bound.Query, lowered: Lowered, lowering: Lowering): Lowered {
  const { body, orderBy } = lowered;
  const rows = rowsUsed(query);
  if (body.kind !== 'select' || rows === undefined) {
    throw new Error('ties are kept in one block with a number of rows');
  }
  const keys = orderBy.map((key) => ({ ...key, value: d.keyValue(key, body.items) }));
  const fields = keys.map(({ value }, index) => ({ name: `k${index + 1}`, value }));
  // Structs with the same fields are equal, even if the fields are NULL.
  const whole: d.DuckExpression = { kind: 'struct', fields };
  const value = query.withTies === 'time' ? (keys[0]?.value ?? whole) : whole;
  const order = { orderBy: keys, limit: d.integer(rows) };
  return { body: withAmong(body, value, order, lowering), orderBy: [] };
}

/**
 * Adds the condition that a row's keys equal those of one of the first rows.
 * @param value the keys as one value
 */
function withAmong(
  body: d.DuckSelect,
  value: d.DuckExpression,
  order: Pick<d.DuckQuery, 'orderBy' | 'limit'>,
  { newAlias }: Lowering,
): d.DuckSelect {
  const first = { ...d.bareQuery({ ...body, items: [{ name: 'key', value }] }), ...order };
  const names = new Map([...collectAliases(body)].map((alias) => [alias, newAlias()]));
  const among: d.DuckExpression = {
    kind: 'subquery',
    form: 'IN',
    operand: value,
    query: withAliases(first, names),
  };
  // Leave out conditions with sub-selects: the answer checks them again, and here they could fail on rows that other
  // conditions remove.
  const where = body.where.filter((one) => !holdsSubquery(one));
  return { ...body, where: [...where, among] };
}

/** Copies a query with other aliases: the passes tell tables apart by alias, and blocks by identity. */
function withAliases(query: d.DuckQuery, names: ReadonlyMap<string, string>): d.DuckQuery {
  const copied = <T extends d.DuckNode>(node: T): T => ({ ...mapChildren(node, mapper) });
  const renamed = (name: string) => names.get(name) ?? name;
  const mapper: DuckMapper = {
    query: copied,
    block: copied,
    from: (node) => copied(node.kind === 'join' ? node : { ...node, alias: renamed(node.alias) }),
    expression: (node) =>
      node.kind === 'column' ? { ...node, table: renamed(node.table) } : copied(node),
  };
  return mapTree(query, mapper);
}

/** Whether a query orders single records by their time, which is never NULL, and then by other columns. */
function isByTime(query: bound.Query): boolean {
  const { body, orderBy } = query;
  const [key] = orderBy;
  if (body.kind !== 'select' || body.distinct || body.grouping !== undefined) return false;
  if (body.qualify !== undefined || body.items.some(({ value }) => hasWindow(value))) return false;
  if (orderBy.length < 2) return false;
  const time = key && shownValue(key.value, body.items);
  return time !== undefined && isRecordTime(time, body.from) && isRepeatable(query);
}
