import { createRequire } from 'node:module';

/**
 * DuckDB's module, loaded with `require`. It consists of sixty CommonJS files, and importing those takes Node twice
 * as long, because it reads each one again for its export names. So import nothing but types from it elsewhere.
 */
export const { DuckDBBlobVector, DuckDBInstance, DuckDBTypeId, StatementType, version } =
  createRequire(import.meta.url)('@duckdb/node-api') as typeof import('@duckdb/node-api');
