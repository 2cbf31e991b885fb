import type { StructType, Type } from '../../types/type.js';
import { call, castTo, type DuckExpression, infix, macro, text } from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import { mapList, storedFields } from '../duckdb-sql/plain.js';
import { asText } from './as-text.js';

/**
 * A value as FORMAT's `%t` prints it, or `%T`, as a literal of GoogleSQL; NULL is `NULL`.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#t_and_t_behavior
 */
export function printValue(value: DuckExpression, type: Type, asLiteral: boolean): DuckExpression {
  return call('coalesce', printPresent(value, type, asLiteral), text('NULL'));
}

function printPresent(value: DuckExpression, type: Type, asLiteral: boolean): DuckExpression {
  if (type.kind === 'ARRAY') {
    const elements = mapList(value, (inner) => printValue(inner, type.element, asLiteral));
    return infix('||', text('['), macro('join', elements, text(', ')), text(']'));
  }
  if (type.kind === 'STRUCT') {
    return letOnce([value], ([one = value]) => printStruct(one, type, asLiteral));
  }
  return asLiteral ? printLiteral(value, type) : printPlain(value, type);
}

function printStruct(value: DuckExpression, type: StructType, asLiteral: boolean): DuckExpression {
  const fields = storedFields(value, type);
  const values = fields.flatMap(([field, inner], place) => [
    ...(place === 0 ? [] : [text(', ')]),
    printValue(inner, field.type, asLiteral),
  ]);
  const open = asLiteral && fields.length === 1 ? 'STRUCT(' : '(';
  const present = { kind: 'is-null', of: value, not: true } as const;
  const printed = infix('||', text(open), ...values, text(')'));
  return { kind: 'case', whens: [{ when: present, result: printed }] };
}

function printPlain(value: DuckExpression, type: Type): DuckExpression {
  if (type.kind === 'FLOAT64') return macro('format_float64', value);
  if (type.kind === 'BYTES') return macro('escape_bytes', value, text('"\'`'));
  return type.kind === 'JSON' ? jsonText(value) : asText(value, type);
}

/** JSON in one line, without spaces. */
export function jsonText(value: DuckExpression): DuckExpression {
  return castTo(call('json', value), 'VARCHAR');
}

/** `DATE "2026-01-02"`. */
function printLiteral(value: DuckExpression, type: Type): DuckExpression {
  switch (type.kind) {
    case 'BOOL':
    case 'INT64':
      return castTo(value, 'VARCHAR');
    case 'FLOAT64':
      return macro('format_float64_literal', value);
    case 'STRING':
      return macro('quote_text', value);
    case 'BYTES':
      return infix('||', text('b"'), macro('escape_bytes', value, text('"')), text('"'));
    case 'JSON':
      return infix('||', text('JSON '), macro('quote_text', jsonText(value)));
    case 'INTERVAL':
      return infix('||', text('INTERVAL "'), asText(value, type), text('" YEAR TO SECOND'));
    default:
      return infix('||', text(`${type.kind} "`), asText(value, type), text('"'));
  }
}
