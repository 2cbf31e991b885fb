import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.js';

/** What the program teaches DuckDB of BigQuery: `sql/bigquery.sql`. */
export const macros = readFileSync(join(root, 'sql/bigquery.sql'), 'utf8');
