import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { dayMicros } from '../fixtures/world.mjs';

const text = /** @type {const} */ ({ type: 'string' });
const given = /** @type {const} */ ({ type: 'boolean', default: false });

/** The flags, for `parseArgs`. */
const flags = {
  sources: text,
  projects: { ...text, default: '20' },
  days: { ...text, default: '8' },
  from: text,
  to: { ...text, default: '2026-03-10T12:00:00Z' },
  seed: { ...text, default: '1' },
  format: { ...text, default: 'ndjson' },
  files: text,
  disorder: { ...text, default: '0' },
  gzip: given,
  plain: given,
  help: given,
};

/** What `--help` prints. */
export const help = `npm run generate-logs -- <records> <folder> [flags]

Writes log records as a platform's services would: <records> in all, into a folder that is empty or
new, in order of time. The same flags give the same bytes.

  --sources A,B       only these sources (default: all nine)
  --projects N        how many projects, each rarer than the one before (default 20); the largest
                      are bluefin, larkspur and quarry
  --to ISO            the instant before which the last record is (default 2026-03-10T12:00:00Z)
  --days N            the days before it (default 8), or
  --from ISO          the instant of the first record
  --seed N            another number, other records (default 1)
  --format NAME       ndjson (default) or parquet
  --gzip              the NDJSON is compressed
  --files N           files of N records each, in a folder for each source (default: one file;
                      parquet: at most a million records each)
  --disorder SECONDS  records come up to so much late: not in order of time
  --plain             one shape for all records of a source: no metadata as an array of one, no
                      timestamp as a number`;

/** The sources that records can be made of. */
export const allSources = /** @type {const} */ ([
  'edge_logs',
  'db_logs',
  'function_edge_logs',
  'function_logs',
  'auth_logs',
  'realtime_logs',
  'storage_logs',
  'rest_logs',
  'pooler_logs',
]);

/**
 * What to generate; instants in unix microseconds, `to` exclusive.
 * @typedef {object} Options
 * @property {number} records of all sources together
 * @property {string} folder
 * @property {ReadonlySet<string>} sources
 * @property {number} projects
 * @property {number} from
 * @property {number} to
 * @property {number} seed
 * @property {'ndjson' | 'parquet'} format
 * @property {number} files records of each file, or Infinity
 * @property {boolean} isFolder a source is a folder of files, even of one
 * @property {number} disorder microseconds
 * @property {boolean} gzip
 * @property {boolean} plain
 */

/** A command line that cannot be. */
export class UsageError extends Error {}

/**
 * @param {readonly string[]} args
 * @returns {Options | 'help'}
 * @throws UsageError in one line
 */
export function readOptions(args) {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  const [records, folder, extra] = positionals;
  if (records === undefined || folder === undefined || extra !== undefined) {
    throw new UsageError('usage: npm run generate-logs -- <records> <folder> [flags], or --help');
  }
  const { gzip, plain, files, disorder } = values;
  const format = formatOf(values.format, gzip);
  const count = wholeOf('records', records, { most: 1e12 });
  const whole = format === 'parquet' ? 1_000_000 : Number.POSITIVE_INFINITY;
  return {
    ...windowOf(values),
    records: count,
    folder: emptyFolder(folder),
    sources: sourcesOf(values.sources),
    projects: wholeOf('--projects', values.projects, { most: 1e7 }),
    seed: wholeOf('--seed', values.seed, { least: 0, most: 4_294_967_295 }),
    files: files === undefined ? whole : wholeOf('--files', files, { most: 1e12 }),
    isFolder: files !== undefined || count > whole,
    disorder: wholeOf('--disorder', disorder, { least: 0, most: 1e7 }) * 1e6,
    format,
    gzip,
    // A column of Parquet has one type.
    plain: plain || format === 'parquet',
  };
}

/** @param {readonly string[]} args */
function parse(args) {
  try {
    return parseArgs({ args: [...args], options: flags, allowPositionals: true });
  } catch (error) {
    throw new UsageError(String(error instanceof Error ? error.message : error).split('\n')[0]);
  }
}

/** @param {string} name @param {string} value @param {{ readonly least?: number, readonly most: number }} range */
function wholeOf(name, value, { least = 1, most }) {
  const number = /^\d{1,13}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`${name} must be a whole number from ${least} to ${most}, not ${value}`);
}

/** @param {{ readonly from?: string | undefined, readonly to: string, readonly days: string }} values */
function windowOf({ from, to, days }) {
  const end = instantOf('--to', to);
  const length = wholeOf('--days', days, { most: 3660 }) * dayMicros;
  const start = from === undefined ? end - length : instantOf('--from', from);
  if (start >= end) throw new UsageError('--from must be before --to');
  if (end - start > 3660 * dayMicros)
    throw new UsageError('--from is more than ten years before --to');
  return { from: start, to: end };
}

/** @param {string} name @param {string} value */
function instantOf(name, value) {
  // Without a zone Date.parse would read the machine's own.
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(value) || !value.includes('T') ? value : `${value}Z`;
  const millis = Date.parse(zoned);
  if (millis > 0) return millis * 1000;
  throw new UsageError(`${name} must be an instant such as 2026-03-10T12:00:00Z, not ${value}`);
}

/** @param {string} value @param {boolean} gzip @returns {Options['format']} */
function formatOf(value, gzip) {
  if (value !== 'ndjson' && value !== 'parquet') {
    throw new UsageError(`--format must be ndjson or parquet, not ${value}`);
  }
  if (gzip && value === 'parquet') throw new UsageError('--gzip is only for ndjson');
  return value;
}

/** @param {string | undefined} value @returns {ReadonlySet<string>} */
function sourcesOf(value) {
  const names = value?.split(',') ?? allSources;
  /** @type {readonly string[]} */
  const known = allSources;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return new Set(names);
  throw new UsageError(`--sources: there is no ${unknown}; there are ${allSources.join(', ')}`);
}

/** What is there already is not to be mixed with what comes. @param {string} folder */
function emptyFolder(folder) {
  try {
    if (readdirSync(folder).length === 0) return folder;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return folder;
    throw new UsageError(`the folder cannot be used: ${String(error)}`);
  }
  throw new UsageError(`the folder is not empty: ${folder}`);
}
