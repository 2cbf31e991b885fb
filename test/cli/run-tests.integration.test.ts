import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runTests } from '../../src/cli/run-tests.js';
import { readCommand } from '../../src/config/config.js';
import { fixtures } from '../support/paths.js';
import { type Folders, makeFolders, runProgram } from '../support/run-program.js';

let folders: Folders;
beforeEach(() => {
  folders = makeFolders();
});
afterEach(() => folders.remove());

const now = '2026-03-10T12:00:00Z';
const hourly = { project: 'quarry', interval: 'hourly' };
const hour = {
  timestamp: '2026-03-10T11:00:00',
  total_rest_requests: 4,
  total_storage_requests: 2,
  total_auth_requests: 1,
  total_realtime_requests: 0,
};

/** Writes a file of tests over the sample logs beside the endpoints. */
function write(name: string, tests: readonly object[], others: object = {}): string {
  const file = join(folders.endpoints, `${name}.test.json`);
  writeFileSync(file, JSON.stringify({ data: fixtures, now, ...others, tests }));
  return file;
}

async function run(...argv: readonly string[]) {
  const command = readCommand(['test', '--endpoints', folders.endpoints, ...argv], {});
  if (!('settings' in command)) throw new Error('test has no settings');
  return runTests(command.settings);
}

/** Runs the tests as one file, and returns the differences of each. */
async function differencesOf(tests: readonly object[], others: object = {}) {
  write('usage.api-counts', tests, others);
  return (await run()).map(({ differences }) => differences.map((line) => line.trim()));
}

