import { QueryFault } from '../../errors/query-fault.js';
import { fieldType, isOpen, isPlain, openString, type Type, typeName } from '../../types/types.js';
import type { FormName } from '../../values/member-options.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { inBraces } from '../duckdb-sql/json-object.js';
import { jsonScalarToText } from '../duckdb-sql/json-values.js';
import { letOnce } from '../duckdb-sql/let.js';
import { mapList, readFields, type StoredField } from '../duckdb-sql/plain.js';
import { splitCalled } from '../duckdb-sql/undeclared.js';
import { scalarToText } from './cast-scalar.js';
import { asVarchar, defineFunctions, type Emitter } from './definition.js';
import { mapCase } from './letter-case.js';

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
  const [value = d.nullValue, query, , analyzer, settings] = args;
  if (!node.args.slice(1).every(isConstant)) {
    const message = 'All arguments of SEARCH after the first must be literals or query parameters';
    throw new QueryFault(message, node.at);
  }
  const [data, , scope] = node.args;
  const isOther = scope?.kind !== 'literal' || (scope.value ?? 'JSON_VALUES') !== 'JSON_VALUES';
  if (scope !== undefined && isOther) {
    throw new QueryFault('SEARCH is not supported with this json_scope', node.at);
  }
  const constants = [query, analyzer, settings].map(asVarchar);
  const isDefault = node.args[3] === undefined && node.args[4] === undefined;
  // Only strings are searched.
  const test: Search['test'] = (text, { kind }) => {
    if (kind !== 'STRING') return d.falseValue;
    if (!isDefault) return d.call('js_search', text, ...constants);
    // Most strings lack a word of the query; the engine detects that forty times as fast.
    return letOnce([text], ([one = text]) => {
      const isLacking = d.macro('search_lacks', one, ...constants.slice(0, 1));
      return d.choose(isLacking, d.falseValue, d.call('js_search', one, ...constants));
    });
  };
  return testParts(value, data?.type ?? { kind: 'STRING' }, { test, form: 'strings' });
}

/** Whether an argument has the same value for all rows. */
function isConstant(value: bound.Expression): boolean {
  if (value.kind === 'call') return value.function.isStable && value.args.every(isConstant);
  if (value.kind === 'cast') return isConstant(value.of);
  return value.kind === 'literal' || value.kind === 'parameter';
}

function textAnalyze([value, analyzer, settings]: readonly DuckExpression[]): DuckExpression {
  const texts = [value, analyzer, settings].map(asVarchar);
  return d.macro('json_texts', d.call('js_text_analyze', ...texts));
}

/**
 * `CONTAINS_SUBSTR(expression, literal)`: searches all values of an array, a struct or JSON.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#contains_substr
 */
export function containsSubstr(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [value = d.nullValue, searched = d.nullValue, scope] = args;
  const [first, literal] = node.args;
  if (literal?.kind === 'literal' && literal.value === null) {
    throw new QueryFault('CONTAINS_SUBSTR takes no NULL as the text to search for', node.at);
  }
  if (scope !== undefined && !(scope.kind === 'text' && scope.value === 'JSON_VALUES')) {
    throw new QueryFault('CONTAINS_SUBSTR is not supported with this json_scope', node.at);
  }
  const test: Search['test'] = (one, type) => {
    if (type.kind === 'BYTES' || type.kind === 'INTERVAL') {
      throw new QueryFault(`CONTAINS_SUBSTR does not search ${typeName(type)}`, node.at);
    }
    return d.call('contains', mapCase('fold', scalarToText(one, type)), mapCase('fold', searched));
  };
  return testParts(value, first?.type ?? { kind: 'STRING' }, { test, form: 'text' });
}

/** What is searched in the parts of a value. */
interface Search {
  /** A condition on a scalar. */
  readonly test: (value: DuckExpression, type: Type) => DuckExpression;
  /** The form in which a call prints undeclared fields. */
  readonly form: FormName;
}

/**
 * Whether a condition holds for a part of a value, at any depth: an element, a field, or a scalar of JSON. NULL if it
 * holds for no part, but some part is NULL.
 * @param isStored whether the whole value has the stored layout, in which an array that is NULL is empty
 */
function testParts(
  value: DuckExpression,
  type: Type,
  search: Search,
  isStored = !isPlain(type),
): DuckExpression {
  const testOne = (one: DuckExpression, of: Type) => testParts(one, of, search, isStored);
  const testSome = (list: DuckExpression, element: Type) =>
    d.macro(
      'any_true',
      mapList(list, (one) => testOne(one, element)),
    );
  const testJson = (json: DuckExpression, element: Type) =>
    testSome(mapList(d.macro('json_scalars', json), jsonScalarToText), element);
  if (isOpen(type)) {
    return letOnce([value], ([one = value]) => {
      const isNested = d.infix('AND', d.macro('opens_json', one), d.macro('is_json', one));
      // The engine may cast the string before it tests whether it is JSON.
      const json = { ...d.castTo(one, 'JSON'), safe: true } as const;
      const nested = testJson(json, { kind: 'STRING' });
      return d.choose(isNested, nested, search.test(one, { kind: 'STRING' }));
    });
  }
  if (type.kind === 'ARRAY') {
    const test = type.layout === 'struct' ? testOne : testSome;
    if (!isStored) return test(value, type.element);
    return letOnce([value], ([one = value]) =>
      d.choose(d.isNull(one), d.falseValue, test(one, type.element)),
    );
  }
  if (type.kind === 'JSON') return testJson(value, { kind: 'STRING' });
  if (type.kind !== 'STRUCT') return search.test(value, type);
  if (!type.fields.some(({ stored }) => stored)) return d.nullValue;
  const ofField = ([field, inner]: StoredField) => {
    const found = testOne(inner, fieldType(field));
    // A field that only log files have is false, not NULL, if a record lacks it.
    return field.undeclared ? d.call('coalesce', found, d.falseValue) : found;
  };
  const join = (found: readonly DuckExpression[]) => d.infix('OR', ...found);
  const read = (fields: readonly StoredField[]) => join(fields.map(ofField));
  return letOnce([value], ([one = value]) => {
    const { members, others } = splitCalled(one, type, search.form);
    const json = members && d.castTo(inBraces(members), 'JSON');
    const found = [
      ...others.map((part) => readFields(one, part, read, join)),
      ...(json ? [d.call('coalesce', testJson(json, openString), d.falseValue)] : []),
    ];
    return d.choose(d.isNull(one), d.nullValue, join(found));
  });
}
