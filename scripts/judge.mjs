import { register } from 'node:module';
import { parseArgs } from 'node:util';

// Judge: asks this project and the reference implementation of GoogleSQL the same queries:
// npm run judge -- --only functions,queries. Installs the reference implementation into a cache folder first.
// Prints how many answers are equal, and each difference for which scripts/judge/reasons.ts gives no reason;
// exits with code 1 if there is one, or if a run of all suites has no use for a reason. With --sql it asks that
// query alone, over the table `logs.web`. With --printed the reference implementation gets the queries as they are sent to
// BigQuery. With --recorded it asks the queries of a folder whose answers were recorded on BigQuery, without the reference
// implementation.

const suites = /** @type {const} */ ([
  'acceptance',
  'functions',
  'queries',
  'traps',
  'pipes',
  'random',
  'shapes',
]);
const usage = `usage: npm run judge -- [--only ${suites.join(',')}] [--random N] [--seed S] [--all] [--printed] [--sql QUERY]
       npm run judge -- --recorded DIR [--all]`;

const options = readOptions();
if (options === undefined) {
  console.error(usage);
  process.exit(2);
}
// It is TypeScript and uses what the tests use.
register('./judge/typescript-hooks.mjs', import.meta.url);
/** @type {typeof import('./judge/judge.js')} */
const { run } = await import(new URL('judge/judge.ts', import.meta.url).href);
// A signal that ends this process must end the reference implementation, too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
/** @type {typeof import('./judge/recorded.js')} */
const { judgeRecorded } = await import(new URL('judge/recorded.ts', import.meta.url).href);
const { recorded } = options;
const open = recorded === '' ? await run(options) : await judgeRecorded(recorded, options.all);
// A query that never answers keeps the process alive.
process.exit(open === 0 ? 0 : 1);

/** The flags; undefined if one of them is not understood. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', default: suites.join(',') },
        random: { type: 'string', default: '500' },
        seed: { type: 'string', default: '1' },
        all: { type: 'boolean', default: false },
        printed: { type: 'boolean', default: false },
        recorded: { type: 'string', default: '' },
        sql: { type: 'string', multiple: true },
      },
    });
    const names = values.only.split(',');
    const only = suites.filter((suite) => names.includes(suite));
    const [random, seed] = [Number(values.random), Number(values.seed)];
    const isKnown = only.length === names.length;
    const areNumbers = [random, seed].every((value) => Number.isSafeInteger(value) && value >= 0);
    const { all, printed, recorded, sql = [] } = values;
    return isKnown && areNumbers ? { only, random, seed, all, printed, recorded, sql } : undefined;
  } catch {
    return undefined;
  }
}
