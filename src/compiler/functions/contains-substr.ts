import { QueryFault } from '../../errors/query-fault.js';
import { typeName } from '../../types/types.js';
import { call, type DuckExpression, nullValue } from '../duckdb-sql/duckdb-sql.js';
import { scalarToText } from './cast-scalar.js';
import type { Emitter } from './definition.js';
import { mapCase } from './letter-case.js';
import { somePart } from './some-part.js';

/**
 * `CONTAINS_SUBSTR(expression, literal)`: searches all values of an array, a struct or JSON.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#contains_substr
 */
export function containsSubstr(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [value = nullValue, searched = nullValue, scope] = args;
  const [first, literal] = node.args;
  if (literal?.kind === 'literal' && literal.value === null) {
    throw new QueryFault('CONTAINS_SUBSTR takes no NULL as the text to search for', node.at);
  }
  if (scope !== undefined && !(scope.kind === 'text' && scope.value === 'JSON_VALUES')) {
    throw new QueryFault('CONTAINS_SUBSTR is not supported with this json_scope', node.at);
  }
  return somePart(value, first?.type ?? { kind: 'STRING' }, (one, type) => {
    if (type.kind === 'BYTES' || type.kind === 'INTERVAL') {
      throw new QueryFault(`CONTAINS_SUBSTR does not search ${typeName(type)}`, node.at);
    }
    return call('contains', mapCase('fold', scalarToText(one, type)), mapCase('fold', searched));
  });
}
