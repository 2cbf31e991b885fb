import { createRequire } from 'node:module';

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
  StatementType,
  VARCHAR,
  version,
} = createRequire(import.meta.url)('@duckdb/node-api') as typeof import('@duckdb/node-api');
