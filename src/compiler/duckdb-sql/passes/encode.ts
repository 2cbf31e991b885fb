import type { ArrayType, ScalarName, StructType, Type } from '../../../types/types.js';
import type { DuckColumn } from '../duckdb-plan.js';
import {
  call,
  castTo,
  choose,
  type DuckExpression,
  type DuckQuery,
  duckNull,
  infix,
  integer,
  isLimitedTo,
  isNull,
  macro,
  text,
} from '../duckdb-sql.js';
import { jsonToText } from '../json-values.js';
import { mapList, storedFields } from '../plain.js';
import { canRedactAsJson, holdsText, redactValue } from '../redact-value.js';

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
  const asJson = redact && columns.some(({ type }) => holdsText(type)) && canRedactAsJson(columns);
  const pairs = columns.flatMap(({ name, type, isLogField }, index) => {
    const value: DuckExpression = { kind: 'column', table: alias, name: `c${index + 1}` };
    const shown = redact && !asJson ? redactValue(value, type) : value;
    return [text(name), encode(shown, type, isLogField)];
  });
  const object = castTo(call('json_object', ...pairs), 'VARCHAR');
  return {
    ctes: [],
    body: {
      kind: 'select',
      distinct: false,
      items: [
        { name: 'row', value: call('encode', asJson ? macro('redact_row', object) : object) },
      ],
      from: { kind: 'derived', query, alias, columns: columns.map((_, index) => `c${index + 1}`) },
      where: [],
    },
    orderBy: [],
    ...(!isLimitedTo(query, maxRows + 1) && { limit: integer(maxRows + 1) }),
  };
}

/** How values of a type become JSON; types that are not listed need no conversion. */
const encoders: Partial<Record<ScalarName, (value: DuckExpression) => DuckExpression>> = {
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

/** Arrays in stored values may contain `null`; an array that the query computes must not. */
function encode(value: DuckExpression, type: Type, isLogField: boolean): DuckExpression {
  if (type.kind === 'ARRAY') return encodeArray(value, type, isLogField);
  if (type.kind === 'STRUCT') return encodeStruct(value, type, isLogField);
  return encoders[type.kind]?.(value) ?? value;
}

/** An empty or NULL array becomes null. */
function encodeArray(
  value: DuckExpression,
  { element, layout }: ArrayType,
  isLogField: boolean,
): DuckExpression {
  if (layout === 'struct') {
    // A variable, so that the fields do not each repeat the whole path.
    const one: DuckExpression = { kind: 'list', elements: [value] };
    return choose(
      isNull(value),
      duckNull,
      mapChanged(one, (inner) => encodePresent(inner, element, isLogField)),
    );
  }
  const length = call('len', value);
  const failure = macro('fail_int64', text('Array cannot have a null element'));
  const none = isLogField
    ? integer(0)
    : choose(infix('<', call('list_count', value), length), failure, integer(0));
  const some = infix('>', length, none);
  return choose(
    some,
    mapChanged(value, (inner) => encode(inner, element, isLogField)),
  );
}

/** A list with each element mapped; the list itself if that changes nothing. */
function mapChanged(
  list: DuckExpression,
  map: (element: DuckExpression) => DuckExpression,
): DuckExpression {
  const probe: DuckExpression = { kind: 'name', name: 'element' };
  return map(probe) === probe ? list : mapList(list, map);
}

function encodeStruct(
  value: DuckExpression,
  type: StructType,
  isLogField: boolean,
): DuckExpression {
  const fields = encodeFields(value, type, isLogField);
  return fields === value ? value : choose(isNull(value), duckNull, fields);
}

function encodePresent(value: DuckExpression, type: Type, isLogField: boolean): DuckExpression {
  return type.kind === 'STRUCT'
    ? encodeFields(value, type, isLogField)
    : encode(value, type, isLogField);
}

/**
 * The object of a struct that is not NULL. It is a struct, which becomes JSON together with the whole row:
 * converting level by level would take 1.5 times as long. If the engine considers two names equal, it is
 * JSON, because a struct cannot have both.
 */
function encodeFields(
  value: DuckExpression,
  type: StructType,
  isLogField: boolean,
): DuckExpression {
  const stored = storedFields(value, type);
  const fields = stored.map(([field, inner], index) => ({
    name: field.name || `_field_${index + 1}`,
    value: encode(inner, field.type, isLogField),
  }));
  if (fields.length === 0) return duckNull;
  const isAsStored = fields.every(
    ({ name, value: shown }) => shown.kind === 'field' && shown.of === value && shown.name === name,
  );
  if (isAsStored) return value;
  const names = new Set(fields.map(({ name }) => name.toLowerCase()));
  if (names.size === fields.length) return { kind: 'struct', fields };
  return call('json_object', ...fields.flatMap(({ name, value: shown }) => [text(name), shown]));
}
