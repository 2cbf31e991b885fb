import type { Type } from '../../types/types.js';
import { holdsRecord, holdsText } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { call, type DuckExpression, text } from '../duckdb-sql/duckdb-sql.js';
import { orderFields } from '../duckdb-sql/order-fields.js';
import { redactDuckValue } from '../duckdb-sql/redact-value.js';
import type { Lowering } from './lowering.js';

/** Whether a key decides between ties by a value other than its own. */
export function isChangedKey({ value, isTieBreaker }: bound.Order, { redact }: Lowering): boolean {
  return isTieBreaker === true && ((redact && holdsText(value.type)) || holdsRecord(value.type));
}

/**
 * The value by which a key decides between ties. It is redacted if the answer is, so that the order of ties does not
 * reveal the order of the original strings. Records are compared by the bytes of the engine's sort key, because a record
 * as a key takes memory for each field; with the fields in order of name, so that those that only other records have do
 * not matter.
 */
export function tieValue(value: DuckExpression, type: Type, { redact }: Lowering): DuckExpression {
  const shown = redact ? redactDuckValue(value, type) : value;
  if (!holdsRecord(type)) return shown;
  return call('create_sort_key', orderFields(shown, type), text('ASC NULLS FIRST'));
}
