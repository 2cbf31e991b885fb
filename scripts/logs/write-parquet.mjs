import { rmSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { openLines } from './write-lines.mjs';

/** @typedef {import('./fill.mjs').Fill} Fill */
/** @typedef {import('./template.mjs').Template} Template */
/** @typedef {import('./write-source.mjs').Target} Target */

/**
 * Opens a Parquet file: records are written to a temporary NDJSON file, which DuckDB converts on close.
 * @param {string} file
 * @param {Fill} fill
 * @returns {Target}
 */
export function openParquet(file, fill) {
  const partial = `${file}.partial`;
  const lines = openLines(partial, { gzip: false, fill });
  /** @type {Set<Template>} */
  const used = new Set();
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

/** @param {string} from @param {string} to @param {readonly Template[]} used */
async function convert(from, to, used) {
  const columns = fieldsOf(used.map(({ record }) => record));
  const list = [...columns].map(([name, type]) => `${quote(name)}: ${quote(type)}`);
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '1GB' });
  const connection = await instance.connect();
  await connection.run(`set temp_directory = ${quote(`${to}.spill`)}`);
  await connection.run(`copy (
    select * replace (timestamp::timestamptz as timestamp)
    from read_json(${quote(from)}, format = 'newline_delimited', columns = {${list.join(', ')}})
  ) to ${quote(to)} (format parquet, compression zstd)`);
  connection.closeSync();
  instance.closeSync();
  rmSync(`${to}.spill`, { recursive: true, force: true });
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The fields of all objects, with their DuckDB types. @param {readonly unknown[]} objects @returns {ReadonlyMap<string, string>} */
function fieldsOf(objects) {
  /** @type {Map<string, unknown[]>} */
  const values = new Map();
  for (const [name, value] of objects.flatMap((object) => Object.entries(Object(object)))) {
    const list = values.get(name);
    if (list === undefined) values.set(name, [value]);
    else list.push(value);
  }
  return new Map([...values].map(([name, all]) => [name, typeOf(all)]));
}

/** The DuckDB type of a field. @param {readonly unknown[]} values all of the same type @returns {string} */
function typeOf(values) {
  const [first] = values;
  if (typeof first === 'string') return 'varchar';
  if (typeof first === 'boolean') return 'boolean';
  if (typeof first === 'number') return 'bigint';
  if (Array.isArray(first)) return `${typeOf(values.flat())}[]`;
  const fields = [...fieldsOf(values)].map(([name, type]) => `"${name}" ${type}`);
  return `struct(${fields.join(', ')})`;
}
