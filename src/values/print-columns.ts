import {
  call,
  castTo,
  type DuckExpression,
  duckNull,
  infix,
  integer,
  text,
} from '../compiler/duckdb-sql/duckdb-sql.js';
import { encodeValue, type ScalarEncoders } from '../compiler/duckdb-sql/encode-value.js';
import { shownText } from '../compiler/duckdb-sql/json-object.js';
import { printExpression } from '../compiler/duckdb-sql/print.js';
import type { SourceSchema } from '../types/schema.js';
import { type Field, recordFields } from '../types/types.js';

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
    const shown = stored
      ? shownText(encodeValue(columnNamed(name), type, { isLogField: true, scalars }))
      : duckNull;
    return call('coalesce', shown, text('null'));
  });
  const separator = call('chr', integer(columnSeparator.charCodeAt(0)));
  return printExpression(call('concat_ws', separator, ...texts));
}

/**
 * The SQL of a record's project. The empty text if the source has no projects; undefined if a record may have several.
 */
export function projectSql({
  columns,
  projectPath,
}: Pick<SourceSchema, 'columns' | 'projectPath'>): string | undefined {
  const value = projectPath === undefined ? text('') : textAt(columns, projectPath);
  return value && printExpression(value);
}

function columnNamed(name: string): DuckExpression {
  return { kind: 'column', table: printedTable, name };
}

/** A stored STRING, which no list is above. */
function textAt(
  fields: readonly Field[],
  [name, ...rest]: readonly string[],
  of?: DuckExpression,
): DuckExpression | undefined {
  const field = fields.find((each) => each.name === name);
  if (field === undefined || !field.stored) return undefined;
  const value = of ? ({ kind: 'field', of, name: field.name } as const) : columnNamed(field.name);
  const { type } = field;
  if (rest.length === 0) return type.kind === 'STRING' ? value : undefined;
  const isOne = type.kind === 'ARRAY' && type.layout === 'struct';
  return isOne ? textAt(recordFields(type), rest, value) : undefined;
}

/** Answers show these as BigQuery does; the macros of `sql/bigquery` are not there while logs are loaded. */
const scalars: ScalarEncoders = {
  FLOAT64: floatToJson,
  /** A NUMERIC always has a decimal point and nine places. */
  NUMERIC: (value) => call('rtrim', call('rtrim', castTo(value, 'VARCHAR'), text('0')), text('.')),
  TIMESTAMP: (value) => call('epoch_us', value),
};

/** JSON has no numbers for these. */
function floatToJson(value: DuckExpression): DuckExpression {
  const isBeyond = (operator: '>' | '<') => infix(operator, value, integer(0));
  const whens = [
    { when: call('isfinite', value), result: call('to_json', value) },
    { when: call('isnan', value), result: call('to_json', text('NaN')) },
    { when: isBeyond('>'), result: call('to_json', text('Infinity')) },
    { when: isBeyond('<'), result: call('to_json', text('-Infinity')) },
  ];
  return { kind: 'case', whens };
}
