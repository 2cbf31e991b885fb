import { quoteName, quoteText } from '../common/quote.js';
import type { SourceSchema } from '../types/schema.js';
import {
  type ArrayType,
  type Field,
  type ScalarName,
  type StructType,
  storedNames,
  type Type,
} from '../types/types.js';

/** Separates the columns of a printed row: JSON escapes this character. */
export const columnSeparator = '\x1f';

/** The name of a source's table in the SQL that prints its rows. */
export const printedTable = 'record';

/**
 * The SQL of a row of a source's table as it is printed in answers: the JSON text of each column, joined by
 * {@link columnSeparator}. It uses only DuckDB's own functions. A column that is not stored is `null`.
 */
export function printRow({ columns }: Pick<SourceSchema, 'columns'>): string {
  const texts = columns.map(({ name, type, stored }) =>
    stored ? `coalesce(to_json(${print(columnSql(name), type)})::varchar, 'null')` : "'null'",
  );
  return `concat_ws(chr(${columnSeparator.charCodeAt(0)}), ${texts.join(', ')})`;
}

/**
 * The SQL of a record's project. The empty text if the source has no projects; undefined if a record may have several.
 */
export function projectSql({
  columns,
  projectPath = [],
}: Pick<SourceSchema, 'columns' | 'projectPath'>): string | undefined {
  const [first, ...rest] = projectPath;
  if (first === undefined) return "''";
  return textSql(columns, [first, ...rest]);
}

function columnSql(name: string): string {
  return `${printedTable}.${quoteName(name)}`;
}

/** The SQL of a stored STRING, which no list is above. */
function textSql(fields: readonly Field[], path: readonly string[], of = ''): string | undefined {
  const [name, ...rest] = path;
  const field = fields.find((each) => each.name === name);
  if (field === undefined || !field.stored) return undefined;
  const value = of === '' ? columnSql(field.name) : extract(of, field.name);
  if (rest.length === 0) return field.type.kind === 'STRING' ? value : undefined;
  const { type } = field;
  const isOne = type.kind === 'ARRAY' && type.layout === 'struct';
  return isOne && type.element.kind === 'STRUCT'
    ? textSql(type.element.fields, rest, value)
    : undefined;
}

/** A value that `to_json` prints as answers show it. */
function print(value: string, type: Type): string {
  if (type.kind === 'ARRAY') return printArray(value, type);
  if (type.kind === 'STRUCT') return printStruct(value, type);
  return scalars[type.kind]?.(value) ?? value;
}

const scalars: Partial<Record<ScalarName, (value: string) => string>> = {
  FLOAT64: printFloat,
  /** A NUMERIC always has a decimal point and nine places. */
  NUMERIC: (value) => `rtrim(rtrim((${value})::varchar, '0'), '.')`,
  TIMESTAMP: (value) => `epoch_us(${value})`,
};

/** JSON has no numbers for these. */
function printFloat(value: string): string {
  return `case when isfinite(${value}) then to_json(${value}) when isnan(${value}) then to_json('NaN')
    when ${value} > 0 then to_json('Infinity') when ${value} < 0 then to_json('-Infinity') end`;
}

/** An empty array is NULL. */
function printArray(value: string, { element, layout }: ArrayType): string {
  if (layout === 'struct') {
    // A path for each field, no lambda: DuckDB reads it in half the time.
    const shown = element.kind === 'STRUCT' ? printFields(value, element) : print(value, element);
    return `case when ${value} is not null then [${shown}] end`;
  }
  const name = `e${value.length}`;
  const shown = print(name, element);
  const list = shown === name ? value : `list_transform(${value}, lambda ${name}: ${shown})`;
  return `case when len(${value}) > 0 then ${list} end`;
}

function printStruct(value: string, type: StructType): string {
  return `case when ${value} is not null then ${printFields(value, type)} end`;
}

function printFields(value: string, type: StructType): string {
  const names = storedNames(type);
  const fields = type.fields.flatMap(({ type: inner, stored }, index) => {
    const name = names[index] ?? '';
    return stored ? [`${quoteName(name)} := ${print(extract(value, name), inner)}`] : [];
  });
  return fields.length === 0 ? 'null' : `struct_pack(${fields.join(', ')})`;
}

function extract(value: string, name: string): string {
  return `struct_extract(${value}, ${quoteText(name)})`;
}
