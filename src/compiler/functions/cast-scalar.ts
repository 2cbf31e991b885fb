import { macroWord } from '../../types/ranges.js';
import { scalar, type Type } from '../../types/types.js';
import { words } from '../../values/words.js';
import { castTo, type DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { letMacro } from '../duckdb-sql/let.js';

/** The casts in which DuckDB differs from BigQuery; each is the name of a macro. */
const macros: ReadonlySet<string> = words(`
  bignumeric_to_float64 bignumeric_to_int64 bignumeric_to_numeric bignumeric_to_string bytes_to_string
  date_to_timestamp datetime_to_string datetime_to_timestamp float64_to_bignumeric float64_to_int64
  float64_to_numeric float64_to_string interval_to_string numeric_to_bignumeric numeric_to_float64
  numeric_to_int64 numeric_to_string string_to_bignumeric string_to_bool string_to_bytes string_to_date
  string_to_datetime string_to_float64 string_to_int64 string_to_interval string_to_numeric
  string_to_time string_to_timestamp time_to_string timestamp_to_date timestamp_to_datetime
  timestamp_to_string timestamp_to_time range_date_to_string range_datetime_to_string
  range_timestamp_to_string string_to_range_date string_to_range_datetime string_to_range_timestamp`);

/** `CAST(value AS type)` of a scalar value. */
export function castScalar(value: DuckExpression, from: Type, to: Type): DuckExpression {
  const name = `${macroWord(from.kind)}_to_${macroWord(to.kind)}`;
  if (!macros.has(name)) return castTo(value, duckType(to));
  return letMacro(name, value);
}

/** Converts a scalar value to a string, as `CAST(… AS STRING)` does. */
export function scalarToText(value: DuckExpression, type: Type): DuckExpression {
  return type.kind === 'STRING' ? value : castScalar(value, type, scalar('STRING'));
}
