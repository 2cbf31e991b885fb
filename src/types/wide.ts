import { type StructType, storedNames } from './types.js';

/** The maximum number of stored fields of a record that is not wide; it is faster to read without parts. */
const maxFields = 256;

const fieldsPerPart = 64;

/**
 * Splits the stored fields of a record into parts of few fields; a record that is not wide is the only part. For each
 * field that is read, the engine prepares all fields of the record: reading 2,000 fields of one record takes over a
 * gigabyte. So each part is first cast to a separate record, which finds its fields by name.
 */
export function splitWide(type: StructType): readonly StructType[] {
  const stored = type.fields.filter((field) => field.stored);
  const names = storedNames(type);
  const isNamed = type.fields.every(({ name }, index) => name === names[index]);
  if (stored.length <= maxFields || !isNamed) return [type];
  return Array.from({ length: Math.ceil(stored.length / fieldsPerPart) }, (_, index) => ({
    kind: 'STRUCT',
    fields: stored.slice(index * fieldsPerPart, (index + 1) * fieldsPerPart),
  }));
}
