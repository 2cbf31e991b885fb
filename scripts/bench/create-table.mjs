import { availableParallelism } from 'node:os';
import { DuckDBInstance } from '@duckdb/node-api';

// The baseline for loading, run as its own process: node create-table.mjs <logs> <database file> <memory limit>

const [logs = '', file = '', memoryLimit = ''] = process.argv.slice(2);
const instance = await DuckDBInstance.create(file, {
  memory_limit: memoryLimit,
  threads: String(availableParallelism()),
});
const connection = await instance.connect();
await connection.run(
  `create table edge_logs as from read_json('${logs}/edge_logs/*.ndjson', format = 'newline_delimited')`,
);
connection.closeSync();
instance.closeSync();
