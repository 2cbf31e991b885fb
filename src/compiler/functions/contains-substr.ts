import { QueryFault } from '../../errors/query-fault.js';
import { fieldType, isOpen, type Type, typeName } from '../../types/types.js';
import {
  call,
  choose,
  type DuckExpression,
  duckNull,
  infix,
  isNull,
  macro,
} from '../duckdb-sql/duckdb-sql.js';
import { jsonScalarToText, testNested } from '../duckdb-sql/json-values.js';
import { letOnce } from '../duckdb-sql/let.js';
import { mapList, readFields, type StoredField } from '../duckdb-sql/plain.js';
import { asText } from './cast-scalar.js';
import type { Emitter } from './definition.js';
import { mapCase } from './letter-case.js';

/**
 * `CONTAINS_SUBSTR(expression, literal)`: searches all values of an array, a struct or JSON.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#contains_substr
 */
export function containsSubstr(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [value = duckNull, searched = duckNull, scope] = args;
  const [first, literal] = node.args;
  if (literal?.kind === 'literal' && literal.value === null) {
    throw new QueryFault('CONTAINS_SUBSTR takes no NULL as the text to search for', node.at);
  }
  if (scope !== undefined && !(scope.kind === 'text' && scope.value === 'JSON_VALUES')) {
    throw new QueryFault('CONTAINS_SUBSTR is not supported with this json_scope', node.at);
  }
  const search = { searched, at: node.at };
  return contains(value, first?.type ?? { kind: 'STRING' }, search);
}

/** A record that lacks a field that only log files have does not hold the text there. */
const no: DuckExpression = { kind: 'word', word: 'FALSE' };

interface Search {
  readonly searched: DuckExpression;
  readonly at: number;
}

function contains(value: DuckExpression, type: Type, search: Search): DuckExpression {
  if (isOpen(type)) {
    const find = (kind: 'JSON' | 'STRING') => (one: DuckExpression) =>
      contains(one, { kind }, search);
    return testNested(value, find('JSON'), find('STRING'));
  }
  if (type.kind === 'STRUCT') {
    return letOnce([value], ([one = value]) => {
      const either = (found: readonly DuckExpression[]) => infix('OR', ...found);
      const read = (fields: readonly StoredField[]) =>
        either(
          fields.map(([field, inner]) => {
            const found = contains(inner, fieldType(field), search);
            return field.undeclared ? call('coalesce', found, no) : found;
          }),
        );
      if (!type.fields.some(({ stored }) => stored)) return duckNull;
      return choose(isNull(one), duckNull, readFields(one, type, read, either));
    });
  }
  if (type.kind === 'JSON') {
    const texts = mapList(macro('json_scalars', value), jsonScalarToText);
    return anyOf(texts, { kind: 'STRING' }, search);
  }
  if (type.kind === 'ARRAY') return anyOf(value, type.element, search);
  if (type.kind === 'BYTES' || type.kind === 'INTERVAL') {
    throw new QueryFault(`CONTAINS_SUBSTR does not search ${typeName(type)}`, search.at);
  }
  return call('contains', mapCase('fold', asText(value, type)), mapCase('fold', search.searched));
}

function anyOf(list: DuckExpression, element: Type, search: Search): DuckExpression {
  const body = contains({ kind: 'name', name: 'element' }, element, search);
  const found = call('list_transform', list, { kind: 'lambda', parameters: ['element'], body });
  return macro('any_true', found);
}
