import { type JsonStep, parseJsonPath, parseLaxPath } from '../../values/json-path.js';
import { pointerStep } from '../../values/json-raw.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { jsonScalarToText } from '../duckdb-sql/json-values.js';
import { letOnce } from '../duckdb-sql/let.js';
import { mapList } from '../duckdb-sql/plain.js';
import { duckList, filterAs } from '../duckdb-sql/variable.js';
import type { Emitter } from './definition.js';
import { faultsAt } from './format-faults.js';

/** Reads a part of JSON at a pointer: from a JSON value, or from a string that is valid JSON. */
interface PartReader {
  readonly ofValue: (value: DuckExpression, pointer: DuckExpression) => DuckExpression;
  readonly ofText: (json: DuckExpression, pointer: DuckExpression) => DuckExpression;
}

const scalar: PartReader = {
  ofValue: (value, pointer) => jsonScalarToText(d.macro('json_scalar_at', value, pointer)),
  ofText: (json, pointer) =>
    d.choose(
      d.macro('is_written_number_at', json, pointer),
      d.call('js_json_part_at', json, pointer),
      d.macro('json_value', json, pointer),
    ),
};

function escaped(json: DuckExpression): DuckExpression {
  return d.macro('escape_separators', json);
}

const part: PartReader = {
  ofValue: (value, pointer) => d.macro('json_query', value, pointer),
  ofText: (json, pointer) =>
    escaped(
      d.macro(
        'json_null_to_null',
        d.choose(
          d.macro('has_written_number', json),
          d.call('js_json_part_at', json, pointer),
          d.castTo(d.macro('json_query', json, pointer), 'VARCHAR'),
        ),
      ),
    ),
};

const elements: PartReader = {
  ofValue: (value, pointer) => d.macro('json_query_array', value, pointer),
  ofText: (json, pointer) =>
    mapList(
      d.choose(
        d.macro('has_written_number', json),
        d.macro('json_texts', d.call('js_json_elements_at', json, pointer)),
        d.castTo(d.macro('json_query_array', json, pointer), 'VARCHAR[]'),
      ),
      escaped,
    ),
};

const scalars: PartReader = {
  ofValue: (value, pointer) =>
    mapList(
      d.macro('json_scalar_list', d.macro('json_query_array', value, pointer)),
      jsonScalarToText,
    ),
  ofText: (json, pointer) =>
    d.choose(
      d.macro('has_written_number', json),
      d.macro('json_texts', d.call('js_json_scalars_at', json, pointer)),
      d.macro('json_value_array', json, pointer),
    ),
};

/**
 * Translates a JSONPath to a JSON pointer, in which DuckDB allows any key and, like BigQuery, a number
 * for an element or a member. A literal is translated when compiling, any other path when running.
 * @throws QueryFault if a literal is not a valid path
 */
function jsonPointer(
  path: bound.Expression | undefined,
  lowered: DuckExpression | undefined,
  at: number,
): DuckExpression {
  if (path === undefined || lowered === undefined) return d.text('$');
  if (path.kind !== 'literal' || path.value === null) return d.macro('json_pointer', lowered);
  const steps = pathSteps(path.value, at).map((step) => pointerStep(String(step)));
  return d.text(steps.join('') || '$');
}

/** @throws QueryFault if the path is a literal that is not valid */
export function checkJsonPath(path: bound.Expression, at: number): void {
  if (path.kind === 'literal' && path.value !== null) pathSteps(path.value, at);
}

function pathSteps(path: string, at: number): readonly JsonStep[] {
  return faultsAt(at, () => parseJsonPath(path));
}

/** Reads the part at a path, from a JSON value or from a string. */
function atPath({ ofValue, ofText }: PartReader): Emitter {
  return ([source = d.nullValue, written], node) => {
    const pointer = jsonPointer(node.args[1], written, node.at);
    return letOnce([source, pointer], ([json = source, at = pointer]) =>
      node.args[0]?.type.kind === 'STRING' ? readText(json, at, ofText) : ofValue(json, at),
    );
  };
}

/** Reads the part of a string that may be JSON, or only begin with it. */
function readText(json: DuckExpression, pointer: DuckExpression, read: PartReader['ofText']) {
  return letOnce([readable(json, pointer), pointer], ([valid = json, at = pointer]) =>
    read(valid, at),
  );
}

/** Returns valid JSON in which the pointer finds the same part: the string, or its beginning; NULL if there is none. */
function readable(json: DuckExpression, pointer: DuckExpression): DuckExpression {
  const prefix = d.choose(d.macro('opens_json', json), d.call('js_json_up_to', json, pointer));
  return d.choose(d.macro('is_json', json), json, prefix);
}

