import type { ArrayType, ScalarName, StructType, Type } from '../../types/types.js';
import {
  call,
  castTo,
  choose,
  type DuckExpression,
  duckNull,
  infix,
  integer,
  isNull,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { joinPresent } from '../duckdb-sql/json-object.js';
import { jsonToText } from '../duckdb-sql/json-values.js';
import { letOnce } from '../duckdb-sql/let.js';
import {
  isShown,
  isWide,
  mapList,
  readFields,
  type StoredField,
  storedFields,
} from '../duckdb-sql/plain.js';

/** How to write a value as JSON. */
export interface JsonLayout {
  /** Whether to write numbers that a double cannot represent as strings. */
  readonly stringifiesWide: boolean;
  /** Whether the result is a JSON value: its members are sorted by name, and its doubles keep their point. */
  readonly isValue: boolean;
}

/** How TO_JSON writes a value, and every function that puts a value into JSON. */
export const valueLayout: JsonLayout = { stringifiesWide: false, isValue: true };

/**
 * Writes a value as JSON text, which is never NULL. Records must be plain structs and lists.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions#json_encodings
 */
export function jsonText(value: DuckExpression, type: Type, layout: JsonLayout): DuckExpression {
  if (type.kind === 'ARRAY')
    return letOnce([value], ([one = value]) => arrayText(one, type, layout));
  if (type.kind === 'STRUCT') {
    return letOnce([value], ([one = value]) => structText(one, type, layout));
  }
  return call('coalesce', scalarTexts[type.kind](value, layout), text('null'));
}

const scalarTexts: Readonly<
  Record<ScalarName, (value: DuckExpression, layout: JsonLayout) => DuckExpression>
> = {
  BIGNUMERIC: (value, layout) => exact(value, (one) => macro('bignumeric_to_string', one), layout),
  BOOL: (value) => castTo(value, 'VARCHAR'),
  BYTES: (value) => quoted(call('base64', value)),
  DATE: (value) => quoted(castTo(value, 'VARCHAR')),
  DATETIME: (value) => quoted(macro('datetime_to_iso', value)),
  FLOAT64: (value, { isValue }) =>
    macro(isValue ? 'float64_to_json_value' : 'float64_to_json_text', value),
  INT64: (value, layout) => wide(value, (one) => castTo(one, 'VARCHAR'), layout),
  INTERVAL: (value) => quoted(macro('interval_to_iso', value)),
  JSON: jsonToText,
  NUMERIC: (value, layout) => exact(value, (one) => macro('numeric_to_string', one), layout),
  STRING: (value, { isValue }) => {
    const json = castTo(call('to_json', value), 'VARCHAR');
    return isValue ? json : macro('escape_separators', json);
  },
  TIME: (value) => quoted(macro('time_to_iso', value)),
  TIMESTAMP: (value) => quoted(macro('timestamp_to_iso', value)),
};

function quoted(value: DuckExpression): DuckExpression {
  return infix('||', text('"'), value, text('"'));
}

/** The digits of an exact number; in the text of `TO_JSON_STRING` a fraction is in quotes, too. */
function exact(
  value: DuckExpression,
  digits: (value: DuckExpression) => DuckExpression,
  layout: JsonLayout,
): DuckExpression {
  if (layout.isValue && !layout.stringifiesWide) return letOnce([digits(value)], asDouble);
  return letOnce([value], ([one = value]) => {
    const isWhole = infix('=', one, call('trunc', one));
    const fraction = layout.isValue ? letOnce([digits(one)], unlessRounded) : quoted(digits(one));
    return choose(isWhole, wide(one, digits, layout), fraction);
  });
}

/** A JSON value holds a number as a FLOAT64; one of few digits is the same there. */
function asDouble([digits = duckNull]: readonly DuckExpression[]): DuckExpression {
  const isShort = infix('<=', call('len', digits), integer(16));
  return choose(isShort, digits, call('js_parse_json', digits, text('round')));
}

/** The digits of a number, in quotes if a FLOAT64 would round it. */
function unlessRounded([digits = duckNull]: readonly DuckExpression[]): DuckExpression {
  const isShort = infix('<=', call('len', digits), integer(16));
  const exact = call('js_safe_parse_json', digits, text('exact'));
  return choose(
    infix('OR', isShort, { kind: 'is-null', of: exact, not: true }),
    digits,
    quoted(digits),
  );
}

/** The digits of a number, in quotes if a double cannot represent it. */
function wide(
  value: DuckExpression,
  digits: (value: DuckExpression) => DuckExpression,
  { stringifiesWide }: JsonLayout,
): DuckExpression {
  if (!stringifiesWide) return digits(value);
  const limit = integer(2 ** 53);
  return letOnce([value], ([one = value]) => {
    const isWide = infix('OR', infix('>', one, limit), infix('<', one, integer(-(2 ** 53))));
    return choose(isWide, quoted(digits(one)), digits(one));
  });
}

function arrayText(value: DuckExpression, { element }: ArrayType, layout: JsonLayout) {
  const texts = mapList(value, (one) => jsonText(one, element, layout));
  const listed = infix('||', text('['), call('array_to_string', texts, text(',')), text(']'));
  return choose(isNull(value), text('null'), listed);
}

function structText(value: DuckExpression, type: StructType, layout: JsonLayout): DuckExpression {
  const membersOf = (fields: readonly StoredField[]) =>
    fields.map(([field, of]): JsonMember => ({ ...field, value: of }));
  if (!isWide(type)) {
    const object = objectText(membersOf(storedFields(value, type)), layout);
    return choose(isNull(value), text('null'), object);
  }
  const sorted = layout.isValue ? { ...type, fields: byName(type.fields) } : type;
  const read = (fields: readonly StoredField[]) => shownMembers(membersOf(fields), layout);
  const object = readFields(value, sorted, read, inBraces);
  return choose(isNull(value), text('null'), object);
}

interface JsonMember {
  readonly name: string;
  readonly type: Type;
  readonly value: DuckExpression;
  /** Set if the object has it only if it has a value. */
  readonly undeclared?: true;
}

/** Writes an object. A JSON value has its members sorted by name, and only the first of each name. */
export function objectText(members: readonly JsonMember[], layout: JsonLayout): DuckExpression {
  const kept = layout.isValue ? byName(members) : members;
  if (kept.length === 0) return text('{}');
  if (kept.some(({ undeclared }) => undeclared)) {
    return inBraces([shownMembers(kept, layout)]);
  }
  const parts = kept.flatMap((one, index) => [
    text(`${index === 0 ? '{' : ','}${keyText(one)}`),
    jsonText(one.value, one.type, layout),
  ]);
  return infix('||', ...parts, text('}'));
}

function keyText({ name }: JsonMember): string {
  return `${JSON.stringify(name)}:`;
}

/** The members that a record shows, without braces; empty if there are none. */
function shownMembers(members: readonly JsonMember[], layout: JsonLayout): DuckExpression {
  const parts = members.map((one) =>
    ifShown(one, infix('||', text(keyText(one)), jsonText(one.value, one.type, layout))),
  );
  return call('concat_ws', text(','), ...parts);
}

/** Joins members in braces. */
function inBraces(members: readonly DuckExpression[]): DuckExpression {
  return infix('||', text('{'), joinPresent(members), text('}'));
}

function ifShown({ value, type, undeclared }: JsonMember, shown: DuckExpression): DuckExpression {
  return undeclared ? choose(isShown(value, type), shown) : shown;
}

function byName<Named extends { readonly name: string }>(
  members: readonly Named[],
): readonly Named[] {
  const first = new Map<string, Named>();
  for (const member of members) if (!first.has(member.name)) first.set(member.name, member);
  return [...first.values()].sort((a, b) => Buffer.from(a.name).compare(Buffer.from(b.name)));
}
