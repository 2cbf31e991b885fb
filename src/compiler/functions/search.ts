import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import { defineFunctions, type Emitter } from './definition.js';
import { somePart } from './some-part.js';

const options = 'analyzer: STRING?, analyzer_options: STRING?';

/**
 * `src/values/functions` breaks the texts into tokens.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/search_functions
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/text-analysis-functions
 */
export const searchFunctions = defineFunctions({
  bag_of_words: ['ARRAY<STRING> -> ARRAY<STRUCT<term STRING, count INT64>>'],
  search: [`ANY, STRING, json_scope: STRING?, ${options} -> BOOL`, search],
  text_analyze: [`STRING, ${options} -> ARRAY<STRING>`, textAnalyze],
});

function search(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [
    value = d.nullValue,
    query = d.nullValue,
    ,
    analyzer = d.nullValue,
    settings = d.nullValue,
  ] = args;
  for (const option of node.args.slice(1)) refuseVariable(option, node);
  const [data, , scope] = node.args;
  if (scope !== undefined && !isDefaultScope(scope)) {
    throw new QueryFault('SEARCH is not supported with this json_scope', node.at);
  }
  const constants = [query, analyzer, settings].map((arg) => d.castTo(arg, 'VARCHAR'));
  const isDefault = [node.args[3], node.args[4]].every((option) => option === undefined);
  // Only strings are searched.
  return somePart(value, data?.type ?? { kind: 'STRING' }, (one, { kind }) => {
    if (kind !== 'STRING') return d.falseValue;
    return isDefault ? searchWithWord(one, constants) : d.call('js_search', one, ...constants);
  });
}

/** Most strings lack a word of the query; the engine detects that forty times as fast. */
function searchWithWord(text: DuckExpression, constants: readonly DuckExpression[]) {
  const [query = d.nullValue] = constants;
  return letOnce([text], ([one = text]) =>
    d.choose(
      d.macro('search_lacks', one, query),
      d.falseValue,
      d.call('js_search', one, ...constants),
    ),
  );
}

function isDefaultScope(scope: bound.Expression): boolean {
  return scope.kind === 'literal' && (scope.value ?? 'JSON_VALUES') === 'JSON_VALUES';
}

/** @throws QueryFault unless an argument has the same value for all rows */
function refuseVariable(value: bound.Expression, { at }: bound.Call): void {
  if (isConstant(value)) return;
  const message = 'All arguments of SEARCH after the first must be literals or query parameters';
  throw new QueryFault(message, at);
}

function isConstant(value: bound.Expression): boolean {
  if (value.kind === 'call') return value.function.isStable && value.args.every(isConstant);
  if (value.kind === 'cast') return isConstant(value.of);
  return value.kind === 'literal' || value.kind === 'parameter';
}

function textAnalyze(...[args]: Parameters<Emitter>): DuckExpression {
  const [value = d.nullValue, analyzer = d.nullValue, settings = d.nullValue] = args;
  const texts = [value, analyzer, settings].map((arg) => d.castTo(arg, 'VARCHAR'));
  return d.macro('json_texts', d.call('js_text_analyze', ...texts));
}
