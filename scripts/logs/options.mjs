import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { dayMicros } from '../fixtures/world.mjs';

const text = /** @type {const} */ ({ type: 'string' });
const toggle = /** @type {const} */ ({ type: 'boolean', default: false });

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
  gzip: toggle,
  plain: toggle,
  help: toggle,
};

/** What `--help` prints. */
export const help = `npm run generate-logs -- <records> <folder> [flags]

Generates log records like those of a hosting platform, in order of time. Writes <records> records in
total into <folder>, which must be new or empty. The same flags always give the same bytes.

  --sources A,B       generate only these sources (default: all nine)
  --projects N        number of projects (default 20); the n-th has an n-th of the records of the first.
                      The largest are bluefin, larkspur and quarry
  --to ISO            end of the time range, exclusive (default 2026-03-10T12:00:00Z)
  --days N            length of the time range (default 8)
  --from ISO          start of the time range, instead of --days
  --seed N            seed of the random numbers (default 1)
  --format NAME       ndjson (default) or parquet
  --gzip              compress the NDJSON
  --files N           write files of N records each, in a folder for each source (default: one file;
                      for parquet, files of at most a million records)
  --disorder SECONDS  delay records by up to this much, so that they are not in order of time
  --plain             give all records of a source the same shape: never write metadata as an array of
                      one element, or a timestamp as a number
  --help              print this text`;

/** The sources that can be generated. */
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
 * What to generate; times in unix microseconds, `to` exclusive.
 * @typedef {object} Options
 * @property {number} records of all sources together
 * @property {string} folder
 * @property {ReadonlySet<string>} sources
 * @property {number} projects
 * @property {number} from
 * @property {number} to
 * @property {number} seed
 * @property {'ndjson' | 'parquet'} format
 * @property {number} files records per file, or Infinity
 * @property {boolean} isFolder whether each source is a folder, even with a single file
 * @property {number} disorder microseconds
 * @property {boolean} gzip
 * @property {boolean} plain
 */

/** An invalid command line. */
export class UsageError extends Error {}

/**
 * Parses the command line.
 * @param {readonly string[]} args
 * @returns {Options | 'help'}
 * @throws UsageError with a message of one line
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
  const count = parseInteger('records', records, { max: 1e12 });
  const maxFileRecords = format === 'parquet' ? 1_000_000 : Number.POSITIVE_INFINITY;
  return {
    ...windowOf(values),
    records: count,
    folder: emptyFolder(folder),
    sources: sourcesOf(values.sources),
    projects: parseInteger('--projects', values.projects, { max: 1e7 }),
    seed: parseInteger('--seed', values.seed, { min: 0, max: 4_294_967_295 }),
    files: files === undefined ? maxFileRecords : parseInteger('--files', files, { max: 1e12 }),
    isFolder: files !== undefined || count > maxFileRecords,
    disorder: parseInteger('--disorder', disorder, { min: 0, max: 1e7 }) * 1e6,
    format,
    gzip,
    // A Parquet column has a single type.
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

/** @param {string} name @param {string} value @param {{ readonly min?: number, readonly max: number }} range */
function parseInteger(name, value, { min = 1, max }) {
  const number = /^\d{1,13}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${name} must be a whole number from ${min} to ${max}, not ${value}`);
}

/** @param {{ readonly from?: string | undefined, readonly to: string, readonly days: string }} values */
function windowOf({ from, to, days }) {
  const end = instantOf('--to', to);
  const length = parseInteger('--days', days, { max: 3660 }) * dayMicros;
  const start = from === undefined ? end - length : instantOf('--from', from);
  if (start >= end) throw new UsageError('--from must be before --to');
  if (end - start > 3660 * dayMicros)
    throw new UsageError('--from is more than ten years before --to');
  return { from: start, to: end };
}

/** @param {string} name @param {string} value */
function instantOf(name, value) {
  // Without a zone, Date.parse would assume the machine's.
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(value) || !value.includes('T') ? value : `${value}Z`;
  const millis = Date.parse(zoned);
  if (millis > 0) return millis * 1000;
  throw new UsageError(
    `${name} must be a timestamp, for example 2026-03-10T12:00:00Z, not ${value}`,
  );
}

/** @param {string} value @param {boolean} gzip @returns {Options['format']} */
function formatOf(value, gzip) {
  if (value !== 'ndjson' && value !== 'parquet') {
    throw new UsageError(`--format must be ndjson or parquet, not ${value}`);
  }
  if (gzip && value === 'parquet') throw new UsageError('--gzip needs --format ndjson');
  return value;
}

/** @param {string | undefined} value @returns {ReadonlySet<string>} */
function sourcesOf(value) {
  const names = value?.split(',') ?? allSources;
  /** @type {readonly string[]} */
  const known = allSources;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return new Set(names);
  throw new UsageError(
    `--sources: unknown source ${unknown}; the sources are ${allSources.join(', ')}`,
  );
}

/** Requires a new or empty folder, so that old and new files are not mixed. @param {string} folder */
function emptyFolder(folder) {
  try {
    if (readdirSync(folder).length === 0) return folder;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return folder;
    throw new UsageError(`the folder cannot be used: ${String(error)}`);
  }
  throw new UsageError(`the folder is not empty: ${folder}`);
}
