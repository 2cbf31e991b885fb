import { availableParallelism } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { DuckDBBlobVector, DuckDBInstance } from '@duckdb/node-api';
import { encodeRows } from './built.mjs';

/**
 * A plain DuckDB for hand-written SQL. A statement has one column, the JSON text of each row.
 * @typedef {object} ByHand
 * @property {(sql: string) => Promise<{ readonly rows: number, readonly json: Buffer }>} run
 * @property {() => void} close
 */

/** The settings of the service's engine, without its lockdown. */
const settings = `
  set global timezone = 'UTC';
  set global default_null_order = 'NULLS_FIRST_ON_ASC_LAST_ON_DESC';
  set global late_materialization_max_rows = 1000`;

/** The database files that hold the edge logs: a single file, or one per part. @param {import('./built.mjs').OpenedServices} opened @returns {readonly string[]} */
export function edgeLogFiles({ logs }) {
  const source = logs.sources.find(({ name }) => name === 'edge_logs');
  /** @type {{ readonly parts?: readonly { readonly file: string }[] }} */
  const { parts = [] } = Object(source);
  return parts.length === 0 ? [logs.databaseFile] : parts.map(({ file }) => file);
}

/** Whether a response of the service has the same rows as the JSON; keys may be in a different order. @param {Buffer} body @param {Buffer} json */
export function isSame(body, json) {
  return isDeepStrictEqual(JSON.parse(body.toString()).result, JSON.parse(json.toString()));
}

/** Opens the service's database files. @param {readonly string[]} files @param {string} memoryLimit */
export function openFiles(files, memoryLimit) {
  const attach = files.map((file, index) => `attach '${file}' as loaded_${index} (read_only)`);
  const rows = files.map((_, index) => `from loaded_${index}.main.edge_logs`).join(' union all ');
  return open([...attach, `create view logs.edge_logs as ${rows}`], memoryLimit);
}

/** Opens the log files themselves, without loading them. @param {string} folder @param {string} memoryLimit */
export function openLogs(folder, memoryLimit) {
  const read = `from read_json('${folder}/edge_logs/*.ndjson', format = 'newline_delimited')`;
  return open([`create view logs.edge_logs as ${read}`], memoryLimit);
}

/** @param {readonly string[]} setUp @param {string} memoryLimit @returns {Promise<ByHand>} */
async function open(setUp, memoryLimit) {
  const threads = String(availableParallelism());
  const instance = await DuckDBInstance.create(':memory:', { threads, memory_limit: memoryLimit });
  const connection = await instance.connect();
  for (const sql of [settings, 'create schema logs', ...setUp]) await connection.run(sql);
  connection.closeSync();
  return {
    run: (sql) => run(instance, sql),
    close: () => instance.closeSync(),
  };
}

/** @param {DuckDBInstance} instance @param {string} sql */
async function run(instance, sql) {
  const connection = await instance.connect();
  // Fetches bytes, as the service does: JavaScript strings would add 10 ms per thousand rows.
  const result = await connection.run(`select encode(row) from (${sql}) as t(row)`);
  const rows = (await result.fetchAllChunks()).flatMap(chunkBlobs);
  connection.closeSync();
  return { rows: rows.length, json: Buffer.from(await encodeRows(rows, 'json', [])) };
}

/** @param {import('@duckdb/node-api').DuckDBDataChunk} chunk @returns {readonly Uint8Array[]} */
function chunkBlobs(chunk) {
  const column = chunk.getColumnVector(0);
  if (!(column instanceof DuckDBBlobVector)) throw new Error('the column is not a BLOB');
  return Array.from(
    { length: chunk.rowCount },
    (_, row) => column.getItemBytes(row) ?? Buffer.of(),
  );
}
