import { rangeNames } from './ranges.js';

const scalarNames = [
  'BOOL',
  'BYTES',
  'BIGNUMERIC',
  'DATE',
  'DATETIME',
  'FLOAT64',
  'INT64',
  'INTERVAL',
  'JSON',
  'NUMERIC',
  ...rangeNames,
  'STRING',
  'TIME',
  'TIMESTAMP',
] as const;

/** The name of a {@link ScalarType}. */
export type ScalarName = (typeof scalarNames)[number];

/** Whether a text is the name of a scalar type. */
export function isScalarName(name: string): name is ScalarName {
  return scalarNames.some((each) => each === name);
}

/**
 * A BigQuery type, and the way in which the engine stores its values if that differs.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types
 */
export type Type = ScalarType | ArrayType | StructType;

/** A type that is not made of other types, or a range. */
export interface ScalarType {
  readonly kind: ScalarName;
  /**
   * Set for an undeclared STRING of a log: other lines may have a record, a list or a number instead, so it can still
   * be read as one. Also set for a FLOAT64 that was read from such a STRING, and may be an integer.
   */
  readonly isOpen?: true;
  /** The fields of the records that a STRING of a log contains in some lines. */
  readonly fields?: readonly Field[];
}

/** An array type. */
export interface ArrayType {
  readonly kind: 'ARRAY';
  readonly element: Type;
  /**
   * `list`: a list in the engine. `struct`: a repeated record that has at most one element in every
   * row, stored as that element; NULL is the empty array.
   */
  readonly layout: 'list' | 'struct';
  /**
   * Only with layout `struct`: paths, below the element, of scalars that are not NULL wherever the
   * element exists, shortest first. Testing one reads a single column; testing the element itself
   * reads all of its columns.
   */
  readonly notNullWitnesses?: readonly (readonly string[])[];
}

/** A struct type; field names need not be unique. */
export interface StructType {
  readonly kind: 'STRUCT';
  readonly fields: readonly Field[];
}

/** A column of a table or a field of a struct. */
export interface Field {
  /** Empty for an unnamed field of a struct. */
  readonly name: string;
  readonly type: Type;
  /** False for a declared field that no file contains: it is not stored and reads as NULL. */
  readonly stored: boolean;
  /** Set if only log files have it, and no declaration: a record shows it only if it has a value. */
  readonly undeclared?: true;
}

/** An undeclared STRING of a log. */
export const openString: ScalarType = { kind: 'STRING', isOpen: true };

/** Whether a type is an undeclared STRING of a log. */
export function isOpen(type: Type): boolean {
  return type.kind === 'STRING' && type.isOpen === true;
}

/** Whether a type is a number that was read from an undeclared STRING of a log. */
export function isOpenNumber(type: Type): boolean {
  return type.kind === 'FLOAT64' && type.isOpen === true;
}

/** The type of a field's values: the strings of an undeclared field are open. */
export function fieldType({ type, undeclared }: Pick<Field, 'type' | 'undeclared'>): Type {
  if (!undeclared) return type;
  if (type.kind === 'ARRAY' && type.element.kind === 'STRING') {
    return { ...type, element: openString };
  }
  return type.kind === 'STRING' ? openText(type) : type;
}

/** The type of a string that may contain a value of a type: open, with the fields of its records. */
export function openText(type: Type): ScalarType {
  if (type.kind === 'ARRAY') return openText(type.element);
  const { fields } = type;
  return fields === undefined ? openString : { ...openString, fields };
}

/**
 * The field of a log's record for the fields that do not get their own types: a STRING with a JSON object. No
 * undeclared field has a name with this prefix.
 */
export const otherFields = '_other_fields';

/** Whether a field of a record, or a column, contains the {@link otherFields}. */
export function holdsOthers(field: Pick<Field, 'name' | 'type' | 'undeclared'>): boolean {
  return field.name === otherFields && isOpen(fieldType(field));
}

