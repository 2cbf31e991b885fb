import { type StructType, storedNames, type Type } from '../../types/types.js';
import {
  call,
  castTo,
  choose,
  type DuckExpression,
  type DuckItem,
  duckNull,
  integer,
  isNull,
  macro,
} from './duckdb-sql.js';
import { duckType } from './duckdb-type.js';
import { letOnce } from './let.js';
import { mapList, storedFields } from './plain.js';

/** The macros that redact personal data in a value of these types. */
const macros: Partial<Record<Type['kind'], string>> = {
  STRING: 'redact',
  BYTES: 'redact_bytes',
  JSON: 'redact_json',
};

/** Whether a value of a type may hold text, at any depth. */
export function holdsText(type: Type): boolean {
  if (type.kind === 'ARRAY') return holdsText(type.element);
  if (type.kind !== 'STRUCT') return macros[type.kind] !== undefined;
  return type.fields.some((field) => field.stored && holdsText(field.type));
}

/**
 * A value with the personal data in its texts redacted, of the same type and layout. A value without
 * text is returned unchanged; names of fields are not redacted.
 */
export function redactValue(value: DuckExpression, type: Type): DuckExpression {
  if (!holdsText(type)) return value;
  if (type.kind === 'ARRAY' && type.layout === 'list') {
    return mapList(value, (element) => redactValue(element, type.element));
  }
  const structs = type.kind === 'ARRAY' ? type.element : type;
  if (structs.kind !== 'STRUCT') {
    return letOnce([value], ([one = duckNull]) => redactScalar(one, structs));
  }
  return letOnce([value], ([one = duckNull]) => redactStruct(one, structs));
}

/**
 * The cast does not change the type. Without it, DuckDB fails to bind a macro that is a field of a
 * record over a column of an outer query, and other macros make records of their arguments.
 */
function redactScalar(value: DuckExpression, type: Type): DuckExpression {
  return castTo(macro(macros[type.kind] ?? '', value), duckType(type));
}

/**
 * The texts of a record go through one call, as one list: the engine compiles the patterns for each
 * call, which would take a second for all fields of a log.
 */
function redactStruct(value: DuckExpression, type: StructType): DuckExpression {
  const texts = textsOf(value, type);
  if (texts.length === 0) return rebuild(value, type, () => duckNull);
  const list = mapList({ kind: 'list', elements: texts }, (text) => macro('redact', text));
  let position = 0;
  const body = rebuild(value, type, () => {
    position += 1;
    return call('list_extract', { kind: 'name', name: 'texts' }, integer(position));
  });
  // Without `letOnce`, since the record itself may be its variable `once`.
  const lambda = { kind: 'lambda', parameters: ['texts'], body } as const;
  const mapped = call('list_transform', { kind: 'list', elements: [list] }, lambda);
  return call('list_extract', mapped, integer(1));
}

/** The STRING fields of a record and of the records in it, in the order in which `rebuild` uses them. */
function textsOf(value: DuckExpression, type: StructType): readonly DuckExpression[] {
  return storedFields(value, type).flatMap(([field, inner]) => {
    if (field.type.kind === 'STRING') return [inner];
    const record = recordOf(field.type);
    return record === undefined ? [] : textsOf(inner, record);
  });
}

/** The type of a value that is stored as a single record; undefined for any other type. */
function recordOf(type: Type): StructType | undefined {
  if (type.kind === 'STRUCT') return type;
  if (type.kind !== 'ARRAY' || type.layout !== 'struct') return undefined;
  return type.element.kind === 'STRUCT' ? type.element : undefined;
}

function rebuild(
  value: DuckExpression,
  type: StructType,
  nextText: () => DuckExpression,
): DuckExpression {
  const names = storedNames(type).filter((_, index) => type.fields[index]?.stored);
  const fields = storedFields(value, type).map(([field, inner], index): DuckItem => {
    const name = names[index] ?? field.name;
    if (field.type.kind === 'STRING') return { name, value: nextText() };
    const record = recordOf(field.type);
    if (record === undefined) return { name, value: redactValue(inner, field.type) };
    return { name, value: holdsText(record) ? rebuild(inner, record, nextText) : inner };
  });
  return choose(isNull(value), duckNull, { kind: 'struct', fields });
}

/**
 * Whether a row of these columns can be redacted as JSON text: only strings hold text, and no key looks
 * like personal data.
 */
export function canRedactAsJson(
  columns: readonly { readonly name: string; readonly type: Type }[],
): boolean {
  return columns.every(({ name, type }) => isHarmlessKey(name) && isPlainText(type));
}

function isPlainText(type: Type): boolean {
  if (type.kind === 'ARRAY') return isPlainText(type.element);
  if (type.kind === 'BYTES' || type.kind === 'JSON') return false;
  if (type.kind !== 'STRUCT') return true;
  return type.fields.every((field) => isHarmlessKey(field.name) && isPlainText(field.type));
}

/** Every IP or e-mail address contains one of these characters, plain or escaped. */
function isHarmlessKey(name: string): boolean {
  return !/[@:.%&\\]/.test(name);
}
