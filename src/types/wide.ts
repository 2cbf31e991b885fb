import { hasOwnNames, type StructType } from './types.js';

/** The maximum number of stored fields of a record that is read and printed field by field, which is faster. */
export const maxFields = 256;

const fieldsPerPart = 64;

/**
 * Splits the stored fields of a record into parts of few fields; a record that is not wide is the only part. For each
 * field that is read, the engine prepares all fields of the record: reading 2,000 fields of one record takes over a
 * gigabyte. So each part is first cast to a separate record, which finds its fields by name.
 */
export function splitWide(type: StructType): readonly StructType[] {
  const stored = type.fields.filter((field) => field.stored);
  if (stored.length <= maxFields || !hasOwnNames(type)) return [type];
  return fewFields({ ...type, fields: stored });
}

/** Splits a record into parts of few fields. */
export function fewFields({ fields }: StructType): readonly StructType[] {
  return Array.from({ length: Math.ceil(fields.length / fieldsPerPart) }, (_, index) => ({
    kind: 'STRUCT',
    fields: fields.slice(index * fieldsPerPart, (index + 1) * fieldsPerPart),
  }));
}
