import { parseArgs } from 'node:util';

/** The output of `--help`. */
export const help = `npm run bench -- [records...] [flags]

Benchmarks the built program at each number of records (default 100000) and writes bench/results.md.

  --data DIR            keep the generated logs here for the next run; 1.6 GB per million records
                        (default: a temporary folder, removed at the end)
  --runs N              measurements of each query (default 15)
  --memory-limit SIZE   memory limit of the service and of each baseline (default 2GB)
  --repeat N            whole runs, of which the report has the means (default 3)
  --profile DIR         write a CPU profile of each server here; DevTools and speedscope draw flame graphs of them
  --against DIR         compare the build with that of another checkout instead, request by request, and print the ratios
  --prices              measure the price of each function instead, and write bench/prices.md
  --anyway              run although the machine is busy
  --no-postgres         skip PostgreSQL, which takes most of the space and the time
  --out FILE            where to write the report (default bench/results.md, or bench/prices.md)
  --help                print this text`;

/**
 * @typedef {object} Arguments
 * @property {readonly number[]} sizes numbers of records, in ascending order
 * @property {string | undefined} data folder of the generated logs
 * @property {number} runs
 * @property {string} memoryLimit
 * @property {number} repeat
 * @property {string | undefined} profile folder of CPU profiles
 * @property {string | undefined} against folder of another checkout, to compare with
 * @property {boolean} prices
 * @property {boolean} anyway
 * @property {boolean} postgres
 * @property {string} out file of the report
 */

/** An invalid command line. */
export class UsageError extends Error {}

const text = /** @type {const} */ ({ type: 'string' });
const flags = {
  data: text,
  runs: { ...text, default: '15' },
  'memory-limit': { ...text, default: '2GB' },
  repeat: { ...text, default: '3' },
  profile: text,
  against: text,
  prices: { type: /** @type {const} */ ('boolean'), default: false },
  anyway: { type: /** @type {const} */ ('boolean'), default: false },
  'no-postgres': { type: /** @type {const} */ ('boolean'), default: false },
  out: text,
  help: { type: /** @type {const} */ ('boolean'), default: false },
};

/**
 * Parses the command line.
 * @param {readonly string[]} args
 * @returns {Arguments | 'help'}
 * @throws UsageError with a message of one line
 */
export function readArguments(args) {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  const sizes =
    positionals.length === 0
      ? [100_000]
      : positionals.map((size) => parseInteger('records', size, 1000));
  const memoryLimit = values['memory-limit'];
  if (!/^\d+[KMG]B$/.test(memoryLimit)) {
    throw new UsageError(`--memory-limit must be a size, for example 2GB, not ${memoryLimit}`);
  }
  return {
    sizes: sizes.toSorted((left, right) => left - right),
    data: values.data,
    runs: parseInteger('--runs', values.runs, 1),
    memoryLimit,
    repeat: parseInteger('--repeat', values.repeat, 1),
    profile: values.profile,
    against: values.against,
    prices: values.prices,
    anyway: values.anyway,
    postgres: !values['no-postgres'],
    out: values.out ?? (values.prices ? 'bench/prices.md' : 'bench/results.md'),
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

/** @param {string} name @param {string} value @param {number} min */
function parseInteger(name, value, min) {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (number >= min) return number;
  throw new UsageError(`${name} must be a whole number of at least ${min}, not ${value}`);
}
