import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { processSpace } from '../../../src/common/process-space.js';
import { linksPrefix, removeLeftovers } from '../../../src/logs/load/leftovers.js';
import { makeTemporaryFolder, removeDeadFolders } from '../../../src/service/temporary-folder.js';

let temporary = '';
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'leftovers-'));
  vi.stubEnv('TMPDIR', temporary);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true, force: true });
});

const load = { database: '/cache/0123456789abcdef.duckdb', sources: [], threads: 1 } as const;
const options = { ...load, memoryLimit: '1GB' };
/** A pid that no process can have. */
const processId = 999_999_999;
const prefix = () => basename(linksPrefix(options, processId));

function makeFolder(name: string): void {
  mkdirSync(join(temporary, name, '0'), { recursive: true });
}

test('removes only the link folder of this load', () => {
  const other = basename(linksPrefix({ ...options, database: '/cache/other.duckdb' }, processId));
  const stay = [`${other}abcDEF`, `${prefix()}abcDEF-notes`, `${prefix()}notes`];
  for (const name of [...stay, `${prefix()}abcDEF`]) makeFolder(name);
  symlinkSync(join(temporary, stay[0] ?? ''), join(temporary, `${prefix()}abcDEG`));
  writeFileSync(join(temporary, `${prefix()}abcDEH`), 'x');
  removeLeftovers(options, processId);
  const links = [`${prefix()}abcDEG`, `${prefix()}abcDEH`];
  expect(readdirSync(temporary).sort()).toEqual([...stay, ...links].sort());
  expect(readdirSync(join(temporary, stay[0] ?? ''))).toEqual(['0']);
});

test('removes our own folders of dead processes, and names those of another container', () => {
  const space = processSpace();
  const dead = [`${prefix()}abcDEF`, `log-endpoints-${processId}-${space}-abcDEF`];
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
