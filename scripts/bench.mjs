import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { help, readArguments, UsageError } from './bench/arguments.mjs';
import { busyShare } from './bench/busy.mjs';

// Benchmarks the built program: npm run bench -- --help. Each number is a median, reported next to
// baselines from the same run: only ratios can be compared between machines.

/** The share of the processors that other programs may use. */
const maxBusy = 0.1;

try {
  const options = readArguments(process.argv.slice(2));
  if (options === 'help') console.log(help);
  else await main(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

/** @param {import('./bench/arguments.mjs').Arguments} options */
async function main(options) {
  const busy = await busyShare();
  if (busy > maxBusy && !options.anyway) {
    const percent = Math.round(100 * busy);
    throw new UsageError(`other programs use ${percent} % of this machine: wait, or add --anyway`);
  }
  const scratch = mkdtempSync(join(tmpdir(), 'log-endpoints-bench-'));
  // PostgreSQL runs as another user, who must be able to reach its folder in here.
  chmodSync(scratch, 0o711);
  process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
  isolateHome(scratch);
  const report = await measure(options, scratch);
  console.log(report);
  // Processes of closed engines may still be exiting: do not wait for them.
  process.exit();
}

/** Measures as the flags say, and returns a page of Markdown. @param {import('./bench/arguments.mjs').Arguments} options @param {string} scratch */
async function measure(options, scratch) {
  const { against, prices } = options;
  if (against !== undefined) return compareWith(options, scratch, against);
  return prices ? writePrices(options) : writeReport(options, scratch);
}

/** Runs the benchmark and writes its report. @param {import('./bench/arguments.mjs').Arguments} options @param {string} scratch */
async function writeReport(options, scratch) {
  const { measureAll } = await import('./bench/measure-all.mjs');
  const { printReport } = await import('./bench/report.mjs');
  const report = printReport(await measureAll(options, scratch), options);
  mkdirSync(dirname(options.out), { recursive: true });
  writeFileSync(options.out, report);
  return report;
}

/** Measures the price of each function and writes its page. @param {import('./bench/arguments.mjs').Arguments} options */
async function writePrices(options) {
  const { measurePrices, printPrices } = await import('./bench/prices.mjs');
  const page = printPrices(await measurePrices(), options.anyway);
  writeFileSync(options.out, page);
  return page;
}

/** Compares this build with that of another checkout. @param {import('./bench/arguments.mjs').Arguments} options @param {string} scratch @param {string} against */
async function compareWith(options, scratch, against) {
  const { compareBuilds } = await import('./bench/against.mjs');
  return compareBuilds(options, { scratch, against });
}

/** Keeps temporary files and cached databases of this process and its children in the scratch folder. @param {string} scratch */
function isolateHome(scratch) {
  for (const name of ['HOME', 'XDG_CACHE_HOME', 'TMPDIR']) {
    process.env[name] = join(scratch, name.toLowerCase());
    mkdirSync(join(scratch, name.toLowerCase()));
  }
}
