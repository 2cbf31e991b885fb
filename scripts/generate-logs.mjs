import { mkdirSync } from 'node:fs';
import { createFill } from './logs/fill.mjs';
import { generate } from './logs/generate.mjs';
import { help, readOptions, UsageError } from './logs/options.mjs';
import { createSourceWriter } from './logs/write-source.mjs';

// Generates any number of log records: npm run generate-logs -- --help

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function main() {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') return console.log(help);
  const { records, folder, seed } = options;
  mkdirSync(folder, { recursive: true });
  const fill = createFill(seed);
  const start = performance.now();
  await generate(options, (source) => createSourceWriter(source, options, fill));
  const seconds = (performance.now() - start) / 1000;
  const rate = Math.round(records / seconds).toLocaleString('en');
  console.error(`${records} records in ${folder}: ${seconds.toFixed(1)} s, ${rate} records/s`);
}
