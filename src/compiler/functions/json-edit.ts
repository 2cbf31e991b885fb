import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import { defineFunctions, type Emitter } from './definition.js';
import { checkJsonPath } from './json-path.js';
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

interface Pair {
  readonly path: DuckExpression;
  readonly value: DuckExpression;
  readonly type: bound.Expression['type'];
}

/** The pairs of a path and a value after the first two arguments. */
function pairsOf(args: readonly DuckExpression[], node: bound.Call): readonly Pair[] {
  const name = node.function.name.toUpperCase();
  if (node.args.length < 4 || node.args.length % 2 !== 0) {
    throw new QueryFault(`${name} takes pairs of a path and a value after the JSON`, node.at);
  }
  return node.args.slice(2).flatMap((bound, index) => {
    if (index % 2 !== 0) return [];
    checkPath(bound, node);
    const value = args[index + 3] ?? d.nullValue;
    const type = node.args[index + 3]?.type ?? { kind: 'STRING' };
    return [{ path: d.castTo(args[index + 2] ?? d.nullValue, 'VARCHAR'), value, type }];
  });
}

/** @throws QueryFault if an argument is not a path */
function checkPath(
  path: bound.Expression | undefined,
  { function: { name }, at }: bound.Call,
): void {
  const isNullLiteral = path?.kind === 'literal' && path.value === null;
  if (path?.type.kind !== 'STRING' && !isNullLiteral) {
    throw new QueryFault(`A path of ${name.toUpperCase()} is not a STRING`, at);
  }
  checkJsonPath(path, at);
}

/** Calls a JavaScript function that takes and returns JSON as text. */
function edit(name: string, args: readonly DuckExpression[]): DuckExpression {
  return d.castTo(d.call(`js_${name}`, ...args), 'JSON');
}

function flag(value: DuckExpression | undefined): DuckExpression {
  return d.castTo(value ?? d.nullValue, 'VARCHAR');
}

function jsonSet(...[args, node]: Parameters<Emitter>): DuckExpression {
  const pairs = pairsOf(args, node).flatMap(({ path, value, type }) => [
    path,
    jsonText(value, type, valueLayout),
  ]);
  return edit('json_set', [d.castTo(args[0] ?? d.nullValue, 'VARCHAR'), flag(args[1]), ...pairs]);
}

function arrayAdd(...[args, node]: Parameters<Emitter>): DuckExpression {
  const added = pairsOf(args, node).flatMap(({ path, value, type }) =>
    type.kind === 'ARRAY'
      ? [path, d.text('array'), nullableText(value, type)]
      : [path, d.text('value'), jsonText(value, type, valueLayout)],
  );
  const json = d.castTo(args[0] ?? d.nullValue, 'VARCHAR');
  return edit(node.function.name, [json, flag(args[1]), ...added]);
}

/** The JSON text of an array; NULL for a NULL array. */
function nullableText(value: DuckExpression, type: bound.Expression['type']): DuckExpression {
  return letOnce([value], ([one = value]) =>
    d.choose(d.isNull(one), d.castTo(d.nullValue, 'VARCHAR'), jsonText(one, type, valueLayout)),
  );
}

function jsonRemove(...[args, node]: Parameters<Emitter>): DuckExpression {
  for (const path of node.args.slice(1)) checkPath(path, node);
  return edit(
    'json_remove',
    args.map((arg) => d.castTo(arg, 'VARCHAR')),
  );
}

function jsonStripNulls(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [json = d.nullValue, path = d.text('$'), arrays = d.text('true'), empty = d.text('false')] =
    args;
  if (node.args[1] !== undefined) checkPath(node.args[1], node);
  return edit(
    'json_strip_nulls',
    [json, path, arrays, empty].map((arg) => d.castTo(arg, 'VARCHAR')),
  );
}

function jsonFlatten(...[[json = d.nullValue]]: Parameters<Emitter>): DuckExpression {
  return d.macro('json_elements', d.call('js_json_flatten', d.castTo(json, 'VARCHAR')));
}
