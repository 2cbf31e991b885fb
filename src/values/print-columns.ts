import { quoteKey, quoteName, quoteText } from '../common/quote.js';
import type { SourceSchema } from '../types/schema.js';
import {
  type ArrayType,
  type Field,
  type ScalarName,
  type StructType,
  storedNames,
  type Type,
} from '../types/types.js';
import { splitWide } from '../types/wide.js';
import { storedTypeSql } from './stored-type-sql.js';

/** Separates the columns of a printed row: JSON escapes this character. */
export const columnSeparator = '\x1f';

/** The name of a source's table in the SQL that prints its rows. */
export const printedTable = 'record';

/**
 * The SQL of a row of a source's table as it is printed in answers: the JSON text of each column, joined by
 * {@link columnSeparator}. It uses only DuckDB's own functions. A column that is not stored is `null`.
 */
export function printRow({ columns }: Pick<SourceSchema, 'columns'>): string {
  const texts = columns.map(({ name, type, stored }) => {
    if (!stored) return "'null'";
    return `coalesce(${printText(print({ sql: columnSql(name), length: 0 }, type))}, 'null')`;
  });
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

/** The SQL of a stored value, and how many fields it is below a column or a variable. */
interface Stored {
  readonly sql: string;
  readonly length: number;
}

/** The SQL of a value that `to_json` prints as answers show it, or of its JSON text, which is NULL instead of `null`. */
interface Shown {
  readonly sql: string;
  readonly isText?: true;
}

function print(value: Stored, type: Type): Shown {
  const { sql } = value;
  if (type.kind === 'ARRAY') {
    return type.layout === 'list' ? printList(value, type) : printRecord(value, type.element, true);
  }
  if (type.kind === 'STRUCT') return printRecord(value, type, false);
  return { sql: scalars[type.kind]?.(sql) ?? sql };
}

function printText({ sql, isText }: Shown): string {
  return isText ? sql : `to_json(${sql})::varchar`;
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

/** All lambdas here name their variable alike: no value refers to the variable of an outer lambda. */
const element: Stored = { sql: 'element', length: 0 };

/** An empty array is NULL. */
function printList({ sql }: Stored, { element: type }: ArrayType): Shown {
  const shown = print(element, type);
  const some = (list: string) => `case when len(${sql}) > 0 then ${list} end`;
  if (shown.sql === element.sql) return { sql: some(sql) };
  if (!shown.isText) return { sql: some(mapList(sql, shown.sql)) };
  const texts = mapList(sql, `coalesce(${shown.sql}, 'null')`);
  return { sql: some(inBrackets(`list_aggregate(${texts}, 'string_agg', ',')`)), isText: true };
}

/** A record, or an array that is stored as its only element. */
function printRecord(value: Stored, type: Type, isArray: boolean): Shown {
  const isNamed = needsName(value, type);
  const shown = printPresent(isNamed ? element : value, type);
  const one = isArray && shown.isText ? inBrackets(shown.sql) : shown.sql;
  const present = isNamed ? `${mapList(`[${value.sql}]`, one)}[1]` : one;
  const all = isArray && !shown.isText ? `[${present}]` : present;
  const { isText } = shown;
  return { sql: `case when ${value.sql} is not null then ${all} end`, ...(isText && { isText }) };
}

function printPresent(value: Stored, type: Type): Shown {
  return type.kind === 'STRUCT' ? printFields(value, type) : print(value, type);
}

const maxPath = 4;
const manyFields = 32;

/** Whether a variable costs less than the path to a record: if that is long, or stands before many fields. */
function needsName({ sql, length }: Stored, type: Type): boolean {
  if (sql === element.sql) return false;
  const isWide = type.kind === 'STRUCT' && type.fields.length > manyFields;
  return length >= (isWide ? 1 : maxPath);
}

/** A member of an object. */
interface Member extends Shown {
  readonly name: string;
  readonly undeclared?: true | undefined;
}

/** An undeclared field is shown only if it has a value, so records with one at any depth are printed member by member. */
function printFields(value: Stored, type: StructType): Shown {
  const parts = splitWide(type);
  if (parts.length > 1) return { sql: `'{' || ${printParts(value, parts)} || '}'`, isText: true };
  const members = printedMembers(value, type);
  if (members.length === 0) return { sql: 'null' };
  if (members.some(isPrinted))
    return { sql: `'{' || ${printMembers(members)} || '}'`, isText: true };
  return { sql: packObject(members) };
}

function printedMembers(value: Stored, type: StructType): readonly Member[] {
  const names = storedNames(type);
  return type.fields.flatMap(({ type: inner, stored, undeclared }, index): Member[] => {
    const name = names[index] ?? '';
    const field = { sql: extract(value.sql, name), length: value.length + 1 };
    return stored ? [{ name, undeclared, ...print(field, inner) }] : [];
  });
}

function printParts({ sql }: Stored, parts: readonly StructType[]): string {
  const texts = parts.map((part) => {
    const text = printMembers(printedMembers({ sql: 'part', length: 0 }, part));
    return `list_transform([(${sql})::${storedTypeSql(part)}], lambda part: ${text})[1]`;
  });
  return `array_to_string(list_filter([${texts.join(', ')}], lambda part: part <> ''), ',')`;
}

function isPrinted({ isText, undeclared }: Member): boolean {
  return isText ?? undeclared ?? false;
}

/** Neighbours that every row shows become JSON together, which is faster than one by one. */
function printMembers(members: readonly Member[]): string {
  const pieces: string[] = [];
  let always: Member[] = [];
  const closeRun = () => {
    if (always.length > 0) pieces.push(`(to_json(${packObject(always)})::varchar)[2:-2]`);
    always = [];
  };
  for (const member of members) {
    if (!isPrinted(member)) {
      always.push(member);
      continue;
    }
    closeRun();
    pieces.push(printMember(member));
  }
  closeRun();
  return `concat_ws(',', ${pieces.join(', ')})`;
}

function printMember(member: Member): string {
  const text = printText(member);
  const shown = member.undeclared ? text : `coalesce(${text}, 'null')`;
  return `${quoteText(quoteKey(member.name))} || ${shown}`;
}

function packObject(members: readonly Member[]): string {
  return `struct_pack(${members.map(({ name, sql }) => `${quoteName(name)} := ${sql}`).join(', ')})`;
}

function mapList(list: string, body: string): string {
  return `list_transform(${list}, lambda element: ${body})`;
}

function inBrackets(elements: string): string {
  return `'[' || ${elements} || ']'`;
}

function extract(value: string, name: string): string {
  return `struct_extract(${value}, ${quoteText(name)})`;
}
