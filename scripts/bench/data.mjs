import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectCount } from './queries.mjs';

const main = new URL('../../dist/main.js', import.meta.url).pathname;

/** Edge logs of one shape, as a single writer produces them, in files of the size that log shippers rotate at. */
const flags = [
  ...['--source', 'edge_logs', '--plain'],
  ...['--to', '2026-03-10T12:00:00Z', '--hours', '192'],
  ...['--projects', String(projectCount), '--files', '250000'],
];

/**
 * Generates a folder with this many records, unless it exists from an earlier run.
 * @param {string} folder
 * @param {number} records
 */
export function makeData(folder, records) {
  const logs = join(folder, String(records));
  const marker = join(folder, `${records}.json`);
  const text = JSON.stringify(flags);
  if (!existsSync(marker)) {
    rmSync(logs, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const args = [main, 'generate', '--records', String(records), '--out', logs, ...flags];
    execFileSync(process.execPath, args, { stdio: 'inherit' });
    writeFileSync(marker, text);
  }
  const files = readdirSync(join(logs, 'edge_logs')).map((name) => join(logs, 'edge_logs', name));
  return { logs, bytes: files.reduce((sum, file) => sum + statSync(file).size, 0) };
}
