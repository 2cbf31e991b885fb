import { forRanges } from '../../types/ranges.js';
import type { ArrayType, ScalarName, StructType, Type } from '../../types/types.js';
import type { FormName } from '../../values/member-options.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { inBraces } from '../duckdb-sql/json-object.js';
import { jsonToText } from '../duckdb-sql/json-values.js';
import { letOnce } from '../duckdb-sql/let.js';
import * as plain from '../duckdb-sql/plain.js';
import { isLarge, printRuns } from '../duckdb-sql/undeclared.js';
import { isLongPath, letBe } from '../duckdb-sql/variable.js';
import { asVarchar } from './definition.js';

/** The options for writing a value as JSON. */
export interface JsonLayout {
  /** Whether numbers become strings if a double cannot represent them. */
  readonly stringifiesWide: boolean;
  /** Whether the result is a JSON value: its members are sorted by name, and its doubles keep their decimal point. */
  readonly isValue: boolean;
  /** Whether the value is in its stored layout, in which NULL is an empty array. */
  readonly isStored?: boolean;
}

/** The layout of TO_JSON_STRING. */
export const textLayout: JsonLayout = { stringifiesWide: true, isValue: false };

/** The layout of TO_JSON, and of every function that puts a value into JSON. */
export const valueLayout: JsonLayout = { stringifiesWide: false, isValue: true };

/**
 * Writes a value as JSON text, which is never NULL.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions#json_encodings
 */
export function jsonText(value: DuckExpression, type: Type, layout: JsonLayout): DuckExpression {
  if (type.kind === 'ARRAY') return readOnce(value, type, (one) => arrayText(one, type, layout));
  if (type.kind === 'STRUCT') return readOnce(value, type, (one) => structText(one, type, layout));
  return d.call('coalesce', scalarTexts[type.kind](value, layout), d.text('null'));
}

/** Calls `write` with a record or an array, or with a variable for it if it takes work or a long path. */
export function readOnce(
  value: DuckExpression,
  type: Type,
  write: (one: DuckExpression) => DuckExpression,
) {
  if (isLongPath(value, type)) return letBe(value, 'record', write(d.variable('record')));
  return letOnce([value], ([one = value]) => write(one));
}

type Write = (value: DuckExpression, layout: JsonLayout) => DuckExpression;

const scalarTexts: Readonly<Record<ScalarName, Write>> = {
  BIGNUMERIC: (value, layout) => exact(value, 'bignumeric', layout),
  BOOL: (value) => asVarchar(value),
  BYTES: (value) => quoted(d.call('base64', value)),
  DATE: (value) => quoted(d.castTo(value, 'VARCHAR')),
  DATETIME: (value) => quoted(d.macro('datetime_to_iso', value)),
  FLOAT64: (value, { isValue }) =>
    d.macro(isValue ? 'float64_to_json_value' : 'float64_to_json_text', value),
  INT64: (value, layout) => wide(value, asVarchar, layout),
  INTERVAL: (value) => quoted(d.macro('interval_to_iso', value)),
  JSON: jsonToText,
  NUMERIC: (value, layout) => exact(value, 'numeric', layout),
  ...forRanges((element) => (value: DuckExpression, layout: JsonLayout) => {
    const type = { kind: element } as const;
    return letOnce([value], ([one = value]) => {
      const bounds = ['start', 'end'].map((name) => {
        const bound = d.castTo(d.macro(`range_${name}`, one), duckType(type));
        return { name, type, value: bound };
      });
      return d.choose(d.isNotNull(one), objectText(bounds, layout));
    });
  }),
  STRING: (value, { isValue }) => {
    const json = d.castTo(d.call('to_json', value), 'VARCHAR');
    return isValue ? json : d.macro('escape_separators', json);
  },
  TIME: (value) => quoted(d.macro('time_to_iso', value)),
  TIMESTAMP: (value) => quoted(d.macro('timestamp_to_iso', value)),
};

function quoted(value: DuckExpression): DuckExpression {
  return d.infix('||', d.text('"'), value, d.text('"'));
}

/** The digits of an exact number; TO_JSON_STRING puts a fraction in quotes. */
function exact(value: DuckExpression, type: string, layout: JsonLayout): DuckExpression {
  const digits = (one: DuckExpression) => d.macro(`${type}_to_string`, one);
  if (layout.isValue && !layout.stringifiesWide) return letOnce([digits(value)], asDouble);
  return letOnce([value], ([one = value]) => {
    const isWhole = d.infix('=', one, d.call('trunc', one));
    const fraction = layout.isValue ? letOnce([digits(one)], unlessRounded) : quoted(digits(one));
    return d.choose(isWhole, wide(one, digits, layout), fraction);
  });
}

