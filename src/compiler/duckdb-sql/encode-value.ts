import type { ArrayType, ScalarName, StructType, Type } from '../../types/types.js';
import * as d from './duckdb-sql.js';
import type { JsonMember, ShownMember } from './json-object.js';
import * as json from './json-object.js';
import { type StoredField, storedFields } from './plain.js';
import { isLarge, printRuns } from './undeclared.js';
import { duckList, isLongPath, letBe, mapAs } from './variable.js';

/** The functions that convert values to JSON, by type; types that are not listed need no conversion. */
export type ScalarEncoders = Partial<
  Record<ScalarName, (value: d.DuckExpression) => d.DuckExpression>
>;

interface Context {
  readonly scalars: ScalarEncoders;
  /** Arrays in stored values may contain `null`; an array that the query computes must not. */
  readonly isLogField: boolean;
}

/** Encodes a value as answers show it. */
export function encodeValue(value: d.DuckExpression, type: Type, context: Context): ShownMember {
  if (type.kind === 'STRUCT') return encodeRecord(value, type, { ...context, isArray: false });
  if (type.kind !== 'ARRAY') return { value: context.scalars[type.kind]?.(value) ?? value };
  return type.layout === 'list'
    ? encodeList(value, type, context)
    : encodeRecord(value, type.element, { ...context, isArray: true });
}

/** Encodes a list; an empty or NULL array becomes null. */
function encodeList(
  value: d.DuckExpression,
  { element }: ArrayType,
  context: Context,
): ShownMember {
  const length = d.call('len', value);
  const failure = d.macro('fail_int64', d.text('Array cannot have a null element'));
  const none = context.isLogField
    ? d.integer(0)
    : d.choose(d.infix('<', d.call('list_count', value), length), failure, d.integer(0));
  const some = d.infix('>', length, none);
  const shown = encodeValue(elementName, element, context);
  if (shown.value === elementName) return { value: d.choose(some, value) };
  if (!shown.isText) return { value: d.choose(some, mapAs(value, 'element', shown.value)) };
  const texts = mapAs(value, 'element', d.call('coalesce', shown.value, d.text('null')));
  return {
    value: d.choose(some, inBrackets(d.call('array_to_string', texts, d.text(',')))),
    isText: true,
  };
}

/** The variable of all lambdas in this file: no value refers to the variable of an outer lambda. */
const elementName = d.variable('element');

/** Encodes a record, or an array that is stored as its only element. */
function encodeRecord(
  value: d.DuckExpression,
  type: Type,
  { isArray, ...context }: Context & { readonly isArray: boolean },
): ShownMember {
  // A variable stays as it is, and so does a large record, whose parts become variables.
  const mayBeNamed = value.kind !== 'name' && !(type.kind === 'STRUCT' && isLarge(type));
  const isNamed = mayBeNamed && isLongPath(value, type);
  const one = isNamed ? elementName : value;
  const shown =
    type.kind === 'STRUCT' ? encodeFields(one, type, context) : encodeValue(one, type, context);
  const isWhole = shown.value === one;
  if (isWhole && !isArray) return { value };
  const read = (body: d.DuckExpression) => (isNamed ? letBe(value, 'element', body) : body);
  const orNull = (present: d.DuckExpression) => d.choose(d.isNull(value), d.nullValue, present);
  if (!shown.isText) {
    const present = isWhole ? value : read(shown.value);
    return { value: orNull(isArray ? duckList(present) : present) };
  }
  return { value: orNull(read(isArray ? inBrackets(shown.value) : shown.value)), isText: true };
}

/**
 * Encodes a struct that is not NULL as an object. The object is a struct, which becomes JSON together with the whole
 * row: converting level by level would take 1.5 times as long. A record with undeclared fields at any depth is printed,
 * because each row shows different ones.
 */
function encodeFields(value: d.DuckExpression, type: StructType, context: Context): ShownMember {
  if (isLarge(type)) {
    const read = (stored: readonly StoredField[]) =>
      json.printMembers(encodeMembers(stored, context));
    return { value: json.inBraces(printRuns(value, type, 'answer', read)), isText: true };
  }
  const members = encodeMembers(storedFields(value, type), context);
  if (members.length === 0)
    return type.fields.length === 0
      ? { value: d.text('{}'), isText: true }
      : { value: d.nullValue };
  if (members.some(json.isPrinted))
    return { value: json.inBraces(json.printMembers(members)), isText: true };
  const isAsStored = members.every(
    ({ name, value: shown }) => shown.kind === 'field' && shown.of === value && shown.name === name,
  );
  return { value: isAsStored ? value : json.packObject(members) };
}

function encodeMembers(fields: readonly StoredField[], context: Context): readonly JsonMember[] {
  return fields.map(([field, inner], index): JsonMember => {
    const name = field.name || `_field_${index + 1}`;
    const { undeclared } = field;
    const isLogField = context.isLogField || undeclared === true;
    const shown = encodeValue(inner, field.type, { ...context, isLogField });
    return { name, ...(undeclared && { undeclared }), ...shown };
  });
}

function inBrackets(elements: d.DuckExpression): d.DuckExpression {
  return d.infix('||', d.text('['), elements, d.text(']'));
}
