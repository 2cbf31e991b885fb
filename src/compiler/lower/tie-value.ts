import type { Type } from '../../types/types.js';
import { holdsRecord, holdsText } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { call, type DuckExpression, macro, text } from '../duckdb-sql/duckdb-sql.js';
import { orderedType, orderFields } from '../duckdb-sql/order-fields.js';
import { canRedactAsJson, redactDuckValue } from '../duckdb-sql/redact-value.js';
import { jsonText, textLayout } from '../functions/json-text.js';
import type { Lowering } from './lowering.js';

/** Whether a key decides between ties by a value other than its own. */
export function isChangedKey({ value, isTieBreaker }: bound.Order, { redact }: Lowering): boolean {
  return isTieBreaker === true && ((redact && holdsText(value.type)) || holdsRecord(value.type));
}

/**
 * The value by which a key decides between ties. It is redacted if the answer is, so that the order of ties does not
 * reveal the order of the original strings. Records are compared by the engine's sort key: sorting by a record itself
 * takes memory for each field. Their fields are put in order of name first, so that the order in other projects' lines
 * decides nothing.
 */
export function tieValue(value: DuckExpression, type: Type, lowering: Lowering): DuckExpression {
  if (lowering.redact || !holdsRecord(type)) return choiceValue(value, type, lowering);
  return call('create_sort_key', orderFields(value, type), text('ASC NULLS FIRST'));
}

/**
 * The {@link tieValue} of an aggregate. Its rows may have nothing else that decides, such as an id, so records are
 * compared as JSON, which is the same in every layout. It takes twice as long as a sort key, but redacting it is much
 * faster than redacting a record.
 */
export function choiceValue(value: DuckExpression, type: Type, { redact }: Lowering) {
  const isText = holdsRecord(type) && canRedactAsJson([{ name: '', type }]);
  const shown = redact && !isText ? redactDuckValue(value, type) : value;
  if (!holdsRecord(type)) return shown;
  const layout = { ...textLayout, isStored: true };
  const json = jsonText(orderFields(shown, type), orderedType(type), layout);
  return redact && isText ? macro('redact_row', json) : json;
}
