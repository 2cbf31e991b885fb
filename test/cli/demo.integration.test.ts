import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { openDemo } from '../../src/cli/demo.js';
import { readCommand } from '../../src/config/config.js';
import type { Settings } from '../../src/config/settings.js';

const folder = mkdtempSync(join(tmpdir(), 'demo-test-'));
const now = Date.parse('2026-11-22T21:00:00Z');

afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the logs end now, are followed by the clock, and go on until the server stops', async () => {
  const data = join(folder, 'kept');
  const fixed = {
    LOG_ENDPOINTS_NOW: '2020-01-01T00:00:00Z',
    LOG_ENDPOINTS_SHIFT_TO_NOW: 'true',
  };
  const { settings, companion } = await openDemo(settingsOf(['--data', data], fixed), now);
  expect(settings).toMatchObject({
    data,
    watch: true,
    now: undefined,
    shiftToNow: false,
    logLevel: 'warn',
  });
  expect(countLines(data)).toBe(900);
  vi.useFakeTimers({ now });
  const stop = companion.start(fail);
  vi.advanceTimersByTime(60_000);
  const grown = countLines(data);
  expect(grown).toBeGreaterThan(903);
  expect(grown).toBeLessThan(1000);
  stop();
  vi.advanceTimersByTime(600_000);
  expect(countLines(data)).toBe(grown);
});

test('a file that cannot be written ends the writing, and is told once', async () => {
  const data = join(folder, 'removed');
  const { companion } = await openDemo(settingsOf(['--data', data]), now);
  rmSync(data, { recursive: true });
  vi.useFakeTimers({ now });
  const told = vi.fn();
  companion.start(told);
  vi.advanceTimersByTime(600_000);
  expect(told).toHaveBeenCalledOnce();
  expect(existsSync(data)).toBe(false);
});

test('without --data the logs and the tables are in temporary folders; each tip is a command', async () => {
  const flags = ['--preset', 'supabase', '--sources', folder];
  const { settings, companion } = await openDemo(settingsOf(flags), now);
  const served = { preset: 'supabase', sources: folder, headerPrefix: 'LF', noDiskCache: true };
  expect(settings).toMatchObject(served);
  expect(settings.data).toMatch(/log-endpoints-\d+-[\w-]+.demo$/);
  const commands = companion.tips('http://a:1', 'secret').filter((line) => line.startsWith('curl'));
  expect(commands.length).toBeGreaterThan(1);
  for (const command of commands) {
    expect(command).toContain('X-API-KEY: secret');
    expect(command).toContain("'http://a:1/api/endpoints/query/logs.all?project=bluefin'");
  }
});

test('a folder with logs is refused', async () => {
  const data = join(folder, 'kept');
  await expect(openDemo(settingsOf(['--data', data]), now)).rejects.toThrow(
    `the folder is not empty: ${data}; serve what it holds with log-endpoints serve --data ${data} --shift-to-now, or name a new folder`,
  );
});

function settingsOf(flags: readonly string[], environment = {}): Settings {
  const small = ['--records', '900', '--hours', '1'];
  const command = readCommand(['demo', ...small, ...flags], environment);
  if (command.verb !== 'demo') throw new Error('not the verb demo');
  return command.settings;
}

function countLines(data: string): number {
  return readdirSync(data)
    .map((file) => readFileSync(join(data, file), 'utf8').split('\n').length - 1)
    .reduce((sum, lines) => sum + lines, 0);
}

function fail(error: unknown): never {
  throw error;
}
