import type { DuckExpression } from '../compiler/duckdb-sql/duckdb-sql.js';
import * as d from '../compiler/duckdb-sql/duckdb-sql.js';
import { encodeValue, type ScalarEncoders } from '../compiler/duckdb-sql/encode-value.js';
import { shownText } from '../compiler/duckdb-sql/json-object.js';
import { printDuckExpression } from '../compiler/duckdb-sql/print.js';
import type { SourceSchema } from '../types/schema.js';
import { type Field, recordFields } from '../types/types.js';

/** Separates the columns of a printed row: JSON escapes this character. */
export const columnSeparator = '\x1f';

/** The name of a source's table in the SQL that prints its rows. */
export const printedTable = 'record';

/**
 * Returns SQL that prints a row of a source's table as in answers: the JSON text of each column, joined by
 * {@link columnSeparator}. It uses only functions that DuckDB or the loader has. A column that is not stored is `null`.
 */
export function printRow({ columns }: Pick<SourceSchema, 'columns'>): string {
  const texts = columns.map(({ name, type, stored }) => {
    const shown = stored
      ? shownText(encodeValue(columnNamed(name), type, { isLogField: true, scalars }))
      : d.nullValue;
    return d.call('coalesce', shown, d.text('null'));
  });
  const separator = d.call('chr', d.integer(columnSeparator.charCodeAt(0)));
  return printDuckExpression(d.call('concat_ws', separator, ...texts));
}

/**
 * SQL for a record's project; the empty string if the source has no projects. Undefined if a record may have several.
 */
export function projectSql({
  columns,
  projectPath,
}: Pick<SourceSchema, 'columns' | 'projectPath'>): string | undefined {
  const value = projectPath === undefined ? d.text('') : textAt(columns, projectPath);
  return value && printDuckExpression(value);
}

function columnNamed(name: string): DuckExpression {
  return { kind: 'column', table: printedTable, name };
}

/** Returns the stored STRING at a path; undefined if there is none, or a list encloses it. */
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

/**
 * The scalars that answers show as BigQuery does; the macros of `sql/bigquery` are not available while logs are loaded.
 */
const scalars: ScalarEncoders = {
  FLOAT64: floatToJson,
  /** A NUMERIC always has a decimal point and nine places. */
  NUMERIC: (value) =>
    d.call('rtrim', d.call('rtrim', d.castTo(value, 'VARCHAR'), d.text('0')), d.text('.')),
  TIMESTAMP: (value) => d.call('epoch_us', value),
};

/** Prints a FLOAT64; NaN and infinities become strings, because JSON has no numbers for them. */
function floatToJson(value: DuckExpression): DuckExpression {
  const isBeyond = (operator: '>' | '<') => d.infix(operator, value, d.integer(0));
  const whens = [
    { when: d.call('isfinite', value), result: d.call('to_json', value) },
    { when: d.call('isnan', value), result: d.call('to_json', d.text('NaN')) },
    { when: isBeyond('>'), result: d.call('to_json', d.text('Infinity')) },
    { when: isBeyond('<'), result: d.call('to_json', d.text('-Infinity')) },
  ];
  return { kind: 'case', whens };
}
