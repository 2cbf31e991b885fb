import type { DuckDBConnection } from '@duckdb/node-api';
import { DuckDBScalarFunction, VARCHAR } from '../../process/duckdb-api.js';
import { undeclaredMembers } from '../../values/functions/undeclared-members.js';
import { asWritten } from '../columns/as-written.js';
import { createQuoter } from '../columns/written-numbers.js';

/**
 * Registers `log_quote_numbers(json, fields)`, see {@link createQuoter}, `log_as_written(json)`, which is
 * {@link asWritten}, and {@link undeclaredMembers}; the second arguments are constant JSON. A value of NULL stays NULL.
 */
export function registerLoadFunctions(connection: DuckDBConnection): void {
  register(connection, 'log_quote_numbers', 2, (fields) =>
    createQuoter(JSON.parse(String(fields))),
  );
  register(connection, 'log_as_written', 1, () => asWritten);
  const print = (options: unknown) => (text: string) => undeclaredMembers(text, String(options));
  register(connection, 'js_undeclared_members', 2, print);
}

/** Registers a function of a string and an optional constant, which is parsed once for many rows. */
function register(
  connection: DuckDBConnection,
  name: string,
  arity: 1 | 2,
  callWith: (constant: unknown) => (text: string) => string,
): void {
  const mainFunction: Parameters<typeof DuckDBScalarFunction.create>[0]['mainFunction'] = (
    info,
    rows,
    results,
  ) => {
    try {
      const texts = rows.getColumnVector(0);
      const call = callWith(rows.getColumnVector(arity - 1).getItem(0));
      for (let row = 0; row < rows.rowCount; row++) {
        const text = texts.getItem(row);
        results.setItem(row, typeof text === 'string' ? call(text) : null);
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
