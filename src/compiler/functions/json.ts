import { QueryFault } from '../../errors/query-fault.js';
import { isPlain } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { isNullLiteral } from '../bound/coerce.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import {
  jsonLines,
  jsonScalarToText,
  parseJsonCall as parseJsonText,
} from '../duckdb-sql/json-values.js';
import { letOnce } from '../duckdb-sql/let.js';
import { duckList } from '../duckdb-sql/variable.js';
import { asVarchar, defineFunctions, type Emitter, macroWithLet } from './definition.js';
import { jsonEditFunctions } from './json-edit.js';
import { jsonElements, jsonPart, jsonQuery, jsonScalar, jsonScalars } from './json-parts.js';
import { jsonText, objectText, textLayout, valueLayout } from './json-text.js';

const scalarAt = 'STRING, STRING? -> STRING | JSON, STRING? -> STRING';
const partAt = 'STRING, STRING? -> STRING | JSON, STRING? -> JSON';
const arrayAt = 'STRING, STRING? -> ARRAY<STRING> | JSON, STRING? -> ARRAY<JSON>';
const scalarsAt = 'STRING, STRING? -> ARRAY<STRING> | JSON, STRING? -> ARRAY<STRING>';

/**
 * A string that is not JSON gives NULL. Parts of a string are strings; parts of a JSON value are JSON.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions
 */
export const jsonFunctions = [
  ...jsonEditFunctions,
  ...defineFunctions({
    bool: ['JSON -> BOOL', macroWithLet('json_to_bool')],
    float64: ['JSON, wide_number_mode: STRING? -> FLOAT64', float64],
    int64: ['JSON -> INT64', macroWithLet('json_to_int64')],
    json_array: ['ANY... -> JSON', jsonArray],
    json_extract: [partAt, jsonPart],
    json_extract_array: [arrayAt, jsonElements],
    json_extract_scalar: [scalarAt, jsonScalar],
    json_extract_string_array: [scalarsAt, jsonScalars],
    json_object: ['ANY... -> JSON', jsonObject],
    json_query: [partAt, jsonQuery],
    json_query_array: [arrayAt, jsonElements],
    json_type: ['JSON -> STRING'],
    json_value: [scalarAt, jsonScalar],
    json_value_array: [scalarsAt, jsonScalars],
    lax_bool: ['JSON -> BOOL'],
    lax_float64: ['JSON -> FLOAT64'],
    lax_int64: ['JSON -> INT64'],
    lax_string: ['JSON -> STRING', laxString],
    parse_json: ['STRING, wide_number_mode: STRING? -> JSON', parseJson],
    to_json: ['ANY, stringify_wide_numbers: BOOL? -> JSON', toJson],
    to_json_string: ['ANY, pretty_print: BOOL? -> STRING', toJsonString],
  }),
  ...defineFunctions(
    { json_keys: ['JSON, INT64?, mode: STRING? -> ARRAY<STRING>', jsonKeys] },
    { holdsQuery: true },
  ),
];

/** LAX_STRING, which also converts numbers and booleans. */
function laxString([value = d.nullValue]: readonly DuckExpression[]): DuckExpression {
  return letOnce([value], ([one = value]) =>
    d.call(
      'coalesce',
      d.macro('json_double_text', one),
      jsonScalarToText(d.macro('json_lax_scalar', one)),
    ),
  );
}

type Mode = 'exact' | 'round';

function wideNumberMode(mode: bound.Expression | undefined, name: string, standard: Mode): Mode {
  const word = mode === undefined ? standard : mode.kind === 'literal' && (mode.value ?? standard);
  if (word === 'exact' || word === 'round') return word;
  const message = `Invalid wide_number_mode in ${name}: it is 'exact' or 'round', as a literal`;
  throw new QueryFault(message, 0);
}

/** PARSE_JSON; with SAFE, DuckDB finds the texts that are not JSON faster than JavaScript fails. */
function parseJson(...[[value = d.nullValue], { args, safe }]: Parameters<Emitter>) {
  const text = safe ? d.macro('json_or_null', value) : value;
  return parseJsonText(text, wideNumberMode(args[1], 'PARSE_JSON', 'exact'));
}

