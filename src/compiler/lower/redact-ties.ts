import type { BoundFrom, BoundOrder, BoundQuery, BoundSelect } from '../bound/bound.js';
import { hasWindow, isRepeatable } from '../bound/search.js';
import type { DuckExpression, DuckQuery } from '../duckdb-sql/duckdb-sql.js';
import { integer } from '../duckdb-sql/duckdb-sql.js';
import { holdsText, redactValue } from '../duckdb-sql/redact-value.js';
import { lowerExpression } from './lower-expression.js';
import type { Lowering } from './lowering.js';

/** Whether a key decides between ties by texts that a caller sees redacted. */
export function isRedactedKey({ value, isTieBreaker }: BoundOrder, { redact }: Lowering): boolean {
  return redact && isTieBreaker === true && holdsText(value.type);
}

/** Such a key, redacted: the order of ties must not show that of the originals. */
export function redactedKey(
  { value }: BoundOrder,
  body: BoundQuery['body'],
  lowering: Lowering,
): DuckExpression {
  const items = body.kind === 'select' && !body.distinct ? body.items : [];
  const id = value.kind === 'column' ? value.column.id : undefined;
  const shown = items.find(({ column }) => column.id === id)?.value ?? value;
  return redactValue(lowerExpression(shown, lowering), shown.type);
}

type Lowered = Pick<DuckQuery, 'body' | 'orderBy'>;

/**
 * The first rows in order of time, chosen from those that have one of the first times, so that no others are redacted.
 * `… order by ts, redact(id) limit 9` -> `… where ts in (select ts … order by ts limit 9) order by ts, redact(id) limit 9`
 */
export function amongFirstTimes(query: BoundQuery, lowered: Lowered, lowering: Lowering): Lowered {
  const { body } = lowered;
  const [key] = lowered.orderBy;
  const rows = rowsOf(query);
  const isSelect = 'kind' in body && body.kind === 'select';
  if (!isSelect || key === undefined || rows === undefined || !isByTime(query, lowering))
    return lowered;
  const operand = typeof key.value === 'number' ? body.items[key.value - 1]?.value : key.value;
  if (operand === undefined) return lowered;
  const first: DuckQuery = {
    ctes: [],
    body: { ...body, items: [{ name: 'time', value: operand }] },
    orderBy: [{ ...key, value: 1 }],
    limit: integer(rows),
  };
  const among = { kind: 'subquery', form: 'IN', operand, query: first } as const;
  return { ...lowered, body: { ...body, where: [...body.where, among] } };
}

function rowsOf({ limit, offset }: BoundQuery): number | undefined {
  const counts = [limit, offset].map((count) => {
    if (count === undefined) return 0;
    return count.kind === 'literal' ? Number(count.value) : Number.NaN;
  });
  const rows = counts.reduce((one, other) => one + other, 0);
  return limit !== undefined && Number.isSafeInteger(rows) ? rows : undefined;
}

/** Whether a query orders single records by their time, which is never NULL, and ties by redacted texts. */
function isByTime(query: BoundQuery, lowering: Lowering): boolean {
  const { body, orderBy } = query;
  const [key] = orderBy;
  if (body.kind !== 'select' || body.distinct || body.grouping !== undefined) return false;
  if (body.qualify !== undefined || body.items.some(({ value }) => hasWindow(value))) return false;
  if (!orderBy.some((item) => isRedactedKey(item, lowering))) return false;
  return key?.value.kind === 'column' && isTime(key.value.column.id, body) && isRepeatable(query);
}

/** Whether a column that a block shows or reads is the time of a source's records. */
function isTime(id: number, { items, from }: BoundSelect): boolean {
  const value = items.find(({ column }) => column.id === id)?.value;
  if (value !== undefined) return value.kind === 'column' && isTimeIn(value.column.id, from);
  return isTimeIn(id, from);
}

function isTimeIn(id: number, from: BoundFrom): boolean {
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
