import { QueryFault } from '../../errors/query-fault.js';
import type { Type } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { isNullLiteral } from '../bound/coerce.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import { asVarchar, defineFunctions, type Emitter } from './definition.js';
import { checkJsonPath } from './json-parts.js';
import { jsonText, valueLayout } from './json-text.js';

/**
 * Functions that change JSON; `src/values/functions` computes them.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions
 */
export const jsonEditFunctions = defineFunctions({
  json_array_append: ['JSON, append_each_element: BOOL = true?, ANY... -> JSON', arrayAdd],
  json_array_insert: ['JSON, insert_each_element: BOOL = true?, ANY... -> JSON', arrayAdd],
  json_flatten: ['JSON -> ARRAY<JSON>', jsonFlatten],
  json_remove: ['JSON, STRING, STRING... -> JSON', jsonRemove],
  json_set: ['JSON, create_if_missing: BOOL = true?, ANY... -> JSON', jsonSet],
  json_strip_nulls: [
    'JSON, STRING = $?, include_arrays: BOOL = true?, remove_empty: BOOL = false? -> JSON',
    jsonStripNulls,
  ],
});

/** The pairs of a path and a value after the first two arguments. */
function pathValuePairs(args: readonly DuckExpression[], node: bound.Call) {
  const name = node.function.name.toUpperCase();
  if (node.args.length < 4 || node.args.length % 2 !== 0) {
    throw new QueryFault(`${name} takes pairs of a path and a value after the JSON`, node.at);
  }
  return node.args.slice(2).flatMap((bound, index) => {
    if (index % 2 !== 0) return [];
    checkPath(bound, node);
    const value = args[index + 3] ?? d.nullValue;
    const type: Type = node.args[index + 3]?.type ?? { kind: 'STRING' };
    return [{ path: asVarchar(args[index + 2]), value, type }];
  });
}

/** @throws QueryFault if an argument is not a path */
function checkPath(path: bound.Expression, { function: { name }, at }: bound.Call): void {
  if (path.type.kind !== 'STRING' && !isNullLiteral(path)) {
    throw new QueryFault(`A path of ${name.toUpperCase()} is not a STRING`, at);
  }
  checkJsonPath(path, at);
}

/** Calls a JavaScript function that takes and returns JSON as text. */
function edit(name: string, args: readonly DuckExpression[]): DuckExpression {
  return d.castTo(d.call(`js_${name}`, ...args), 'JSON');
}

function jsonSet(...[args, node]: Parameters<Emitter>): DuckExpression {
  const pairs = pathValuePairs(args, node).flatMap(({ path, value, type }) => [
    path,
    jsonText(value, type, valueLayout),
  ]);
  return edit('json_set', [asVarchar(args[0]), asVarchar(args[1]), ...pairs]);
}

function arrayAdd(...[args, node]: Parameters<Emitter>): DuckExpression {
  const added = pathValuePairs(args, node).flatMap(({ path, value, type }) =>
    type.kind === 'ARRAY'
      ? [path, d.text('array'), nullableText(value, type)]
      : [path, d.text('value'), jsonText(value, type, valueLayout)],
  );
  return edit(node.function.name, [asVarchar(args[0]), asVarchar(args[1]), ...added]);
}

/** The JSON text of an array; NULL for a NULL array. */
function nullableText(value: DuckExpression, type: bound.Expression['type']): DuckExpression {
  return letOnce([value], ([one = value]) =>
    d.choose(d.isNull(one), asVarchar(), jsonText(one, type, valueLayout)),
  );
}

function jsonRemove(...[args, node]: Parameters<Emitter>): DuckExpression {
  for (const path of node.args.slice(1)) checkPath(path, node);
  return edit('json_remove', args.map(asVarchar));
}

function jsonStripNulls(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [json, path = d.text('$'), arrays = d.text('true'), empty = d.text('false')] = args;
  if (node.args[1] !== undefined) checkPath(node.args[1], node);
  return edit('json_strip_nulls', [json, path, arrays, empty].map(asVarchar));
}

function jsonFlatten([json]: readonly DuckExpression[]): DuckExpression {
  return d.macro('json_elements', d.call('js_json_flatten', asVarchar(json)));
}
