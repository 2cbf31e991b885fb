import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { generateLogs } from '../../src/cli/generate.js';
import { readCommand } from '../../src/config/config.js';
import { SetupError } from '../../src/errors/errors.js';
import { declared, loadFolder } from '../support/load-logs.js';
import { isFullLength } from '../support/nightly.js';

interface Line {
  readonly id: string;
  readonly timestamp: string | number;
  readonly project?: string;
  readonly metadata: unknown;
}

const scratch = mkdtempSync(join(tmpdir(), 'generate-logs-test-'));
let runs = 0;

afterAll(() => rmSync(scratch, { recursive: true }));

test.runIf(isFullLength)('the same flags give the same bytes, another seed others', async () => {
  const folders = await all(['7', '7', '8'].map((seed) => generate(1000, ['--seed', seed])));
  const [one, again, other] = folders.map(readAll);
  expect(one).toEqual(again);
  expect(one).not.toEqual(other);
});

test.runIf(isFullLength)(
  'every source loads without bad lines or fields, and both formats give the same rows',
  async () => {
    const loads = ['ndjson', 'parquet'].map(async (format) => {
      const loaded = await loadFolder(
        await generate(3000, ['--format', format, '--projects', '40']),
      );
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

test('every hole of a template is filled and ids are unique', async () => {
  const folder = await generate(5_000, []);
  const lines = [...readLines(folder).values()].flat();
  expect(new Set(lines.map(({ id }) => id)).size).toBe(5_000);
  expect([...readAll(folder).values()].some((text) => text.includes('@@'))).toBe(false);
  expect(lines.filter(({ id }) => !/^\w{8}-\w{4}-4\w{3}-[89ab]\w{3}-\w{12}$/.test(id))).toEqual([]);
});

test.runIf(isFullLength)(
  'records are in order of time within the window, or late with --disorder',
  async () => {
    const window = ['--from', '2025-12-31T23:30:00Z', '--to', '2026-01-01T02:00:00+01:00'];
    const sources = ['--source', 'edge_logs', '--source', 'function_logs'];
    const folders = await all(
      [[], ['--disorder', '60s']].map((flags) => generate(4000, [...window, ...sources, ...flags])),
    );
    const [ordered, late] = folders.map((folder) => [...readLines(folder).values()].map(instants));
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

test.runIf(isFullLength)(
  'projects have a Zipf distribution, nights and weekends are quiet',
  async () => {
    const flags = ['--source', 'edge_logs', '--projects', '10', '--hours', '336'];
    const [lines = []] = readLines(await generate(20_000, flags)).values();
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
  },
);

test.runIf(isFullLength)('plain records have one shape, other records several', async () => {
  const flags = ['--source', 'edge_logs'];
  const folders = await all([[], ['--plain']].map((more) => generate(3000, [...flags, ...more])));
  const [mixed = new Set(), plain = new Set()] = folders.map((folder) => {
    const [lines = []] = readLines(folder).values();
    return new Set(
      lines.map(({ timestamp, metadata }) => `${typeof timestamp} ${Array.isArray(metadata)}`),
    );
  });
  expect([...plain]).toEqual(['string false']);
  expect(mixed.size).toBeGreaterThan(2);
});

test.runIf(isFullLength)(
  '--files and --gzip write compressed files of N records each',
  async () => {
    const flags = ['--source', 'edge_logs', '--seed', '3'];
    const whole = readFileSync(join(await generate(500, flags), 'edge_logs.ndjson'), 'utf8');
    const folder = join(await generate(500, [...flags, '--files', '200', '--gzip']), 'edge_logs');
    const files = readdirSync(folder).sort();
    expect(files).toEqual(['000001', '000002', '000003'].map((name) => `${name}.ndjson.gz`));
    const parts = files.map((file) => gunzipSync(readFileSync(join(folder, file))).toString());
    expect(parts.map((part) => part.trimEnd().split('\n').length)).toEqual([200, 200, 100]);
    expect(parts.join('') === whole).toBe(true);
  },
);

test('--project writes the records of one project', async () => {
  const [lines = []] = readLines(
    await generate(200, ['--source', 'edge_logs', '--project', 'acme']),
  ).values();
  expect(new Set(lines.map(({ project }) => project))).toEqual(new Set(['acme']));
});

describe('flags that make no sense are refused, and nothing is written', () => {
  test.each([
    [['--source', 'nothing'], /^--source: unknown source nothing; the sources are edge_logs/],
    [
      ['--from', '2026-03-11T00:00:00Z', '--to', '2026-03-10T00:00:00Z'],
      /^--from must be before --to$/,
    ],
    [['--from', '2026-03-01T00:00:00Z', '--hours', '2'], /^--from and --hours exclude each other/],
    [['--project', 'a', '--projects', '2'], /^--project and --projects exclude each other/],
    [['--project', 'a"b'], /^--project must be letters/],
    [['--format', 'csv'], /^--format must be one of ndjson, parquet$/],
    [['--format', 'parquet', '--gzip'], /^--gzip needs --format ndjson$/],
    [['--records', '0'], /^--records must be a whole number/],
  ])('%j', async (flags, message) => {
    await expect(generate(10, flags)).rejects.toThrow(SetupError);
    await expect(generate(10, flags)).rejects.toThrow(message);
    expect(existsSync(join(scratch, `run-${runs}`))).toBe(false);
  });

  test('a folder with files', async () => {
    const full = join(scratch, 'full');
    mkdirSync(join(full, 'of'), { recursive: true });
    await expect(generate(10, ['--out', full])).rejects.toThrow(/^the folder is not empty: /);
  });
});

function all(folders: readonly Promise<string>[]): Promise<readonly string[]> {
  return Promise.all(folders);
}

/** Generates records into a new folder. */
async function generate(records: number, flags: readonly string[]): Promise<string> {
  runs += 1;
  const folder = join(scratch, `run-${runs}`);
  const window = flags.includes('--from') || flags.includes('--hours') ? [] : ['--hours', '192'];
  const end = flags.includes('--to') ? [] : ['--to', '2026-03-10T12:00:00Z'];
  const given = ['--records', String(records), '--out', folder, ...window, ...end, ...flags];
  const command = readCommand(['generate', ...given], {});
  if (command.verb !== 'generate') throw new Error('not the verb generate');
  await generateLogs(command.settings, Date.parse('2026-03-12T00:00:00Z'));
  return folder;
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
