import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { help, readArguments, UsageError } from './bench/arguments.mjs';

// Measures the built program: npm run bench -- --help. Each number is a median, and stands beside
// baselines of the same run: times of two machines cannot be compared, ratios can.

try {
  const given = readArguments(process.argv.slice(2));
  if (given === 'help') console.log(help);
  else await main(given);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

/** @param {import('./bench/arguments.mjs').Arguments} given */
async function main(given) {
  const scratch = mkdtempSync(join(tmpdir(), 'log-endpoints-bench-'));
  // PostgreSQL's user must be able to reach its own folder in it.
  chmodSync(scratch, 0o711);
  process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
  keepToOneself(scratch);
  const { measureAll } = await import('./bench/measure-all.mjs');
  const { printReport } = await import('./bench/report.mjs');
  const report = printReport(await measureAll(given, scratch), given);
  mkdirSync(dirname(given.out), { recursive: true });
  writeFileSync(given.out, report);
  console.log(report);
  // Child processes of engines that are closed may still be on their way out.
  process.exit();
}

/** Temporary files and kept databases of this process and its children are the bench's own. @param {string} scratch */
function keepToOneself(scratch) {
  for (const name of ['HOME', 'XDG_CACHE_HOME', 'TMPDIR']) {
    process.env[name] = join(scratch, name.toLowerCase());
    mkdirSync(join(scratch, name.toLowerCase()));
  }
}
