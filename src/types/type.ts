import type { ArrayType, Field, ScalarName, StructType, Type } from './schema.js';

/** A type without parts. */
export function scalar(kind: ScalarName): Type {
  return { kind };
}

/** An array as the engine's list. */
export function arrayOf(element: Type): ArrayType {
  return { kind: 'ARRAY', element, layout: 'list' };
}

/** A struct whose fields are all stored. */
export function structOf(fields: readonly { readonly name: string; readonly type: Type }[]) {
  return {
    kind: 'STRUCT',
    fields: fields.map(({ name, type }) => ({ name, type, stored: true })),
  } satisfies StructType;
}

/** A type as GoogleSQL writes it: `ARRAY<STRUCT<host STRING>>`. */
export function typeName(type: Type): string {
  if (type.kind === 'ARRAY') return `ARRAY<${typeName(type.element)}>`;
  if (type.kind !== 'STRUCT') return type.kind;
  const fields = type.fields.map((field) => `${field.name} ${typeName(field.type)}`.trim());
  return `STRUCT<${fields.join(', ')}>`;
}

/** {@link typeName}, cut where it is too long to read in a message. */
export function shortTypeName(type: Type): string {
  const name = typeName(type);
  return name.length <= 120 ? name : `${name.slice(0, 117)}...`;
}

/** Whether two types hold the same values, however they are stored and their fields are named. */
export function sameType(a: Type, b: Type): boolean {
  if (a.kind === 'ARRAY') return b.kind === 'ARRAY' && sameType(a.element, b.element);
  if (a.kind !== 'STRUCT') return a.kind === b.kind;
  if (b.kind !== 'STRUCT' || a.fields.length !== b.fields.length) return false;
  return a.fields.every((field, i) => {
    const other = b.fields[i];
    return other !== undefined && sameType(field.type, other.type);
  });
}

/** Whether the engine holds a value of this type as BigQuery would: lists for arrays, every field there. */
export function isPlain(type: Type): boolean {
  if (type.kind === 'ARRAY') return type.layout === 'list' && isPlain(type.element);
  if (type.kind !== 'STRUCT') return true;
  return !type.hasMore && type.fields.every((field) => field.stored && isPlain(field.type));
}

/** The plain type of the same values: fields that are not stored are left out. */
export function plainType(type: Type): Type {
  if (type.kind === 'ARRAY') return arrayOf(plainType(type.element));
  if (type.kind !== 'STRUCT') return type;
  const stored = type.fields.filter((field) => field.stored);
  return structOf(stored.map(({ name, type: inner }) => ({ name, type: plainType(inner) })));
}

/** The same type with nothing in it stored, as below a record that no file has. */
export function unstored(type: Type): Type {
  if (type.kind === 'ARRAY') return { ...type, element: unstored(type.element) };
  if (type.kind !== 'STRUCT') return type;
  const fields = type.fields.map(
    (field): Field => ({ ...field, type: unstored(field.type), stored: false }),
  );
  return { ...type, fields };
}

/** A struct's field by name, without regard to letter case. */
export function findField(type: StructType, name: string): Field | undefined {
  const wanted = name.toLowerCase();
  return type.fields.find((field) => field.name.toLowerCase() === wanted);
}

export function isNumeric(type: Type): boolean {
  return ['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'].includes(type.kind);
}

const namesOfTypes = new WeakMap<StructType, readonly string[]>();

/** The names of a struct's fields in the engine: their own, made up where they have none or share one. */
export function storedNames(type: StructType): readonly string[] {
  // Kept, since each field of a wide struct asks for them.
  const known = namesOfTypes.get(type);
  if (known !== undefined) return known;
  const names = makeNames(type);
  namesOfTypes.set(type, names);
  return names;
}

function makeNames({ fields }: StructType): readonly string[] {
  const taken = new Set<string>();
  // Where the last of a name stopped: thousands of one name would else count from 2 each time.
  const tried = new Map<string, number>();
  return fields.map(({ name }, place) => {
    const wanted = name === '' ? `_${place + 1}` : name;
    const key = wanted.toLowerCase();
    let free = wanted;
    let n = tried.get(key) ?? 2;
    for (; taken.has(free.toLowerCase()); n++) free = `${wanted}_${n}`;
    tried.set(key, n);
    taken.add(free.toLowerCase());
    return free;
  });
}
