import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canaries, writeCanaryLogs } from '../../scripts/fixtures/canary.mjs';
import { root } from './paths.js';

/** A text in a file that no query may read. */
export const sentinel = 'SENTINEL_5b1e07';

/** Logs of two projects in a folder of their own, and a file that no query may read. */
export interface CanaryFolder {
  readonly data: string;
  readonly sentinelFile: string;
  remove(): void;
}

/** Makes the folder; without `withOthers` the other project has no records. */
export function makeCanaryFolder({ withOthers = true } = {}): CanaryFolder {
  const data = mkdtempSync(join(tmpdir(), 'log-endpoints-canary-'));
  const beside = mkdtempSync(join(tmpdir(), 'log-endpoints-sentinel-'));
  const sentinelFile = join(beside, 'sentinel.csv');
  writeFileSync(sentinelFile, `column0\n${sentinel}\n`);
  writeCanaryLogs(data, { declarations: join(root, 'sql/sources'), withOthers });
  const remove = () => {
    for (const folder of [data, beside]) rmSync(folder, { recursive: true });
  };
  return { data, sentinelFile, remove };
}

/** The canaries in a text, and the sentinel. */
export function canariesIn(text: string): readonly string[] {
  const lower = text.toLowerCase();
  return [...canaries, sentinel.toLowerCase()].filter((canary) => lower.includes(canary));
}
