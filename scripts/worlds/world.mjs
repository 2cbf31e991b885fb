import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { otherRecords } from './other-records.mjs';
import { ownRecords } from './own-records.mjs';
import { readSource } from './source.mjs';

// Worlds for the non-interference oracle: data folders with the same records of the project `mine`,
// and different records of everybody else. A caller of `mine` must not be able to tell them apart.

/** The project that asks. */
export const project = 'mine';

/** A text in every URL of the project's own records, and in no other's: for `usage.api-counts`. */
export const urlPattern = 'mine-ref';

/** `one` and `two` have different others, `none` has none. @typedef {'one' | 'two' | 'none'} WorldName */

/**
 * @typedef {object} WorldOptions
 * @property {string} declarations the folder of the declared sources
 * @property {number} [seed] of the own records
 * @property {Layout} [layout] `structs` unless said
 * @property {boolean} [isSmall] with too few records of others for every compression method
 */

/**
 * How repeated records are stored: as structs, or as lists, which one own record with two elements
 * in each place brings about; `mixed`: some sources in one way, some in the other.
 * @typedef {'structs' | 'lists' | 'mixed'} Layout
 */

/** Sources with 50,000 records and more, enough for every compression method; `function_logs` has the project in its metadata. */
const largeSources = new Set(['edge_logs', 'function_logs']);

/** Of the mixed layout, the sources stored as lists. */
const listSources = new Set(['function_logs', 'db_logs', 'realtime_logs', 'storage_logs']);

const ownCounts = { large: 700, small: 60 };
const otherCounts = {
  one: { large: 61_003, small: 303 },
  two: { large: 50_021, small: 97 },
  none: { large: 0, small: 0 },
};

/**
 * Writes one file for each declared source.
 * @param {string} folder is made where it is missing
 * @param {WorldName} name
 * @param {WorldOptions} options
 */
export function writeWorld(folder, name, options) {
  const { declarations, seed = 1, layout = 'structs', isSmall = false } = options;
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(declarations)) {
    const source = readSource(join(declarations, file));
    const size = largeSources.has(source.name) ? 'large' : 'small';
    const lists = layout === 'lists' || (layout === 'mixed' && listSources.has(source.name));
    const own = ownRecords(source, { count: ownCounts[size], seed, lists });
    const others =
      name === 'none'
        ? []
        : otherRecords(source, name, isSmall ? otherCounts[name].small : otherCounts[name][size]);
    const records = [...own, ...others].sort((a, b) => a.place - b.place);
    const text = records.map(({ line }) => `${line}\n`).join('');
    writeFileSync(join(folder, `${source.name}.ndjson`), text);
  }
}
