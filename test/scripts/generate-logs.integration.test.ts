import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { readOptions, UsageError } from '../../scripts/logs/options.mjs';
import { declared, loadFolder } from '../support/load-logs.js';
import { root } from '../support/paths.js';
import { isFullLength, sample } from '../support/soak.js';

interface Line {
  readonly id: string;
  readonly timestamp: string | number;
  readonly project?: string;
  readonly metadata: unknown;
}

const scratch = mkdtempSync(join(tmpdir(), 'generate-logs-test-'));
let runs = 0;

afterAll(() => rmSync(scratch, { recursive: true }));

test.runIf(isFullLength)('the same flags give the same bytes, another seed gives others', () => {
  const [one, again, other] = ['7', '7', '8'].map((seed) =>
    readAll(generate(1000, ['--seed', seed])),
  );
  expect(one).toEqual(again);
  expect(one).not.toEqual(other);
});

test.runIf(isFullLength)(
  'every source loads without bad lines or fields, and both formats give the same rows',
  async () => {
    const loads = ['ndjson', 'parquet'].map(async (format) => {
      const loaded = await loadFolder(generate(3000, ['--format', format, '--projects', '40']));
      const { files, warnings } = loaded;
      expect(warnings).toEqual([]);
      expect(files.map(({ source }) => source)).toEqual(declared.map(({ name }) => name));
      expect(files.filter(({ badLines, badFields }) => badLines + badFields > 0)).toEqual([]);
      expect(files.reduce((sum, { records }) => sum + records, 0)).toBe(3000);
      return loaded;
    });
    const [lines, parquet] = await Promise.all(loads);
    for (const { name } of declared) {
      const rows = await lines?.rows(name, 'id, timestamp, event_message, to_json(metadata)');
      expect(rows?.length, name).toBeGreaterThan(25);
      expect(
        await parquet?.rows(name, 'id, timestamp, event_message, to_json(metadata)'),
        name,
      ).toEqual(rows);
    }
  },
);

test('every hole of a template is filled and ids are unique', () => {
  const folder = generate(5_000, []);
  const lines = [...readLines(folder).values()].flat();
  expect(new Set(lines.map(({ id }) => id)).size).toBe(5_000);
  expect([...readAll(folder).values()].some((text) => text.includes('@@'))).toBe(false);
  expect(lines.filter(({ id }) => !/^\w{8}-\w{4}-4\w{3}-[89ab]\w{3}-\w{12}$/.test(id))).toEqual([]);
});

test.runIf(isFullLength)(
  'records are in order of time within the window, or late with --disorder',
  () => {
    const window = ['--from', '2025-12-31T23:30:00Z', '--to', '2026-01-01T02:00:00+01:00'];
    const sources = ['--sources', 'edge_logs,function_logs'];
    const [ordered, late] = [[], ['--disorder', '60']].map((flags) =>
      [...readLines(generate(4000, [...window, ...sources, ...flags])).values()].map(instants),
    );
    expect(ordered?.map((times) => times.length > 500)).toEqual([true, true]);
    for (const times of ordered ?? []) expect(times).toEqual(times.toSorted((a, b) => a - b));
    for (const times of [...(ordered ?? []), ...(late ?? [])]) {
      expect(Math.min(...times)).toBeGreaterThanOrEqual(Date.parse('2025-12-31T23:30:00Z'));
      expect(Math.max(...times)).toBeLessThan(Date.parse('2026-01-01T01:00:00Z'));
    }
    const steps = late?.flatMap((times) =>
      times.slice(1).map((at, index) => at - (times[index] ?? 0)),
    );
    expect(Math.min(...(steps ?? []))).toBeLessThan(-10_000);
    expect(Math.min(...(steps ?? []))).toBeGreaterThan(-60_000);
  },
);

test.runIf(isFullLength)('projects have a Zipf distribution, nights and weekends are quiet', () => {
  const flags = ['--sources', 'edge_logs', '--projects', '10', '--days', '14'];
  const [lines = []] = readLines(generate(20_000, flags)).values();
  const byProject = count(lines.map(({ project }) => project ?? ''));
  const harmonic = [...Array(10).keys()].reduce((sum, rank) => sum + 1 / (rank + 1), 0);
  const shares = [...byProject.values()].sort((a, b) => b - a).map((records) => records / 20_000);
  const deviations = shares.map((share, rank) => Math.abs(share * (rank + 1) * harmonic - 1));
  expect(shares).toHaveLength(10);
  expect(Math.max(...deviations)).toBeLessThan(0.2);
  expect(byProject.get('bluefin')).toBe(Math.max(...byProject.values()));
  const times = instants(lines).map((at) => new Date(at));
  const hours = count(times.map((at) => `${at.getUTCHours()}`));
  expect((hours.get('10') ?? 0) / (hours.get('3') ?? 1)).toBeGreaterThan(3);
  const days = count(times.map((at) => `${at.getUTCDay()}`));
  expect((days.get('3') ?? 0) / (days.get('0') ?? 1)).toBeGreaterThan(1.5);
});