/** The number of stored fields, those of records included. */
export function countStored(fields: readonly Field[]): number {
  const stored = fields.filter((field) => field.stored);
  return stored.reduce((sum, { type }) => sum + 1 + countStored(recordFields(type)), 0);
}

/** A scalar type. */
export function scalar(kind: ScalarName): Type {
  return { kind };
}

/** An array type, stored as a list. */
export function arrayType(element: Type): ArrayType {
  return { kind: 'ARRAY', element, layout: 'list' };
}

/** A struct type whose fields are all stored. */
export function structType(fields: readonly { readonly name: string; readonly type: Type }[]) {
  return {
    kind: 'STRUCT',
    fields: fields.map(({ name, type }) => ({ name, type, stored: true })),
  } satisfies StructType;
}

/** The type in GoogleSQL: `ARRAY<STRUCT<host STRING>>`. */
export function typeName(type: Type): string {
  if (type.kind === 'ARRAY') return `ARRAY<${typeName(type.element)}>`;
  if (type.kind !== 'STRUCT') return type.kind;
  const fields = type.fields.map((field) => `${field.name} ${typeName(field.type)}`.trim());
  return `STRUCT<${fields.join(', ')}>`;
}

/** {@link typeName}, truncated to `max` characters. */
export function shortTypeName(type: Type, max = 120): string {
  const name = typeName(type);
  return name.length <= max ? name : `${name.slice(0, max - 3)}...`;
}

/** Whether two types have the same values; field names and stored layouts are ignored. */
export function sameType(a: Type, b: Type): boolean {
  if (a.kind === 'ARRAY') return b.kind === 'ARRAY' && sameType(a.element, b.element);
  if (a.kind !== 'STRUCT') return a.kind === b.kind;
  if (b.kind !== 'STRUCT' || a.fields.length !== b.fields.length) return false;
  return a.fields.every((field, i) => {
    const other = b.fields[i];
    return other !== undefined && sameType(field.type, other.type);
  });
}

/** Whether two types have the same values in the same stored layout. */
export function sameLayout(a: Type, b: Type): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** Whether the engine stores values of the type in the layout of computed values: arrays as lists. */
export function isPlain(type: Type): boolean {
  if (type.kind === 'ARRAY') return type.layout === 'list' && isPlain(type.element);
  if (type.kind !== 'STRUCT') return true;
  return type.fields.every((field) => isPlain(field.type));
}

/** The types of values that contain text, and may contain personal data. */
export type TextKind = 'BYTES' | 'JSON' | 'STRING';

/** Whether a value of a type may contain text, at any depth. */
export function holdsText(type: Type): boolean {
  if (type.kind === 'ARRAY') return holdsText(type.element);
  if (type.kind !== 'STRUCT') return /^(?:BYTES|JSON|STRING)$/.test(type.kind);
  return type.fields.some((field) => field.stored && holdsText(field.type));
}

/** Whether values of the type are records, or arrays of records. */
export function holdsRecord(type: Type): boolean {
  return type.kind === 'ARRAY' ? holdsRecord(type.element) : type.kind === 'STRUCT';
}

/** Whether values of the type are arrays, or have arrays in stored fields. */
export function holdsArray(type: Type): boolean {
  if (type.kind === 'ARRAY') return true;
  if (type.kind !== 'STRUCT') return false;
  return type.fields.some((field) => field.stored && holdsArray(field.type));
}

/** The plain type ({@link isPlain}) of the same values. Fields that are not stored stay not stored. */
export function plainType(type: Type): Type {
  if (type.kind === 'ARRAY') return arrayType(plainType(type.element));
  if (type.kind !== 'STRUCT') return type;
  const fields = type.fields.map((field) => ({ ...field, type: plainType(field.type) }));
  return { kind: 'STRUCT', fields };
}

