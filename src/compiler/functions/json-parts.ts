import type { BoundExpression } from '../bound/bound.js';
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
import { jsonScalarToText } from '../duckdb-sql/json-values.js';
import { letOnce } from '../duckdb-sql/let.js';
import { mapList } from '../duckdb-sql/plain.js';
import { filterAs, listOf } from '../duckdb-sql/variable.js';
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

/**
 * The value at a key or an index of a text that may be JSON, as a text. An object, like a record, is a list of itself.
 */
export const textPart: Emitter = ([json = duckNull, key = duckNull], node) => {
  const isIndex = node.args[1]?.type.kind === 'INT64';
  return letOnce([json, key], ([value = json, step = key]) => {
    if (!isIndex) return memberOf(value, node.args[1]);
    const first = choose(infix('=', step, integer(0)), value);
    const isPlace = infix('>=', step, integer(0));
    const item = call('list_extract', listed(value), infix('+', step, integer(1)));
    const written = valueAt(value, infix('||', text('/'), castTo(step, 'VARCHAR')));
    const ofList = choose(macro('is_json', value), choose(isPlace, item), written);
    return choose(isList(value), ofList, first);
  });
};

/** The elements of a list in a text, as texts; of any other text, the text itself; of NULL, none. */
export const textElements: Emitter = ([json = duckNull]) =>
  letOnce([json], ([value = json]) => {
    return choose(
      isList(value),
      listed(value),
      choose(isNull(value), castTo(listOf(), 'VARCHAR[]'), listOf(value)),
    );
  });

/** The elements of a list, without nulls, which lists of logs do not have. */
function listed(list: DuckExpression): DuckExpression {
  const isValue = infix('<>', { kind: 'name', name: 'element' }, text('null'));
  const all = letOnce([readable(list, text('$'))], ([valid = list]) =>
    elements.ofText(valid, text('$')),
  );
  return mapList(filterAs(all, 'element', isValue), (element) =>
    choose(
      call('starts_with', element, text('"')),
      macro('json_value', element, text('$')),
      element,
    ),
  );
}

function isList(value: DuckExpression): DuckExpression {
  return call('starts_with', call('ltrim', value), text('['));
}

function valueAt(json: DuckExpression, pointer: DuckExpression): DuckExpression {
  return letOnce([readable(json, pointer), pointer], ([valid = json, there = pointer]) =>
    call('coalesce', scalar.ofText(valid, there), part.ofText(valid, there)),
  );
}

/** The member of this name, else one that differs in letter case. A key is the name of a field, so always a literal. */
function memberOf(json: DuckExpression, key: BoundExpression | undefined): DuckExpression {
  const name = key?.kind === 'literal' ? (key.value ?? '') : '';
  const lower = name.toLowerCase();
  const mayHave = call('contains', call('lower', json), text(lower));
  const alike = valueAt(json, call('js_json_member_pointer', json, text(lower)));
  const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return call('coalesce', valueAt(json, text(pointer)), choose(mayHave, alike, duckNull));
}
