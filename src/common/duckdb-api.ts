import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

const duckdb = require('@duckdb/node-api') as typeof import('@duckdb/node-api');

/**
 * DuckDB's module, loaded with `require`: it consists of sixty CommonJS files, and `import` takes twice as long,
 * because Node parses each file once more for its export names. Elsewhere, import only types from it.
 */
export const {
  BIGINT,
  BLOB,
  BOOLEAN,
  DuckDBBlobValue,
  DuckDBBlobVector,
  DuckDBInstance,
  DuckDBScalarFunction,
  DuckDBTypeId,
  VARCHAR,
  version,
} = duckdb;

/** The kinds of statements. */
export const StatementType: typeof duckdb.StatementType = duckdb.StatementType;

// Its decoder drops a byte order mark at the start of a text, which is a character of the text.
const accessors: {
  textDecoder: unknown;
} = require('@duckdb/node-api/lib/vectors/dataAccessors.js');
accessors.textDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
