import { createRequire } from 'node:module';

/**
 * The engine's module. It is sixty files of CommonJS, which Node reads a second time for their names
 * where they are imported: required, they take half of that. One import of it, of anything but a type,
 * and both are paid for.
 */
export const { DuckDBBlobVector, DuckDBInstance, DuckDBTypeId, StatementType, version } =
  createRequire(import.meta.url)('@duckdb/node-api') as typeof import('@duckdb/node-api');