test.runIf(isFullLength)('plain records have one shape, other records several', () => {
  const flags = ['--sources', 'edge_logs'];
  const [mixed = new Set(), plain = new Set()] = [[], ['--plain']].map((more) => {
    const [lines = []] = readLines(generate(3000, [...flags, ...more])).values();
    return new Set(
      lines.map(({ timestamp, metadata }) => `${typeof timestamp} ${Array.isArray(metadata)}`),
    );
  });
  expect([...plain]).toEqual(['string false']);
  expect(mixed.size).toBeGreaterThan(2);
});

test.runIf(isFullLength)('--files and --gzip write compressed files of N records each', () => {
  const flags = ['--sources', 'edge_logs', '--seed', '3'];
  const whole = readFileSync(join(generate(500, flags), 'edge_logs.ndjson'), 'utf8');
  const folder = join(generate(500, [...flags, '--files', '200', '--gzip']), 'edge_logs');
  const files = readdirSync(folder).sort();
  expect(files).toEqual(['000001', '000002', '000003'].map((name) => `${name}.ndjson.gz`));
  const parts = files.map((file) => gunzipSync(readFileSync(join(folder, file))).toString());
  expect(parts.map((part) => part.trimEnd().split('\n').length)).toEqual([200, 200, 100]);
  expect(parts.join('') === whole).toBe(true);
});

describe('an invalid command line: one line, exit code 2, nothing written', () => {
  test.each(
    sample(
      [
        [[]],
        [['10']],
        [['10', 'out', 'more']],
        [['0', 'out']],
        [['1e3', 'out']],
        [['10', 'out', '--unknown']],
        [['10', 'out', '--seed']],
        [['10', 'out', '--seed', 'x']],
        [['10', 'out', '--sources', 'edge_logs,nothing']],
        [['10', 'out', '--projects', '0']],
        [['10', 'out', '--days', '1.5']],
        [['10', 'out', '--to', 'tomorrow']],
        [['10', 'out', '--from', '2026-03-11', '--to', '2026-03-10']],
        [['10', 'out', '--format', 'csv']],
        [['10', 'out', '--format', 'parquet', '--gzip']],
      ],
      4,
    ),
  )('%j', (args) => {
    expect(() => readOptions(args)).toThrow(UsageError);
    expect(() => readOptions(args)).toThrow(/^[^\n]+$/);
  });

  test.each(sample([[[]], [['10', 'full']]], 2))('on standard error: %j', (args) => {
    const cwd = mkdtempSync(join(scratch, 'cwd-'));
    mkdirSync(join(cwd, 'full/of'), { recursive: true });
    const { status, stderr } = run(args, cwd);
    expect([status, stderr.trimEnd().split('\n').length]).toEqual([2, 1]);
    expect(existsSync(join(cwd, 'out'))).toBe(false);
  });
});

test('--help names every flag', () => {
  const { status, stdout } = run(['--help'], root);
  expect(status).toBe(0);
  for (const flag of ['sources', 'projects', 'from', 'to', 'days', 'seed', 'format', 'files']) {
    expect(stdout).toContain(`--${flag} `);
  }
});

/** Generates records into a new folder. */
function generate(records: number, flags: readonly string[]): string {
  runs += 1;
  const folder = join(scratch, `run-${runs}`);
  const { status, stderr } = run([String(records), folder, ...flags], root);
  expect(status, stderr).toBe(0);
  return folder;
}

function run(args: readonly string[], cwd: string) {
  const script = join(root, 'scripts/generate-logs.mjs');
  return spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' });
}

function readAll(folder: string): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

function readLines(folder: string): ReadonlyMap<string, readonly Line[]> {
  return new Map(
    [...readAll(folder)].map(([name, text]) => [
      name,
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line),
    ]),
  );
}

/** Timestamps as unix milliseconds, in the order of the file. */
function instants(lines: readonly Line[]): readonly number[] {
  return lines.map(({ timestamp }) =>
    typeof timestamp === 'number' ? timestamp / 1000 : Date.parse(timestamp),
  );
}

function count(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
