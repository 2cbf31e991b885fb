import { rmSync } from 'node:fs';
import { DuckDBInstance } from '../common/duckdb-api.js';
import { quoteName, quoteText } from '../common/quote.js';
import type { Fill } from './fill.js';
import type { Template } from './template.js';
import { openLines, type Target } from './write-lines.js';

/** Opens a Parquet file: records are written to a temporary NDJSON file, which DuckDB converts on close. */
export function openParquet(file: string, fill: Fill): Target {
  const partial = `${file}.partial`;
  const lines = openLines(partial, { gzip: false, fill });
  const used = new Set<Template>();
  return {
    add(record) {
      used.add(record.template);
      return lines.add(record);
    },
    flush: lines.flush,
    close: async () => {
      await lines.close();
      await convert(partial, file, [...used]);
      rmSync(partial);
    },
  };
}

async function convert(from: string, to: string, used: readonly Template[]): Promise<void> {
  const columns = fieldsOf(used.map(({ record }) => record));
  const list = [...columns].map(([name, type]) => `${quoteText(name)}: ${quoteText(type)}`);
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '1GB' });
  const connection = await instance.connect();
  await connection.run(`set temp_directory = ${quoteText(`${to}.spill`)}`);
  await connection.run(`copy (
    select * replace (timestamp::timestamptz as timestamp)
    from read_json(${quoteText(from)}, format = 'newline_delimited', columns = {${list.join(', ')}})
  ) to ${quoteText(to)} (format parquet, compression zstd)`);
  connection.closeSync();
  instance.closeSync();
  rmSync(`${to}.spill`, { recursive: true, force: true });
}

/** The fields of all objects, with their DuckDB types. */
function fieldsOf(objects: readonly unknown[]): ReadonlyMap<string, string> {
  const values = new Map<string, unknown[]>();
  for (const [name, value] of objects.flatMap((object) => Object.entries(Object(object)))) {
    const list = values.get(name);
    if (list === undefined) values.set(name, [value]);
    else list.push(value);
  }
  return new Map([...values].map(([name, all]) => [name, typeOf(all)]));
}

/** The DuckDB type of a field whose values are all of the same type. */
function typeOf(values: readonly unknown[]): string {
  const [first] = values;
  if (typeof first === 'string') return 'varchar';
  if (typeof first === 'boolean') return 'boolean';
  if (typeof first === 'number') return 'bigint';
  if (Array.isArray(first)) return `${typeOf(values.flat())}[]`;
  const fields = [...fieldsOf(values)].map(([name, type]) => `${quoteName(name)} ${type}`);
  return `struct(${fields.join(', ')})`;
}
