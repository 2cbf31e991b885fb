import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { type Scanned, scanLines } from '../../src/logs/scan/scan-lines.js';
import { makeFolder } from './load-logs.js';

/** Scans the rows of a query of one column `json` as if they were the lines of a file: what DuckDB reads of a log. */
export async function scanRows(connection: DuckDBConnection, rows: string): Promise<Scanned> {
  const reader = await connection.runAndReadAll(`select json::varchar from (${rows})`);
  const lines = reader.getRowsJson().map(([json]) => {
    return typeof json === 'string' ? json.replaceAll('\n', ' ') : '!';
  });
  const folder = makeFolder({ 'a.ndjson': lines.map((line) => `${line}\n`).join('') });
  const kind = { format: 'lines', compression: 'none' } as const;
  const file = { source: 'a', name: 'a.ndjson', path: join(folder, 'a.ndjson'), ...kind };
  return scanLines({ file, onRead: () => undefined });
}
