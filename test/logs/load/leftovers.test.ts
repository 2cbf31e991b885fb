import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { processSpace } from '../../../src/process/process-identity.js';
import { makeTemporaryFolder, removeDeadFolders } from '../../../src/start/temporary-folder.js';

let temporary = '';
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'leftovers-'));
  vi.stubEnv('TMPDIR', temporary);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true, force: true });
});

/** A pid that no process can have. */
const processId = 999_999_999;
const prefix = () => `log-endpoints-${processId}-${processSpace()}-`;

function makeFolder(name: string): void {
  mkdirSync(join(temporary, name, '0'), { recursive: true });
}

test('removes our own folders of dead processes, and names those of another container', () => {
  const space = processSpace();
  const dead = [`${prefix()}abcDEF`, `${prefix()}abcDEI`];
  const previous = `log-endpoints-${process.pid}-${space}-abcDEF`;
  const living = `log-endpoints-${process.ppid}-${space}-abcDEF`;
  const other = `log-endpoints-${processId}-0123456789ab-abcDEF`;
  for (const name of [...dead, previous, living, other, `${prefix()}abcDEF-notes`])
    makeFolder(name);
  symlinkSync(temporary, join(temporary, `${prefix()}abcDEG`));
  writeFileSync(join(temporary, `log-endpoints-${processId}-${space}-abcDEH`), 'x');
  const own = makeTemporaryFolder();
  expect(removeDeadFolders()).toEqual([
    `${join(temporary, other)}: left by a process of another container, or before a restart`,
  ]);
  const stay = [living, other, `${prefix()}abcDEF-notes`, `${prefix()}abcDEG`, basename(own)];
  const file = `log-endpoints-${processId}-${space}-abcDEH`;
  expect(readdirSync(temporary).sort()).toEqual([...stay, file].sort());
});
