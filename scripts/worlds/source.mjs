import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * A declared source, read for writing records of it.
 * @typedef {object} Source
 * @property {string} name
 * @property {readonly Field[]} fields every scalar, in the order of the declaration
 * @property {string} projectPath where a record names its project, such as `metadata.project_ref`
 */

/**
 * @typedef {object} Field
 * @property {string} path such as `metadata.request.url`
 * @property {string} name the last part of it
 * @property {number} index its place among the fields
 * @property {'STRING' | 'INT64' | 'BOOL'} type
 * @property {boolean} isArray
 */

/** A record's line of NDJSON, and a number that says where in the file it stands. @typedef {{ readonly place: number, readonly line: string }} Placed */

/** A path and what stands there. @typedef {readonly [path: string, value: unknown]} Value */

/** A number that no source declares, in every record: undeclared fields have statistics too. */
const undeclared = /** @type {const} */ (['metadata.extra', 'INT64']);

/** @param {string} file @returns {Source} */
export function readSource(file) {
  const declared = JSON.parse(readFileSync(file, 'utf8'));
  const fields = [...Object.entries(declared.fields), undeclared].map(([path, type], index) => ({
    path,
    name: path.slice(path.lastIndexOf('.') + 1),
    index,
    type: String(type).replace('[]', ''),
    isArray: String(type).endsWith('[]'),
  }));
  const isColumn = declared.project === 'record column';
  return {
    name: basename(file, '.json'),
    fields: /** @type {Field[]} */ (fields),
    projectPath: isColumn ? 'project' : declared.project,
  };
}

/**
 * A record with values at their paths; with `twice` each repeated record is an array of two equal elements.
 * @param {Record<string, unknown>} record
 * @param {readonly Value[]} values
 * @param {boolean} [twice]
 */
export function lineOf(record, values, twice = false) {
  for (const [path, value] of values) put(record, path, value);
  return JSON.stringify(twice ? doubled(record) : record);
}

/** @param {Record<string, any>} record @param {string} path @param {unknown} value */
function put(record, path, value) {
  const dot = path.indexOf('.');
  if (dot < 0) {
    record[path] = value;
    return;
  }
  const name = path.slice(0, dot);
  record[name] ??= {};
  put(record[name], path.slice(dot + 1), value);
}

/** @param {Record<string, unknown>} record @returns {Record<string, unknown>} */
function doubled(record) {
  const entries = Object.entries(record).map(([name, value]) => {
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isRecord) return [name, value];
    const element = doubled(/** @type {Record<string, unknown>} */ (value));
    return [name, [element, element]];
  });
  return Object.fromEntries(entries);
}
