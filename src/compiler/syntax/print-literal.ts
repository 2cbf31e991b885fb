import type { Identifier, LiteralType, TypeName } from './names.js';
import { reservedWords } from './words.js';

/** An identifier, in backticks if it was written with them or needs them. */
export function nameText({ name, quoted }: Pick<Identifier, 'name' | 'quoted'>): string {
  if (!quoted && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return name;
  return `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``;
}

/** A path: `a.b.c`. */
export function pathText(parts: readonly Identifier[]): string {
  return parts.map(nameText).join('.');
}

/** A date part, in backticks if it is a reserved word: the tree does not record how it was written. */
export function partText(part: string): string {
  return nameText({ name: part, quoted: reservedWords.has(part) });
}

/** A type: `ARRAY<STRUCT<a NUMERIC(10, 2)>>`. */
export function typeText({ name, parameters, element, fields }: TypeName): string {
  if (element !== undefined) return `${name}<${typeText(element)}>`;
  if (parameters !== undefined) return `${name}(${parameters.join(', ')})`;
  if (fields === undefined) return name;
  const inside = fields.map(({ name: field, type }) =>
    field === undefined ? typeText(type) : `${nameText(field)} ${typeText(type)}`,
  );
  return `${name}<${inside.join(', ')}>`;
}

/** How literals are printed, of each type that has its own notation. */
export const literals = {
  STRING: stringText,
  BYTES: (value) => `b'${value.replaceAll(/[^ -&(-[\]-~]/g, hexEscape)}'`,
  INT64: (value) => value,
  FLOAT64: (value) => value,
  BOOL: (value) => value.toUpperCase(),
  NULL: () => 'NULL',
} as const satisfies Record<LiteralType, (value: string) => string>;

/**
 * A string literal in single quotes, on one line.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#escape_sequences
 */
export function stringText(value: string): string {
  const escaped = value.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n');
  return `'${escaped.replaceAll(/\p{Cc}/gu, hexEscape)}'`;
}

function hexEscape(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
