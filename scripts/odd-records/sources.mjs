import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * A shipped source.
 * @typedef {object} Source
 * @property {string} name
 * @property {readonly string[]} names of its declared fields
 * @property {(project: string, n: number, more: Record<string, unknown>) => Record<string, unknown>} record with a value in every declared field
 */

/** @param {string} root @returns {readonly Source[]} */
export function readSources(root) {
  const folder = join(root, 'sql/sources');
  return readdirSync(folder).map((file) => {
    const name = basename(file, '.json');
    /** @type {{ project: string, fields: Record<string, string> }} */
    const { project, fields } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const names = Object.keys(fields).flatMap((path) => path.split('.').at(-1) ?? []);
    return {
      name,
      names,
      record: (owner, n, more) => makeRecord({ project, fields }, owner, n, more),
    };
  });
}

/** The time of every fourth record is that of the three before it. @param {number} n */
export const recordTime = (n) =>
  new Date(Date.parse('2026-03-10T11:00:00Z') + 1_000 * Math.floor(n / 4)).toISOString();

/** @param {{ readonly project: string, readonly fields: Record<string, string> }} declared @param {string} owner @param {number} n @param {Record<string, unknown>} more */
function makeRecord({ project, fields }, owner, n, more) {
  /** @type {Record<string, unknown>} */
  const record = {
    timestamp: recordTime(n),
    event_message: `${owner} ${n} a@b.example`,
    metadata: {},
  };
  for (const [path, type] of Object.entries(fields))
    set(record, path.split('.'), values[type]?.(n));
  set(record, project === 'record column' ? ['project'] : project.split('.'), owner);
  Object.assign(/** @type {object} */ (record['metadata']), more);
  return record;
}

/** @type {Readonly<Record<string, (n: number) => unknown>>} */
const values = {
  STRING: (n) => `text ${n} 10.0.0.${n % 256}`,
  INT64: (n) => n,
  FLOAT64: (n) => n / 8,
  BOOL: (n) => n % 2 === 0,
  'STRING[]': (n) => [`${n}`, 'x'],
  'INT64[]': (n) => [n, 1],
};

/** @param {Record<string, unknown>} record @param {readonly string[]} path @param {unknown} value */
function set(record, [name = '', ...path], value) {
  if (path.length === 0) {
    record[name] = value;
    return;
  }
  record[name] ??= {};
  set(/** @type {Record<string, unknown>} */ (record[name]), path, value);
}
