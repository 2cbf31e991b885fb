import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../support/load-logs.js';
import { main } from '../support/paths.js';

const { PATH } = process.env;

let data = '';
let temporary = '';
beforeAll(() => {
  const metadata = { request: { path: '/a', url: `https://acme.example/${'x'.repeat(900)}` } };
  const lines = Array.from({ length: 60_000 }, (_, index) =>
    JSON.stringify({
      id: `${(index * 7919) % 60_000}`,
      timestamp: 1_770_000_000 + ((index * 104_729) % 60_000),
      event_message: `${Math.sin(index)} ${Math.cos(index)} ${Math.sin(index * 3)}`,
      metadata,
    }),
  );
  data = makeFolder({ 'edge_logs.ndjson': `${lines.join('\n')}\n` });
  temporary = mkdtempSync(join(tmpdir(), 'load-life-'));
});
afterAll(() => {
  for (const folder of [data, temporary]) rmSync(folder, { recursive: true });
});

function start(prefix = ''): ChildProcess {
  const query = ['logs.all', '--data', data, '--param', 'project=acme', '--sql', 'select 1 as n'];
  const command = `${prefix} exec "$0" "$@"`;
  return spawn('sh', ['-c', command, process.execPath, main, 'query', ...query], {
    env: { PATH, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const moments: Readonly<Record<string, () => boolean>> = {
  'while the files are read': () => filesNow().some((name) => name.endsWith('.duckdb')),
  'while the database is written': () =>
    filesNow()
      .filter((name) => name.endsWith('.duckdb'))
      .some((name) => sizeOf(join(temporary, name)) > 100_000),
};

/** No files where the program removes a folder while it is listed: the caller asks again. */
function filesNow(): readonly string[] {
  try {
    return readdirSync(temporary, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function until(isSo: () => boolean, child: ChildProcess): Promise<void> {
  while (!isSo()) {
    if (child.exitCode !== null) throw new Error('the program ended before');
    await sleep(2);
  }
}

describe('a load that is ended by a signal leaves no files', () => {
  const rows = Object.keys(moments).flatMap((moment) =>
    (['SIGTERM', 'SIGINT'] as const).map((signal) => [signal, moment] as const),
  );
  test.each(rows)('%s %s', async (signal, moment) => {
    const child = start();
    await until(moments[moment] ?? (() => true), child);
    child.kill(signal);
    const [code, by] = await once(child, 'exit');
    expect([code, by]).toEqual([null, signal]);
    expect(readdirSync(temporary)).toEqual([]);
    // No child is left that could write files again.
    await sleep(300);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

test('a full disk is reported with a remedy, and no file is left', async () => {
  const child = start('ulimit -f 2000;');
  let errors = '';
  child.stderr?.on('data', (text) => {
    errors += text;
  });
  const [code] = await once(child, 'close');
  expect(errors).toMatch(/^the log files cannot be loaded: no space is left for .*TMPDIR\)\n$/);
  expect(code).toBe(2);
  expect(readdirSync(temporary)).toEqual([]);
});
