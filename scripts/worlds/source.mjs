import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * A declared source for which records are written.
 * @typedef {object} Source
 * @property {string} name
 * @property {readonly Field[]} fields every scalar field, in the order of the declaration
 * @property {string} projectPath path of the field with the project, for example `metadata.project_ref`
 */

/**
 * @typedef {object} Field
 * @property {string} path for example `metadata.request.url`
 * @property {string} name the last part of the path
 * @property {number} index in the list of fields
 * @property {'STRING' | 'INT64' | 'BOOL'} type
 * @property {boolean} isArray
 */

/** A line of NDJSON; a file is sorted by the positions of its lines. @typedef {{ readonly position: number, readonly line: string }} PositionedLine */

/** A path and its value. @typedef {readonly [path: string, value: unknown]} Value */

/** An undeclared number in every record: undeclared fields have statistics, too. */
const undeclared = /** @type {const} */ (['metadata.extra', 'INT64']);

/** An undeclared record of some records, which is nested deeper than records have types. */
export const deepPath = 'metadata.deep';

/** A record nested in others. @param {number} levels @param {unknown} value @returns {unknown} */
export function deep(levels, value) {
  return levels === 0 ? value : { below: deep(levels - 1, value) };
}

/** The half of an emoji that is left if a string is cut within it. */
export const cutEmoji = '\ud83d';

/** Reads the declaration of a source. @param {string} file @returns {Source} */
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
 * Prints a record with values added at their paths. With `twice`, each repeated record becomes an array of
 * two equal elements.
 * @param {Record<string, unknown>} record
 * @param {readonly Value[]} values
 * @param {boolean} [twice]
 */
export function recordLine(record, values, twice = false) {
  for (const [path, value] of values) setPath(record, path, value);
  return JSON.stringify(twice ? duplicateRecords(record) : record);
}

/** @param {Record<string, any>} record @param {string} path @param {unknown} value */
function setPath(record, path, value) {
  const dot = path.indexOf('.');
  if (dot < 0) {
    record[path] = value;
    return;
  }
  const name = path.slice(0, dot);
  record[name] ??= {};
  setPath(record[name], path.slice(dot + 1), value);
}

/** @param {Record<string, unknown>} record @returns {Record<string, unknown>} */
function duplicateRecords(record) {
  const entries = Object.entries(record).map(([name, value]) => {
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isRecord) return [name, value];
    const element = duplicateRecords(/** @type {Record<string, unknown>} */ (value));
    return [name, [element, element]];
  });
  return Object.fromEntries(entries);
}
