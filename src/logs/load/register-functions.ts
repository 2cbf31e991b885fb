import type { DuckDBConnection } from '@duckdb/node-api';
import { DuckDBScalarFunction, VARCHAR } from '../../common/duckdb-api.js';
import { asWritten } from '../columns/as-written.js';
import { quoteNumbers, type TextFields } from '../columns/written-numbers.js';

/**
 * Registers `log_quote_numbers(json, fields)`, which is {@link quoteNumbers}, and `log_as_written(json)`, which is
 * {@link asWritten}; the fields are JSON. A value of NULL stays NULL.
 */
export function registerFunctions(connection: DuckDBConnection): void {
  const fieldsOf = createReader();
  register(connection, 'log_quote_numbers', 2, ([json = '', fields = '']) =>
    quoteNumbers(json, fieldsOf(fields)),
  );
  register(connection, 'log_as_written', 1, ([json = '']) => asWritten(json));
}

function register(
  connection: DuckDBConnection,
  name: string,
  arity: number,
  call: (texts: readonly string[]) => string,
): void {
  const mainFunction: Parameters<typeof DuckDBScalarFunction.create>[0]['mainFunction'] = (
    info,
    rows,
    results,
  ) => {
    try {
      const columns = Array.from({ length: arity }, (_, index) => rows.getColumnVector(index));
      for (let row = 0; row < rows.rowCount; row++) {
        const texts = columns.map((column) => column.getItem(row));
        const isKnown = texts.every((text) => typeof text === 'string');
        results.setItem(row, isKnown ? call(texts) : null);
      }
      results.flush();
    } catch (error) {
      info.setError(`${name} failed: ${error}`);
    }
  };
  const parameterTypes = Array.from({ length: arity }, () => VARCHAR);
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({ name, returnType: VARCHAR, parameterTypes, mainFunction }),
  );
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
