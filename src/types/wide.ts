import { type StructType, storedNames } from './types.js';

/** A record of more stored fields is wide. Fewer are faster as they are. */
const maxFields = 256;

const fieldsPerPart = 64;

/**
 * The stored fields of a record in parts of few fields; a record that is not wide is the only part. For each field that is read,
 * the engine prepares all fields of the record: reading 2,000 fields of one record takes over a gigabyte. So each part is cast
 * to a record of its own first, which finds its fields by their names.
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
