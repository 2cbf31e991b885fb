import type { Field } from '../../src/types/types.js';

/** The paths of the records with not-null witnesses, each with its witnesses: `metadata.a: x, b.y`. */
export function listWitnesses(fields: readonly Field[]): readonly string[] {
  return fields.flatMap((field) => fieldWitnesses(field, ''));
}

function fieldWitnesses({ name, type }: Field, parent: string): readonly string[] {
  if (type.kind !== 'ARRAY' || type.element.kind !== 'STRUCT') return [];
  const path = `${parent}${name}`;
  const told = type.notNullWitnesses?.map((names) => names.join('.'));
  const own = told === undefined ? [] : [`${path}: ${told.join(', ')}`];
  return [...own, ...type.element.fields.flatMap((field) => fieldWitnesses(field, `${path}.`))];
}
