import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { fixtures, root } from '../support/paths.js';

const now = '2026-03-10T12:00:00.000Z';

test('make-fixtures writes the checked-in files, byte for byte', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'log-endpoints-fixtures-'));
  try {
    await promisify(execFile)(process.execPath, ['scripts/make-fixtures.mjs', folder], {
      cwd: root,
    });
    const files = await readdir(folder);
    expect(await readdir(fixtures)).toEqual(files);
    for (const file of files) {
      const made = await readFile(join(folder, file), 'utf8');
      expect((await readFile(join(fixtures, file), 'utf8')) === made, `${file} differs`).toBe(true);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('records are in order of time, none later than the clock of npm start', async () => {
  for (const file of await readdir(fixtures)) {
    const lines = (await readFile(join(fixtures, file), 'utf8')).trimEnd().split('\n');
    const times = lines.map((line) => Date.parse(instantOf(line)));
    expect(times, file).toEqual([...times].sort((left, right) => left - right));
    expect(times.at(-1), file).toBeLessThanOrEqual(Date.parse(now));
  }
});

function instantOf(line: string): string {
  const { timestamp } = JSON.parse(line) as { timestamp: string | number };
  return typeof timestamp === 'number' ? new Date(timestamp / 1000).toISOString() : timestamp;
}
