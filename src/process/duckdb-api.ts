import duckdb from '@duckdb/node-api';
import accessors from '@duckdb/node-api/lib/vectors/dataAccessors.js';

/** DuckDB's client, with its decoder replaced below. Elsewhere, import only types from its package. */
export const {
  BIGINT,
  BLOB,
  BOOLEAN,
  DuckDBBlobValue,
  DuckDBBlobVector,
  DuckDBInstance,
  DuckDBScalarFunction,
  DuckDBTimestampTZValue,
  DuckDBTypeId,
  VARCHAR,
  version,
} = duckdb;

/** The kinds of statements. */
export const StatementType: typeof duckdb.StatementType = duckdb.StatementType;

// The original decoder drops a byte order mark at the start of a string, although it belongs to the string.
Object.assign(accessors, { textDecoder: new TextDecoder('utf-8', { ignoreBOM: true }) });
