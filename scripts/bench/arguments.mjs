import { parseArgs } from 'node:util';

/** What `--help` prints. */
export const help = `npm run bench -- [records...] [flags]

Measures the built program at each number of records (default 100000) and writes bench/results.md.

  --data DIR            where the generated logs are kept for the next run; 1.6 GB for a million
                        records (default: a temporary folder, removed at the end)
  --runs N              measurements of each question (default 15)
  --memory-limit SIZE   of the service and of each of its baselines (default 2GB)
  --no-postgres         leave PostgreSQL out; it is measured up to a million records
  --out FILE            instead of bench/results.md`;

/**
 * @typedef {object} Arguments
 * @property {readonly number[]} sizes rising
 * @property {string | undefined} data
 * @property {number} runs
 * @property {string} memoryLimit
 * @property {boolean} postgres
 * @property {string} out
 */

/** A command line that cannot be. */
export class UsageError extends Error {}

const text = /** @type {const} */ ({ type: 'string' });
const flags = {
  data: text,
  runs: { ...text, default: '15' },
  'memory-limit': { ...text, default: '2GB' },
  'no-postgres': { type: /** @type {const} */ ('boolean'), default: false },
  out: { ...text, default: 'bench/results.md' },
  help: { type: /** @type {const} */ ('boolean'), default: false },
};

/**
 * @param {readonly string[]} args
 * @returns {Arguments | 'help'}
 * @throws UsageError in one line
 */
export function readArguments(args) {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  const sizes =
    positionals.length === 0
      ? [100_000]
      : positionals.map((size) => wholeOf('records', size, 1000));
  const memoryLimit = values['memory-limit'];
  if (!/^\d+[KMG]B$/.test(memoryLimit)) {
    throw new UsageError(`--memory-limit must be such as 2GB, not ${memoryLimit}`);
  }
  return {
    sizes: sizes.toSorted((left, right) => left - right),
    data: values.data,
    runs: wholeOf('--runs', values.runs, 1),
    memoryLimit,
    postgres: !values['no-postgres'],
    out: values.out,
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

/** @param {string} name @param {string} value @param {number} least */
function wholeOf(name, value, least) {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (number >= least) return number;
  throw new UsageError(`${name} must be a whole number from ${least} on, not ${value}`);
}
