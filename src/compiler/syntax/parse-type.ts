import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import type { TypeName } from './names.js';
import { typeNames } from './words.js';

/**
 * Parses a type in a cast or a constructor, with its parameters: `STRING(10)`, `NUMERIC(10, 2)`.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types
 */
export function parseType(cursor: Cursor): TypeName {
  return cursor.nested(() => parseTypeName(cursor));
}

function parseTypeName(cursor: Cursor): TypeName {
  const { at, value } = cursor.next;
  if (cursor.accept('ARRAY')) return parseArray(cursor, at);
  if (cursor.accept('STRUCT')) return parseStruct(cursor, at);
  if (cursor.accept('RANGE')) return parseRange(cursor, at);
  const word = cursor.accept('INTERVAL') ? value : cursor.identifier().name;
  const name = typeNames[word.toUpperCase()];
  if (name === undefined) throw new QueryFault(`Type not found: ${shortName(word)}`, at);
  const parameters = cursor.accept('(') && cursor.closed(() => parseParameters(cursor));
  return { name, ...(parameters && { parameters }), at };
}

function parseParameters(cursor: Cursor): readonly number[] {
  return cursor.list(() => {
    if (cursor.next.kind !== 'integer') throw cursor.unexpected('Expected integer literal but got');
    return Number(cursor.take().value);
  });
}

function parseArray(cursor: Cursor, at: number): TypeName {
  cursor.expect('<');
  const element = parseType(cursor);
  cursor.expectAngle();
  return { name: 'ARRAY', element, at };
}

function parseStruct(cursor: Cursor, at: number): TypeName {
  if (cursor.accept('<>')) return { name: 'STRUCT', fields: [], at };
  cursor.expect('<');
  const fields = cursor.at('>') ? [] : cursor.list(() => parseField(cursor));
  cursor.expectAngle();
  return { name: 'STRUCT', fields, at };
}

function parseRange(cursor: Cursor, at: number): TypeName {
  cursor.expect('<');
  const { name, at: place } = cursor.identifier();
  const element = name.toUpperCase();
  if (!['DATE', 'DATETIME', 'TIMESTAMP'].includes(element)) {
    const message = `RANGE takes DATE, DATETIME or TIMESTAMP, not ${shortName(name)}`;
    throw new QueryFault(message, place);
  }
  cursor.expectAngle();
  return { name: `RANGE<${element}>`, at };
}

/** `name TYPE` or `TYPE`: the field has a name if the second token is a word. */
function parseField(cursor: Cursor): NonNullable<TypeName['fields']>[number] {
  const { kind } = cursor.peek(1);
  const named = kind === 'word' || kind === 'quoted';
  return named
    ? { name: cursor.identifier(), type: parseType(cursor) }
    : { type: parseType(cursor) };
}
