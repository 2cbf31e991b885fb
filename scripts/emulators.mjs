import { register } from 'node:module';
import { parseArgs } from 'node:util';

// Emulators: runs the acceptance cases with `--engine bigquery` on emulators of BigQuery that others wrote, and compares the
// answers with DuckDB's: npm run emulators -- --only bqemulator. Installs them into a cache folder first; one that cannot be
// installed is named. Prints a table, and the differences for which scripts/emulators/reasons.ts has no reason, by the
// emulator's message; exits with code 1 if there is one, or if an emulator is missing.

const names = /** @type {const} */ (['bqemulator', 'bigquery-local', 'bigquery-emulator']);
const usage = `usage: npm run emulators -- [--only ${names.join(',')}] [--step N] [--redacted N] [--seconds N] [--all] [--suite NAME] [--case ID] [--sql STATEMENT]`;

const options = readOptions();
if (options === undefined) {
  console.error(usage);
  process.exit(2);
}
// It is TypeScript and uses what the tests use, as the judge does.
register('./judge/typescript-hooks.mjs', import.meta.url);
/** @type {typeof import('./emulators/run.js')} */
const { run } = await import(new URL('emulators/run.ts', import.meta.url).href);
// A signal that ends this process must end the emulators, too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const unexplained = await run(options);
process.exit(unexplained === 0 ? 0 : 1);

/** The flags; undefined if one of them is not understood. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', default: names.join(',') },
        // Every N-th case.
        step: { type: 'string', default: '1' },
        // Every N-th of them also redacted, which takes an emulator seconds.
        redacted: { type: 'string', default: '20' },
        // Asks no other case after that time.
        seconds: { type: 'string', default: '86400' },
        // Prints each difference.
        all: { type: 'boolean', default: false },
        // Asks the cases of these suites alone, or these cases alone.
        suite: { type: 'string', multiple: true },
        case: { type: 'string', multiple: true },
        // Sends these statements alone, over the tables.
        sql: { type: 'string', multiple: true },
      },
    });
    const asked = values.only.split(',');
    const only = names.filter((name) => asked.includes(name));
    const numbers = [values.step, values.redacted, values.seconds].map(Number);
    const [step = 0, redacted = 0, seconds = 0] = numbers;
    const areNumbers = numbers.every((value) => Number.isSafeInteger(value) && value > 0);
    const isKnown = only.length === asked.length && areNumbers;
    const { all, suite: suites = [], case: cases = [], sql = [] } = values;
    return isKnown ? { only, step, redacted, seconds, all, suites, cases, sql } : undefined;
  } catch {
    return undefined;
  }
}
