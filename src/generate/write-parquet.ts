import { rmSync } from 'node:fs';
import { DuckDBInstance } from '../process/duckdb-api.js';
import { quoteText } from '../process/quote.js';
import type { Fill } from './fill.js';
import { openLines, type Target } from './write-lines.js';

/** Opens a Parquet file: records are written to a temporary NDJSON file, which DuckDB converts on close. */
export function openParquet(file: string, fill: Fill): Target {
  const partial = `${file}.partial`;
  const lines = openLines(partial, { gzip: false, fill });
  return {
    ...lines,
    close: async () => {
      await lines.close();
      await convert(partial, file);
      rmSync(partial);
    },
  };
}

async function convert(from: string, to: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '1GB' });
  const connection = await instance.connect();
  await connection.run(`set temp_directory = ${quoteText(`${to}.spill`)}`);
  const read = (how: string) =>
    `read_json(${quoteText(from)}, format = 'newline_delimited', ${how})`;
  const found = await connection.runAndReadAll(`describe from ${read(asWritten)}`);
  const columns = found.getRows().map(([name, type]) => {
    return `${quoteText(String(name))}: ${quoteText(String(type).replaceAll('UUID', 'VARCHAR'))}`;
  });
  await connection.run(`copy (
    select * replace (timestamp::timestamptz as timestamp)
    from ${read(`columns = {${columns.join(', ')}}`)}
  ) to ${quoteText(to)} (format parquet, compression zstd)`);
  connection.closeSync();
  instance.closeSync();
  rmSync(`${to}.spill`, { recursive: true, force: true });
}

/** Makes DuckDB infer types from all records, and keep times as strings. */
const asWritten =
  "sample_size = -1, map_inference_threshold = -1, dateformat = '-', timestampformat = '-'";
