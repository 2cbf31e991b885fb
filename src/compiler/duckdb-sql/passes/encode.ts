import { holdsText } from '../../../types/types.js';
import type { DuckColumn } from '../duckdb-plan.js';
import {
  call,
  castTo,
  type DuckExpression,
  type DuckQuery,
  integer,
  isLimitedTo,
  macro,
  selectFrom,
} from '../duckdb-sql.js';
import { encodeValue, type ScalarEncoders } from '../encode-value.js';
import { isPrinted, jsonObject, type Member, printObject, textOf } from '../json-object.js';
import { jsonToText } from '../json-values.js';
import { holdsWide } from '../plain.js';
import { canRedactAsJson, redactValue } from '../redact-value.js';

/**
 * Wraps a statement so that each row is one JSON object with values by BigQuery type. A LIMIT leaves at most one row more
 * than `maxRows`, unless the statement's own LIMIT does. With `redact`, personal data is redacted
 * in every value. The object is returned as bytes, since converting each row to a JavaScript string and back takes longer
 * than some queries.
 * `select a, t from …` ->
 * `select encode(json_object('a', c1, 't', epoch_us(c2))::varchar) from (select a, t from …) limit 1001`
 */
export function encodeRows(
  query: DuckQuery,
  columns: readonly DuckColumn[],
  { maxRows, redact }: { readonly maxRows: number; readonly redact: boolean },
): DuckQuery {
  const alias = 'result';
  const isSorted = columns.some(({ type }) => holdsWide(type));
  const asJson = redact && columns.some(({ type }) => holdsText(type)) && canRedactAsJson(columns);
  const members = columns.map(({ name, type, isLogField }, index): Member => {
    const value: DuckExpression = { kind: 'column', table: alias, name: `c${index + 1}` };
    const shown = redact && !asJson ? redactValue(value, type) : value;
    return { name, ...encodeValue(shown, type, { isLogField, scalars, namedLevels: 4 }) };
  });
  const object = members.some(isPrinted) ? printObject(members) : textOf(jsonObject(members));
  const row = call('encode', asJson ? macro('redact_row', object) : object);
  return {
    ...selectFrom([{ name: 'row', value: row }], {
      kind: 'derived',
      query: isSorted ? withSort(query) : query,
      alias,
      columns: columns.map((_, index) => `c${index + 1}`),
    }),
    ...(!isLimitedTo(query, maxRows + 1) && { limit: integer(maxRows + 1) }),
  };
}

/**
 * The engine finds the first rows by a heap only if the limit is a constant; a heap of wide records takes three times the memory
 * of a sort. The rows are few: those that are needed have been fetched.
 */
function withSort(query: DuckQuery): DuckQuery {
  if (query.limit === undefined || query.orderBy.length === 0) return query;
  const limit = selectFrom([{ name: 'rows', value: query.limit }]);
  return { ...query, limit: { kind: 'subquery', form: 'SCALAR', query: limit } };
}

const scalars: ScalarEncoders = {
  BIGNUMERIC: (value) => macro('bignumeric_to_string', value),
  BYTES: (value) => call('base64', value),
  DATE: (value) => castTo(value, 'VARCHAR'),
  DATETIME: (value) => macro('datetime_to_json', value),
  FLOAT64: (value) => macro('float64_to_json', value),
  INTERVAL: (value) => macro('interval_to_string', value),
  JSON: jsonToText,
  NUMERIC: (value) => macro('numeric_to_string', value),
  TIME: (value) => macro('time_to_json', value),
  TIMESTAMP: (value) => call('epoch_us', value),
};
