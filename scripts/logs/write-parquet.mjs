import { rmSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { openLines } from './write-lines.mjs';

/** @typedef {import('./fill.mjs').Fill} Fill */
/** @typedef {import('./template.mjs').Template} Template */
/** @typedef {import('./write-source.mjs').Target} Target */

/**
 * A Parquet file: written as NDJSON beside it first, then copied by DuckDB, which streams.
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
    add(one) {
      used.add(one.template);
      return lines.add(one);
    },
    flush: lines.flush,
    close: async () => {
      await lines.close();
      await copy(partial, file, [...used]);
      rmSync(partial);
    },
  };
}

/** @param {string} from @param {string} to @param {readonly Template[]} used */
async function copy(from, to, used) {
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

/** The fields of some objects and their types. @param {readonly unknown[]} objects @returns {ReadonlyMap<string, string>} */
function fieldsOf(objects) {
  /** @type {Map<string, unknown[]>} */
  const values = new Map();
  for (const [name, value] of objects.flatMap((one) => Object.entries(Object(one)))) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return new Map([...values].map(([name, all]) => [name, typeOf(all)]));
}

/** @param {readonly unknown[]} values of one field, all alike @returns {string} */
function typeOf(values) {
  const [first] = values;
  if (typeof first === 'string') return 'varchar';
  if (typeof first === 'boolean') return 'boolean';
  if (typeof first === 'number') return 'bigint';
  if (Array.isArray(first)) return `${typeOf(values.flat())}[]`;
  const fields = [...fieldsOf(values)].map(([name, type]) => `"${name}" ${type}`);
  return `struct(${fields.join(', ')})`;
}
