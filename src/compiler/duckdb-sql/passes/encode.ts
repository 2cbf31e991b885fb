import { forRanges } from '../../../types/ranges.js';
import { countStored, holdsText } from '../../../types/types.js';
import { maxFields } from '../../../types/wide.js';
import type { DuckColumn } from '../duckdb-plan.js';
import * as d from '../duckdb-sql.js';
import { encodeValue, type ScalarEncoders } from '../encode-value.js';
import * as json from '../json-object.js';
import { jsonToText } from '../json-values.js';
import { canRedactAsJson, redactDuckValue } from '../redact-value.js';

/**
 * Wraps a statement so that each row is one JSON object with values by BigQuery type. Adds a LIMIT of `maxRows` plus
 * one, unless the statement's own LIMIT is low enough. With `redact`, personal data is redacted in every value. The
 * object is returned as bytes, because converting each row to a JavaScript string and back takes longer than some
 * queries.
 * `select a, t from …` ->
 * `select encode(json_object('a', c1, 't', epoch_us(c2))::varchar) from (select a, t from …) limit 1001`
 */
export function encodeAnswerRows(
  query: d.DuckQuery,
  columns: readonly DuckColumn[],
  { maxRows, redact }: { readonly maxRows: number; readonly redact: boolean },
): d.DuckQuery {
  const alias = 'result';
  const asJson = redact && columns.some(({ type }) => holdsText(type)) && canRedactAsJson(columns);
  const members = columns.map(({ name, type, isLogField }, index): json.JsonMember => {
    const value = d.column(alias, `c${index + 1}`);
    const shown = redact && !asJson ? redactDuckValue(value, type) : value;
    return { name, ...encodeValue(shown, type, { isLogField, scalars }) };
  });
  const object = members.some(json.isPrinted)
    ? json.inBraces(json.printMembers(members))
    : json.jsonAsText(json.jsonObject(members));
  const row = d.call('encode', asJson ? d.macro('redact_row', object) : object);
  const names = columns.map((_, index) => `c${index + 1}`);
  const fields = columns.map(({ name, type }) => ({ name, type, stored: true }));
  const rows = countStored(fields) > maxFields ? withSort(query) : query;
  const from = { kind: 'derived', query: rows, alias, columns: names } as const;
  return {
    ...d.selectFrom([{ name: 'row', value: row }], from),
    ...(!d.isLimitedTo(query, maxRows + 1) && { limit: d.integer(maxRows + 1) }),
  };
}

/**
 * Makes the engine sort: with a constant limit, it would use a heap, which takes three times the memory and twice the
 * time for wide records. The rows are few if only the needed ones have been fetched; others take longer to sort.
 */
function withSort(query: d.DuckQuery): d.DuckQuery {
  if (query.limit === undefined || query.orderBy.length === 0) return query;
  const limit = d.selectFrom([{ name: 'rows', value: query.limit }]);
  return { ...query, limit: { kind: 'subquery', form: 'SCALAR', query: limit } };
}

const scalars: ScalarEncoders = {
  BIGNUMERIC: (value) => d.macro('bignumeric_to_string', value),
  BYTES: (value) => d.call('base64', value),
  DATE: (value) => d.castTo(value, 'VARCHAR'),
  DATETIME: (value) => d.macro('datetime_to_json', value),
  FLOAT64: (value) => d.macro('float64_to_json', value),
  INTERVAL: (value) => d.macro('interval_to_string', value),
  JSON: jsonToText,
  NUMERIC: (value) => d.macro('numeric_to_string', value),
  ...forRanges((element) => (value: d.DuckExpression) => {
    return d.macro(`range_${element.toLowerCase()}_to_string`, value);
  }),
  TIME: (value) => d.macro('time_to_json', value),
  TIMESTAMP: (value) => d.call('epoch_us', value),
};