/** JSON_VALUE: a scalar as a string. */
export const jsonScalar: Emitter = atPath(scalar);

/** JSON_EXTRACT: any part. */
export const jsonPart: Emitter = atPath(part);

/** JSON_QUERY: {@link jsonPart}, or, with a path in lax mode, all parts that match, as one array. */
export const jsonQuery: Emitter = (values, node, lowering) => {
  const [source = d.nullValue, written = d.nullValue] = values;
  const [json, path] = node.args;
  const literal = path?.kind === 'literal' ? path.value : undefined;
  if (path === undefined || literal === null || literal?.startsWith('$')) {
    return jsonPart(values, node, lowering);
  }
  if (literal !== undefined) faultsAt(node.at, () => parseLaxPath(literal));
  const isText = json?.type.kind === 'STRING';
  return letOnce([source, written], ([value = source, at = written]) => {
    const found = d.call('js_json_query_lax', d.castTo(value, 'VARCHAR'), at);
    const lax = isText ? d.choose(d.macro('is_json', value), found) : d.castTo(found, 'JSON');
    const isStrict = d.call('starts_with', at, d.text('$'));
    return literal === undefined
      ? d.choose(isStrict, jsonPart([value, at], node, lowering), lax)
      : lax;
  });
};

/** JSON_QUERY_ARRAY: the elements of an array. */
export const jsonElements: Emitter = atPath(elements);

/** JSON_VALUE_ARRAY: the elements of an array of scalars, as strings. */
export const jsonScalars: Emitter = atPath(scalars);

/**
 * The value at a key or an index of a string that may be JSON, as a string. An object counts as a list whose only
 * element is the object, as a record does.
 */
export const textPart: Emitter = ([json = d.nullValue, key = d.nullValue], node) => {
  const isIndex = node.args[1]?.type.kind === 'INT64';
  return letOnce([json, key], ([value = json, step = key]) => {
    if (!isIndex) return memberAnyCase(value, node.args[1]);
    const first = d.choose(d.infix('=', step, d.integer(0)), value);
    const isPlace = d.infix('>=', step, d.integer(0));
    const item = d.call('list_extract', listed(value), d.infix('+', step, d.integer(1)));
    const written = valueAt(value, d.infix('||', d.text('/'), d.castTo(step, 'VARCHAR')));
    const ofList = d.choose(d.macro('is_json', value), d.choose(isPlace, item), written);
    return d.choose(isList(value), ofList, first);
  });
};

/**
 * The elements of a JSON list in a string, as strings; any other string counts as the only element, and NULL has none.
 */
export const textElements: Emitter = ([json = d.nullValue]) =>
  letOnce([json], ([value = json]) => {
    return d.choose(
      isList(value),
      listed(value),
      d.choose(d.isNull(value), d.castTo(duckList(), 'VARCHAR[]'), duckList(value)),
    );
  });

/** The elements of a list, without nulls: lists in logs have none. */
function listed(list: DuckExpression): DuckExpression {
  const isValue = d.infix('<>', { kind: 'name', name: 'element' }, d.text('null'));
  const all = readText(list, d.text('$'), elements.ofText);
  return mapList(filterAs(all, 'element', isValue), (element) =>
    d.choose(
      d.call('starts_with', element, d.text('"')),
      d.macro('json_value', element, d.text('$')),
      element,
    ),
  );
}

function isList(value: DuckExpression): DuckExpression {
  return d.call('starts_with', d.call('ltrim', value), d.text('['));
}

function valueAt(json: DuckExpression, pointer: DuckExpression): DuckExpression {
  return readText(json, pointer, (valid, at) =>
    d.call('coalesce', scalar.ofText(valid, at), part.ofText(valid, at)),
  );
}

/**
 * The member of this name, or else of one that differs only in case. The key is a field's name, so always a literal.
 */
function memberAnyCase(json: DuckExpression, key: bound.Expression | undefined): DuckExpression {
  const name = key?.kind === 'literal' ? (key.value ?? '') : '';
  const lower = name.toLowerCase();
  const mayHave = d.call('contains', d.call('lower', json), d.text(lower));
  const alike = valueAt(json, d.call('js_json_member_pointer', json, d.text(lower)));
  return d.call(
    'coalesce',
    valueAt(json, d.text(pointerStep(name))),
    d.choose(mayHave, alike, d.nullValue),
  );
}