/** Rounds a number to FLOAT64, as JSON values do; a number of few digits stays as it is. */
function asDouble([digits = d.nullValue]: readonly DuckExpression[]): DuckExpression {
  const isShort = d.infix('<=', d.call('len', digits), d.integer(16));
  return d.choose(isShort, digits, d.call('js_parse_json', digits, d.text('round')));
}

/** The digits of a number, in quotes if a FLOAT64 would round it. */
function unlessRounded([digits = d.nullValue]: readonly DuckExpression[]): DuckExpression {
  const isShort = d.infix('<=', d.call('len', digits), d.integer(16));
  const exact = d.call('js_safe_parse_json', digits, d.text('exact'));
  return d.choose(d.infix('OR', isShort, d.isNotNull(exact)), digits, quoted(digits));
}

/** The digits of a number, in quotes if a double cannot represent it. */
function wide(value: DuckExpression, digits: Write, layout: JsonLayout): DuckExpression {
  if (!layout.stringifiesWide) return digits(value, layout);
  const [min, max] = [d.integer(-(2 ** 53)), d.integer(2 ** 53)];
  return letOnce([value], ([one = value]) => {
    const isLong = d.infix('OR', d.infix('>', one, max), d.infix('<', one, min));
    return d.choose(isLong, quoted(digits(one, layout)), digits(one, layout));
  });
}

function arrayText(value: DuckExpression, type: ArrayType, layout: JsonLayout) {
  const { element } = type;
  const none = d.text(layout.isStored ? '[]' : 'null');
  if (type.layout === 'struct') {
    const record = jsonText(value, element, layout);
    return d.choose(d.isNull(value), none, d.infix('||', d.text('['), record, d.text(']')));
  }
  const texts = plain.mapList(value, (one) => jsonText(one, element, layout));
  const joined = d.call('array_to_string', texts, d.text(','));
  const listed = d.infix('||', d.text('['), joined, d.text(']'));
  return d.choose(d.isNull(value), none, listed);
}

function structText(value: DuckExpression, type: StructType, layout: JsonLayout): DuckExpression {
  const fieldMembers = (fields: readonly plain.StoredField[]) =>
    fields.map(([field, of]): JsonMember => ({ ...field, value: of }));
  const read = (fields: readonly plain.StoredField[]) => shownMembers(fieldMembers(fields), layout);
  const object = isLarge(type)
    ? sortedIfValue(inBraces(printRuns(value, type, formName(layout), read)), layout)
    : objectText(fieldMembers(plain.storedFields(value, type)), layout);
  return d.choose(d.isNull(value), d.text('null'), object);
}

function formName({ isValue, stringifiesWide }: JsonLayout): FormName {
  if (!isValue) return 'text';
  return stringifiesWide ? 'wide value' : 'value';
}

/** Sorts the members of an object that becomes a JSON value. */
function sortedIfValue(object: DuckExpression, { isValue }: JsonLayout): DuckExpression {
  return isValue ? d.call('js_sort_members', object) : object;
}

interface JsonMember {
  readonly name: string;
  readonly type: Type;
  readonly value: DuckExpression;
  /** Set if the object omits the member if it has no value. */
  readonly undeclared?: true;
}

/** Writes an object. A JSON value has its members sorted by name, and only the first of each name. */
export function objectText(members: readonly JsonMember[], layout: JsonLayout): DuckExpression {
  const kept = layout.isValue ? byName(members) : members;
  if (kept.length === 0) return d.text('{}');
  return inBraces(shownMembers(kept, layout));
}

/** The members that a record shows, without braces; empty if there are none. */
function shownMembers(members: readonly JsonMember[], layout: JsonLayout): DuckExpression {
  const parts = members.map((one) => {
    const key = d.text(`${JSON.stringify(one.name)}:`);
    const text = d.infix('||', key, jsonText(one.value, one.type, layout));
    return one.undeclared ? d.choose(plain.isShown(one.value, one.type), text) : text;
  });
  return d.call('concat_ws', d.text(','), ...parts);
}

function byName(members: readonly JsonMember[]): readonly JsonMember[] {
  const first = new Map<string, JsonMember>();
  for (const member of members) if (!first.has(member.name)) first.set(member.name, member);
  return [...first.values()].sort((a, b) => Buffer.from(a.name).compare(Buffer.from(b.name)));
}
