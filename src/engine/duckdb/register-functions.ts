import type { DuckDBConnection, DuckDBDataChunk, DuckDBVector } from '@duckdb/node-api';
import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DuckDBBlobValue,
  DuckDBBlobVector,
  DuckDBScalarFunction,
  VARCHAR,
} from '../../process/duckdb-api.js';
import { scriptFunctions } from '../../values/functions/functions.js';
import type {
  BytesFunction,
  ScriptFunction,
  TextFunction,
} from '../../values/functions/script-function.js';
import { ValueFault } from '../../values/value-fault.js';

const types = { BIGINT, BLOB, BOOLEAN, VARCHAR } as const;

/**
 * Registers the functions in JavaScript with an instance. DuckDB calls them with up to 2,048 rows at a time, on the
 * thread of the event loop, where an interrupt and the memory limit can act between calls.
 */
export function registerEngineFunctions(connection: DuckDBConnection): void {
  for (const one of [...scriptFunctions, ...scriptFunctions.map(safeTwin)]) {
    const { name, result } = one;
    const parameters =
      one.input === 'texts' ? { varArgsType: VARCHAR } : { parameterTypes: [BLOB] };
    const fill = one.input === 'texts' ? fillFromTexts(one) : fillFromBytes(one);
    const registered = DuckDBScalarFunction.create({
      name,
      returnType: types[result],
      ...parameters,
      // Otherwise the engine would fold a call with a constant NULL to NULL.
      specialHandling: true,
      mainFunction: (info, rows, results) => {
        try {
          fill(rows, results);
          results.flush();
        } catch (error) {
          info.setError(engineMessage(name, error));
        }
      },
    });
    connection.registerScalarFunction(registered);
  }
}

/** Returns the safe variant of a function, which returns NULL on errors; see `sql/bigquery/failures.sql`. */
function safeTwin(one: ScriptFunction): ScriptFunction {
  const name = one.name.replace('js_', 'js_safe_');
  if (one.input === 'bytes') return { ...one, name };
  const call: TextFunction['call'] = (args) => nullIfFails(() => one.call(args));
  return { ...one, name, call };
}

function nullIfFails<T>(read: () => T): T | null {
  const { stackTraceLimit } = Error;
  // Recording the stack is most of what a fault costs.
  Error.stackTraceLimit = 0;
  try {
    return read();
  } catch (error) {
    if (error instanceof ValueFault || isTooLarge(error)) return null;
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Errors that callers may see look like those of macros: see `engine-error.ts`. */
function engineMessage(name: string, error: unknown): string {
  // DuckDB truncates messages at a NUL.
  if (error instanceof ValueFault) return `bq.fail(${error.message.replaceAll('\0', '\ufffd')})`;
  if (isTooLarge(error)) return 'bq.fail(A value is too long or too deeply nested)';
  return `${name} failed: ${error}`;
}

/** Whether JavaScript's stack or longest string was exceeded, by deep nesting or hundreds of megabytes. */
function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && /call stack|string length/.test(error.message);
}

type Fill = (rows: DuckDBDataChunk, results: DuckDBVector) => void;

function fillFromTexts({ call }: TextFunction): Fill {
  return (rows, results) => {
    const columns = Array.from({ length: rows.columnCount }, (_, i) => rows.getColumnVector(i));
    const { rowCount } = rows;
    for (let row = 0; row < rowCount; row++) {
      const args = columns.map((column) => column.getItem(row) as string | null);
      results.setItem(row, call(args));
    }
  };
}

function fillFromBytes({ call }: BytesFunction): Fill {
  return (rows, results) => {
    const column = rows.getColumnVector(0);
    if (!(column instanceof DuckDBBlobVector)) throw new Error('an argument is not a blob');
    const { rowCount } = rows;
    for (let row = 0; row < rowCount; row++) {
      const bytes = column.getItemBytes(row);
      const value = bytes === null ? null : call(bytes);
      results.setItem(row, value instanceof Uint8Array ? new DuckDBBlobValue(value) : value);
    }
  };
}