describe('a test', () => {
  test('passes with the rows, or with the message of HTTP', async () => {
    const message = 'Invalid value for parameter interval: must be one of minutely, hourly, daily';
    const found = await differencesOf([
      { name: 'rows', parameters: hourly, rows: [hour] },
      { name: 'no rows', parameters: { ...hourly, project: 'nobody' }, rows: [] },
      { name: 'error', parameters: { ...hourly, interval: 'yearly' }, error: message },
      { name: 'no endpoint', endpoint: 'nothing', error: 'Endpoint not found: nothing' },
    ]);
    expect(found).toEqual([[], [], [], []]);
  });

  test('fails with others, whatever it expects', async () => {
    const found = await differencesOf([
      { name: 'rows', parameters: hourly, rows: [{ ...hour, total_rest_requests: 5 }] },
      { name: 'error', parameters: hourly, error: 'none' },
      { name: 'rows, not an error', rows: [] },
    ]);
    expect(found.map((lines) => lines.map((line) => line.slice(0, 30)))).toEqual([
      ['- {"timestamp":"2026-03-10T11:', '+ {"timestamp":"2026-03-10T11:'],
      ['- error: none', '+ {"timestamp":"2026-03-10T11:'],
      ['+ error: Missing required para'],
    ]);
    expect(found[0]?.map((line) => /rest_requests":(\d)/.exec(line)?.[1])).toEqual(['5', '4']);
  });

  test('has an instant of its own, or that of its file', async () => {
    const sql = 'select current_timestamp() as now';
    const ask = { endpoint: 'logs.all', parameters: { project: 'p', sql } };
    const micros = (text: string) => [{ now: Date.parse(text) * 1000 }];
    const later = '2026-03-11T00:00:00Z';
    const found = await differencesOf([
      { name: 'own', ...ask, now: later, rows: micros(later) },
      { name: 'of the file', ...ask, rows: micros(now) },
    ]);
    expect(found).toEqual([[], []]);
  });

  test('sees its own records and those of its folder, and no other test sees them', async () => {
    const sql = "select event_message from edge_logs where event_message = 'mine'";
    const ask = { endpoint: 'logs.all', parameters: { project: 'quarry', sql } };
    const mine = { timestamp: '2026-03-10T11:59:00Z', project: 'quarry', event_message: 'mine' };
    const tests = [
      { name: 'with', ...ask, records: { edge_logs: [mine] }, rows: [{ event_message: 'mine' }] },
      { name: 'without', ...ask, rows: [] },
      { name: 'the folder', parameters: hourly, records: { edge_logs: [mine] }, rows: [hour] },
    ];
    expect(await differencesOf(tests)).toEqual([[], [], []]);
  });

  test('whose records cannot be read fails with the reason', async () => {
    const tests = [{ name: 'a', records: { edge_lgs: [{}] }, rows: [] }];
    const [lines] = await differencesOf(tests);
    expect(lines).toEqual([expect.stringMatching(/^\+ error: Unknown source: edge_lgs;.*did you/)]);
  });

  test('without a folder is about empty sources', async () => {
    const tests = [{ name: 'a', parameters: hourly, rows: [] }];
    expect(await differencesOf(tests, { data: undefined })).toEqual([[]]);
  });
});

describe('the files', () => {
  const passing = [{ name: 'a', endpoint: 'logs.all', parameters: { project: '-' }, rows: [] }];

  test('are those beside the endpoints, in order, or those that are named', async () => {
    const [b, a] = [write('b', passing), write('a', passing)];
    writeFileSync(join(folders.endpoints, 'c.json'), 'no tests');
    expect((await run()).map(({ file }) => file)).toEqual([a, b]);
    expect((await run(b)).map(({ file }) => file)).toEqual([b]);
    expect((await run(folders.endpoints)).map(({ file }) => file)).toEqual([a, b]);
  });

  test('have the endpoints beside them, if no other folder is named', async () => {
    const file = write('kept', [{ name: 'a', rows: [{ records: 0 }] }], { data: undefined });
    const command = readCommand(['test', file], {});
    if (!('settings' in command)) throw new Error('test has no settings');
    expect(await runTests(command.settings)).toEqual([{ file, name: 'a', differences: [] }]);
    const other = join(folders.root, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'other.sql'), '--\nselect 1 as one\n');
    const others = await runTests({ ...command.settings, endpoints: other });
    expect(others[0]?.differences).toEqual([
      '  - {"records":0}',
      '  + error: Endpoint not found: kept',
    ]);
  });

  test('must be there, and be valid: no test runs', async () => {
    await expect(run()).rejects.toThrow('there is no *.test.json');
    write('a', passing);
    write('b', [{ name: 'a' }]);
    await expect(run()).rejects.toThrow('b.test.json: tests.0: must have either rows or error');
  });

  test('in a folder whose endpoints are wrong do not run', async () => {
    write('a', passing);
    writeFileSync(join(folders.endpoints, 'wrong.sql'), '--\nselect nothing\n');
    await expect(run()).rejects.toThrow('wrong.sql:2:8');
  });
});

test('the program: exit code 0, 1 if a test has failed, and 2 if none could run', async () => {
  const passed = { name: 'passes', parameters: hourly, rows: [hour] };
  const flags = ['test', '--endpoints', folders.endpoints];
  write('usage.api-counts', [passed]);
  expect(await runProgram(folders, flags)).toMatchObject({
    code: 0,
    stdout: '1 test, 0 failures\n',
    stderr: '',
  });
  const file = write('usage.api-counts', [passed, { ...passed, name: 'fails', rows: [] }]);
  const report = join(folders.root, 'report.xml');
  const ended = await runProgram(folders, [...flags, '--junit', report]);
  expect(ended).toMatchObject({ code: 1, stderr: '' });
  expect(ended.stdout).toMatch(/^.*: fails\n {2}\+ \{"timestamp".*\}\n2 tests, 1 failure\n$/);
  expect(readFileSync(report, 'utf8')).toContain('<testsuites tests="2" failures="1">');
  rmSync(file);
  const none = await runProgram(folders, [...flags, '--junit', join(folders.root, 'none.xml')]);
  expect(none).toMatchObject({ code: 2, stdout: '' });
  expect(existsSync(join(folders.root, 'none.xml'))).toBe(false);
});

test('the program: a report that cannot be written is an error', async () => {
  const file = write('usage.api-counts', [{ name: 'a', parameters: hourly, rows: [hour] }]);
  mkdirSync(join(folders.root, 'folder'));
  const ended = await runProgram(folders, ['test', file, '--junit', join(folders.root, 'folder')]);
  expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^--junit: /) });
});
