import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { otherRecords } from './other-records.mjs';
import { ownRecords } from './own-records.mjs';
import { readSource } from './source.mjs';

// Worlds for the non-interference oracle: data folders with the same records of the project `mine` and
// different records of other projects. A caller of `mine` must not be able to tell them apart.

/** The caller's project. */
export const project = 'mine';

/** A substring of every URL of this project and of no other; the pattern for `usage.api-counts`. */
export const urlPattern = 'mine-ref';

/** `one` and `two` have different records of other projects, `none` has none. @typedef {'one' | 'two' | 'none'} WorldName */

/**
 * @typedef {object} WorldOptions
 * @property {string} declarations folder of the declared sources
 * @property {number} [seed] of the project's own records
 * @property {Layout} [layout] `structs` by default
 */

/**
 * The layout of repeated records. A source is stored with lists because one of the project's own records
 * has two elements everywhere. `mixed`: some sources as structs, some as lists.
 * @typedef {'structs' | 'lists' | 'mixed'} Layout
 */

/** Sources with over 50,000 records, enough for every compression method; `function_logs` has the project in its metadata. */
const largeSources = new Set(['edge_logs', 'function_logs']);

/** The sources with lists in the mixed layout. */
const listSources = new Set(['function_logs', 'db_logs', 'realtime_logs', 'storage_logs']);

const ownCounts = { large: 700, small: 60 };
const otherCounts = {
  one: { large: 61_003, small: 303 },
  two: { large: 50_021, small: 97 },
  none: { large: 0, small: 0 },
};

/**
 * Writes one file for each declared source.
 * @param {string} folder created if it does not exist
 * @param {WorldName} name
 * @param {WorldOptions} options
 */
export function writeWorld(folder, name, options) {
  const { declarations, seed = 1, layout = 'structs' } = options;
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(declarations)) {
    const source = readSource(join(declarations, file));
    const size = largeSources.has(source.name) ? 'large' : 'small';
    const lists = layout === 'lists' || (layout === 'mixed' && listSources.has(source.name));
    const own = ownRecords(source, { count: ownCounts[size], seed, lists });
    const others = name === 'none' ? [] : otherRecords(source, name, otherCounts[name][size]);
    const records = [...own, ...others].sort((a, b) => a.position - b.position);
    const text = records.map(({ line }) => `${line}\n`).join('');
    writeFileSync(join(folder, `${source.name}.ndjson`), text);
  }
}