/** Whether the same fields of two types with the same values are stored. */
export function sameStored(a: Type, b: Type): boolean {
  if (a.kind === 'ARRAY' && b.kind === 'ARRAY') return sameStored(a.element, b.element);
  if (a.kind !== 'STRUCT' || b.kind !== 'STRUCT') return true;
  return a.fields.every((field, i) => {
    const other = b.fields[i];
    if (field.stored !== other?.stored) return false;
    return !field.stored || sameStored(field.type, other.type);
  });
}

/**
 * Marks each field of a type as stored if it is stored in this type or in the other one, which has the same structure.
 */
export function mergeStored(type: Type, other: Type): Type {
  if (type.kind === 'ARRAY' && other.kind === 'ARRAY') {
    return { ...type, element: mergeStored(type.element, other.element) };
  }
  if (type.kind !== 'STRUCT' || other.kind !== 'STRUCT') return type;
  const fields = type.fields.map((field, i): Field => {
    const match = other.fields[i];
    if (!match?.stored) return field;
    const own = field.stored ? field.type : unstored(field.type);
    return { ...field, type: mergeStored(own, match.type), stored: true };
  });
  return { ...type, fields };
}

/** The type with every field marked as not stored: the type below a record that no file contains. */
export function unstored(type: Type): Type {
  if (type.kind === 'ARRAY') return { ...type, element: unstored(type.element) };
  if (type.kind !== 'STRUCT') return type;
  const fields = type.fields.map(
    (field): Field => ({ ...field, type: unstored(field.type), stored: false }),
  );
  return { ...type, fields };
}

/** The types of an array's elements or a struct's fields; empty for a scalar. */
export function innerTypes(type: Type): readonly Type[] {
  if (type.kind === 'ARRAY') return [type.element];
  return type.kind === 'STRUCT' ? type.fields.map((field) => field.type) : [];
}

/** The fields of a record, or of the records in an array; empty for any other type. */
export function recordFields(type: Type): readonly Field[] {
  const record = type.kind === 'ARRAY' ? type.element : type;
  return record.kind === 'STRUCT' ? record.fields : [];
}

/** The type of repeated records. */
export type Records = ArrayType & { readonly element: StructType };

/** Whether a type is an array of records, whose fields can be read only through UNNEST. */
export function isRecords(type: Type): type is Records {
  return type.kind === 'ARRAY' && type.element.kind === 'STRUCT';
}

/** A field of a struct by name, ignoring case. */
export function findField(type: StructType, name: string): Field | undefined {
  const wanted = name.toLowerCase();
  return type.fields.find((field) => field.name.toLowerCase() === wanted);
}

/** Whether the type is one of the number types. */
export function isNumeric(type: Type): boolean {
  return ['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'].includes(type.kind);
}

/** Cached, because looking up a field needs the names of all fields of the struct. */
const cachedNames = new WeakMap<StructType, readonly string[]>();

/** The names of a struct's fields in the engine: unique, and generated for unnamed fields. */
export function storedNames(type: StructType): readonly string[] {
  const cached = cachedNames.get(type);
  if (cached !== undefined) return cached;
  const names = uniqueNames(type);
  cachedNames.set(type, names);
  return names;
}

/** Whether all fields are stored by their own names. */
export function hasOwnNames(type: StructType): boolean {
  const names = storedNames(type);
  return type.fields.every(({ name }, index) => name === names[index]);
}

function uniqueNames({ fields }: StructType): readonly string[] {
  const taken = new Set<string>();
  // The next suffix to try for each name: starting at 2 each time would be quadratic.
  const nextSuffix = new Map<string, number>();
  return fields.map(({ name }, index) => {
    const wanted = name === '' ? `_${index + 1}` : name;
    const key = wanted.toLowerCase();
    let unique = wanted;
    let n = nextSuffix.get(key) ?? 2;
    for (; taken.has(unique.toLowerCase()); n++) unique = `${wanted}_${n}`;
    nextSuffix.set(key, n);
    taken.add(unique.toLowerCase());
    return unique;
  });
}