function float64(...[[value = d.nullValue], { args }]: Parameters<Emitter>): DuckExpression {
  const mode = wideNumberMode(args[1], 'FLOAT64', 'round');
  return d.macro(mode === 'exact' ? 'json_to_float64_exact' : 'json_to_float64', value);
}

function jsonKeys([value, depth, mode = d.text('strict')]: readonly DuckExpression[]) {
  return d.macro('json_texts', d.call('js_json_keys', asVarchar(value), asVarchar(depth), mode));
}

function toJson(...[[value = d.nullValue, option], { args }]: Parameters<Emitter>): DuckExpression {
  const type = args[0]?.type ?? { kind: 'STRING' };
  const write = (stringifiesWide: boolean) =>
    jsonText(value, type, { ...valueLayout, stringifiesWide, isStored: !isPlain(type) });
  return d.castTo(byFlag(args[1], option, write), 'JSON');
}

function toJsonString(
  ...[[value = d.nullValue, option], { args }]: Parameters<Emitter>
): DuckExpression {
  const type = args[0]?.type ?? { kind: 'STRING' };
  const printed = jsonText(value, type, { ...textLayout, isStored: !isPlain(type) });
  const lines = type.kind === 'JSON' ? jsonLines(printed) : d.call('js_json_pretty', printed);
  return byFlag(args[1], option, (isPretty) => (isPretty ? lines : printed));
}

/** Writes a value that depends on a flag; a literal flag is evaluated when compiling. */
function byFlag(
  flag: bound.Expression | undefined,
  lowered: DuckExpression | undefined,
  write: (isSet: boolean) => DuckExpression,
): DuckExpression {
  if (flag === undefined || lowered === undefined) return write(false);
  if (flag.kind === 'literal') return write(flag.value === 'true');
  return d.choose(lowered, write(true), write(false));
}

function jsonArray(...[values, { args }]: Parameters<Emitter>): DuckExpression {
  const texts = values.map((value, i) =>
    jsonText(value, args[i]?.type ?? { kind: 'STRING' }, valueLayout),
  );
  const list = d.castTo(duckList(...texts), 'VARCHAR[]');
  return d.castTo(d.macro('json_list', list), 'JSON');
}

/** `JSON_OBJECT(key, value, …)`, or `JSON_OBJECT(keys, values)` with two arrays. */
function jsonObject(...[values, { args, at }]: Parameters<Emitter>): DuckExpression {
  const [keys, elements] = args;
  if (args.length === 2 && keys?.type.kind === 'ARRAY' && elements?.type.kind === 'ARRAY') {
    const list = jsonText(values[1] ?? d.nullValue, elements.type, valueLayout);
    return objectFromLists(d.castTo(values[0] ?? d.nullValue, 'VARCHAR[]'), list);
  }
  const pairs = args.flatMap((key, i) => {
    if (i % 2 !== 0) return [];
    const type = args[i + 1]?.type ?? ({ kind: 'STRING' } as const);
    return [{ key, name: values[i], value: values[i + 1] ?? d.nullValue, type }];
  });
  const areKeys = pairs.every(({ key }) => key.type.kind === 'STRING' || isNullLiteral(key));
  if (args.length % 2 !== 0 || !areKeys) {
    const message =
      'JSON_OBJECT takes pairs of a STRING and a value, or an array of keys and one of values';
    throw new QueryFault(message, at);
  }
  const members = pairs.flatMap(({ key, value, type }) =>
    key.kind === 'literal' && key.value !== null ? [{ name: key.value, value, type }] : [],
  );
  if (members.length === pairs.length) return d.castTo(objectText(members, valueLayout), 'JSON');
  const names = pairs.map(({ name }) => asVarchar(name));
  const texts = pairs.map(({ value, type }) => jsonText(value, type, valueLayout));
  return objectFromLists(duckList(...names), d.macro('json_list', duckList(...texts)));
}

function objectFromLists(keys: DuckExpression, values: DuckExpression): DuckExpression {
  return d.castTo(d.macro('json_object_of', keys, values), 'JSON');
}
