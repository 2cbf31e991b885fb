import { readMacros } from '../../src/engine/duckdb/macro-file.js';

/** The SQL of the macros in `sql/bigquery`. */
export const macros = readMacros();
