import { readMacros } from '../../src/engine/duckdb/read-macros.js';

/** The SQL of the macros in `sql/bigquery`. */
export const macros = readMacros();
