import type { ArrayType, ScalarName, StructType, Type } from '../../../types/types.js';
import { holdsText } from '../../../types/types.js';
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
  selectFrom,
  text,
} from '../duckdb-sql.js';
import {
  inBraces,
  isPrinted,
  joinPresent,
  jsonObject,
  type Member,
  packObject,
  printMembers,
  printObject,
  type Shown,
  textOf,
} from '../json-object.js';
import { jsonToText } from '../json-values.js';
import { holdsWide, isWide, readFields, type StoredField, storedFields } from '../plain.js';
import { canRedactAsJson, redactValue } from '../redact-value.js';
import { firstOf, isLongPath, letBe, listOf, mapAs } from '../variable.js';

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
    return { name, ...encode(shown, type, { isLogField, depth: 0 }) };
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

interface Context {
  readonly isLogField: boolean;
  /** How many records the value is in. */
  readonly depth: number;
}

/** Arrays in stored values may contain `null`; an array that the query computes must not. */
function encode(value: DuckExpression, type: Type, context: Context): Shown {
  if (type.kind === 'STRUCT') return encodeRecord(value, type, { ...context, isArray: false });
  if (type.kind !== 'ARRAY') return { value: encoders[type.kind]?.(value) ?? value };
  return type.layout === 'list'
    ? encodeList(value, type, context)
    : encodeRecord(value, type.element, { ...context, isArray: true });
}

/** An empty or NULL array becomes null. */
function encodeList(value: DuckExpression, { element }: ArrayType, context: Context): Shown {
  const length = call('len', value);
  const failure = macro('fail_int64', text('Array cannot have a null element'));
  const none = context.isLogField
    ? integer(0)
    : choose(infix('<', call('list_count', value), length), failure, integer(0));
  const some = infix('>', length, none);
  const shown = encode(elementName, element, context);
  if (shown.value === elementName) return { value: choose(some, value) };
  if (!shown.isText)
    return {
      value: choose(some, mapAs(value, 'element', shown.value)),
    };
  const texts = mapAs(value, 'element', call('coalesce', shown.value, text('null')));
  return {
    value: choose(some, inBrackets(call('array_to_string', texts, text(',')))),
    isText: true,
  };
}

/** All lambdas here name their variable alike: no value refers to the variable of an outer lambda. */
const elementName: DuckExpression = { kind: 'name', name: 'element' };

/** A record, or an array that is stored as its only element. */
function encodeRecord(
  value: DuckExpression,
  type: Type,
  { isArray, ...context }: Context & { readonly isArray: boolean },
): Shown {
  const isLong = isArray ? needsName(value, type, context.depth) : isLongPath(value, type);
  // The parts of a wide record have names of their own.
  const isNamed = isLong && !(type.kind === 'STRUCT' && isWide(type));
  const one = isNamed ? elementName : value;
  const shown = encodePresent(one, type, { ...context, depth: context.depth + 1 });
  const orNull = (present: DuckExpression) => choose(isNull(value), duckNull, present);
  if (shown.isText) {
    const printed = isArray ? inBrackets(shown.value) : shown.value;
    return { value: orNull(isNamed ? letBe(value, 'element', printed) : printed), isText: true };
  }
  if (shown.value === one) return { value: isArray ? orNull(listOf(value)) : value };
  const list = isNamed ? mapAs(listOf(value), 'element', shown.value) : listOf(shown.value);
  if (isArray) return { value: orNull(list) };
  return { value: orNull(isNamed ? firstOf(list) : shown.value) };
}

function encodePresent(value: DuckExpression, type: Type, context: Context): Shown {
  return type.kind === 'STRUCT' ? encodeFields(value, type, context) : encode(value, type, context);
}

/** Down to this depth, a variable is faster than a path, whatever the record. */
const namedDepth = 4;

function needsName(value: DuckExpression, type: Type, depth: number): boolean {
  return value.kind !== 'name' && (depth < namedDepth || isLongPath(value, type));
}

/**
 * The object of a struct that is not NULL. It is a struct, which becomes JSON together with the whole row:
 * converting level by level would take 1.5 times as long. A record with undeclared fields at any depth is printed, since
 * each row shows its own.
 */
function encodeFields(value: DuckExpression, type: StructType, context: Context): Shown {
  if (isWide(type)) {
    const read = (fields: readonly StoredField[]) => printMembers(encodeMembers(fields, context));
    const join = (parts: readonly DuckExpression[]) => inBraces(joinPresent(parts, ','));
    const printed = readFields(value, type, read, join);
    return { value: printed, isText: true };
  }
  const members = encodeMembers(storedFields(value, type), context);
  if (members.length === 0)
    return type.fields.length === 0 ? { value: text('{}'), isText: true } : { value: duckNull };
  if (members.some(isPrinted)) return { value: printObject(members), isText: true };
  const isAsStored = members.every(
    ({ name, value: shown }) => shown.kind === 'field' && shown.of === value && shown.name === name,
  );
  return { value: isAsStored ? value : packObject(members) };
}

function encodeMembers(fields: readonly StoredField[], context: Context): readonly Member[] {
  return fields.map(([field, inner], index): Member => {
    const name = field.name || `_field_${index + 1}`;
    const { undeclared } = field;
    return { name, ...(undeclared && { undeclared }), ...encode(inner, field.type, context) };
  });
}

function inBrackets(elements: DuckExpression): DuckExpression {
  return infix('||', text('['), elements, text(']'));
}
