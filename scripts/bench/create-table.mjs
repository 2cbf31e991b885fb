import { availableParallelism } from 'node:os';
import { DuckDBInstance } from '@duckdb/node-api';

// What the load is compared with, in a process of its own: node create-table.mjs <logs> <file> <memory>

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
