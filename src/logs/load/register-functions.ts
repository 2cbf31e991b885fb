import type { DuckDBConnection } from '@duckdb/node-api';
import { DuckDBScalarFunction, VARCHAR } from '../../common/duckdb-api.js';
import { quoteNumbers, type TextFields } from '../columns/written-numbers.js';

/**
 * Registers `log_quote_numbers(json, fields)`, which is {@link quoteNumbers}; the fields are JSON. A value
 * of NULL stays NULL.
 */
export function registerFunctions(connection: DuckDBConnection): void {
  const fieldsOf = createReader();
  const quoting = DuckDBScalarFunction.create({
    name: 'log_quote_numbers',
    returnType: VARCHAR,
    parameterTypes: [VARCHAR, VARCHAR],
    mainFunction: (info, rows, results) => {
      try {
        const [jsons, fields] = [rows.getColumnVector(0), rows.getColumnVector(1)];
        for (let row = 0; row < rows.rowCount; row++) {
          const json = jsons.getItem(row);
          const isText = typeof json === 'string';
          results.setItem(row, isText ? quoteNumbers(json, fieldsOf(fields.getItem(row))) : null);
        }
        results.flush();
      } catch (error) {
        info.setError(`log_quote_numbers failed: ${error}`);
      }
    },
  });
  connection.registerScalarFunction(quoting);
}

/** Parses the fields once: they are the same for all lines of a file. */
function createReader(): (fields: unknown) => TextFields {
  let last: unknown;
  let parsed: TextFields = { at: {} };
  return (fields) => {
    if (fields !== last) parsed = JSON.parse(String(fields));
    last = fields;
    return parsed;
  };
}
