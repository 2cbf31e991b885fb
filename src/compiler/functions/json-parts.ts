import {
  call,
  castTo,
  choose,
  type DuckExpression,
  duckNull,
  macro,
} from '../duckdb-sql/duckdb-sql.js';
import { jsonScalarToText } from '../duckdb-sql/json-values.js';
import { letOnce } from '../duckdb-sql/let.js';
import { mapList } from '../duckdb-sql/plain.js';
import type { Emitter } from './definition.js';
import { jsonPointer } from './json-path.js';

/** How a part of JSON is read at a pointer, from a JSON value and from a valid text. */
interface PartReader {
  readonly ofValue: (value: DuckExpression, pointer: DuckExpression) => DuckExpression;
  readonly ofText: (json: DuckExpression, pointer: DuckExpression) => DuckExpression;
}

const scalar: PartReader = {
  ofValue: (value, pointer) => jsonScalarToText(macro('json_scalar_at', value, pointer)),
  ofText: (json, pointer) =>
    choose(
      macro('is_written_number_at', json, pointer),
      call('js_json_part_at', json, pointer),
      macro('json_value', json, pointer),
    ),
};

function escaped(json: DuckExpression): DuckExpression {
  return macro('escape_separators', json);
}

const part: PartReader = {
  ofValue: (value, pointer) => macro('json_query', value, pointer),
  ofText: (json, pointer) =>
    escaped(
      macro(
        'json_null_to_null',
        choose(
          macro('has_written_number', json),
          call('js_json_part_at', json, pointer),
          castTo(macro('json_query', json, pointer), 'VARCHAR'),
        ),
      ),
    ),
};

const elements: PartReader = {
  ofValue: (value, pointer) => macro('json_query_array', value, pointer),
  ofText: (json, pointer) =>
    mapList(
      choose(
        macro('has_written_number', json),
        macro('json_texts', call('js_json_elements_at', json, pointer)),
        castTo(macro('json_query_array', json, pointer), 'VARCHAR[]'),
      ),
      escaped,
    ),
};

const scalars: PartReader = {
  ofValue: (value, pointer) =>
    mapList(macro('json_scalar_list', macro('json_query_array', value, pointer)), jsonScalarToText),
  ofText: (json, pointer) =>
    choose(
      macro('has_written_number', json),
      macro('json_texts', call('js_json_scalars_at', json, pointer)),
      macro('json_value_array', json, pointer),
    ),
};

/** Reads from a JSON value, or from a text. */
function atPath({ ofValue, ofText }: PartReader): Emitter {
  return ([source = duckNull, written], node) => {
    const pointer = jsonPointer(node.args[1], written, node.at);
    const isText = node.args[0]?.type.kind === 'STRING';
    const given = [source, pointer];
    if (!isText) return letOnce(given, ([json = source, at = pointer]) => ofValue(json, at));
    return letOnce(given, ([json = source, at = pointer]) =>
      letOnce([readable(json, at), at], ([text = json, there = at]) => ofText(text, there)),
    );
  };
}

/** A valid text in which a pointer leads to the same; NULL if there is none. */
function readable(json: DuckExpression, pointer: DuckExpression): DuckExpression {
  const prefix = choose(macro('opens_json', json), call('js_json_up_to', json, pointer));
  return choose(macro('is_json', json), json, prefix);
}

/** JSON_VALUE: a scalar as a text. */
export const jsonScalar: Emitter = atPath(scalar);

/** JSON_QUERY: any part. */
export const jsonPart: Emitter = atPath(part);

/** JSON_QUERY_ARRAY: the elements of an array. */
export const jsonElements: Emitter = atPath(elements);

/** JSON_VALUE_ARRAY: the elements of an array of scalars, as texts. */
export const jsonScalars: Emitter = atPath(scalars);
