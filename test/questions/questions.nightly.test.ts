import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../support/ask-service.js';
import { differenceOfRows } from '../support/compare-rows.js';
import { isObject, type Json, parseJson } from '../support/json.js';
import { root } from '../support/paths.js';
import { type Service, startService } from '../support/start-service.js';
import { type Logs, readLogs } from './logs.js';
import type { Question, Row } from './question.js';
import { clocks } from './tables/clocks.js';
import { errors } from './tables/errors.js';
import { joins } from './tables/joins.js';
import { latency } from './tables/latency.js';
import { series } from './tables/series.js';
import { shapes } from './tables/shapes.js';
import { structures } from './tables/structures.js';
import { texts } from './tables/texts.js';
import { traffic } from './tables/traffic.js';
import { visitors } from './tables/visitors.js';

const themes: Readonly<Record<string, readonly Question[]>> = {
  traffic,
  errors,
  latency,
  visitors,
  joins,
  series,
  texts,
  clocks,
  structures,
  shapes,
};

test('each question is asked once', () => {
  const asked = Object.values(themes).flat();
  expect(new Set(asked.map(({ ask: question }) => question)).size).toBe(asked.length);
  expect(new Set(asked.map(({ sql }) => sql)).size).toBe(asked.length);
});

/** Whether another project has records of two elements: all records are then stored as lists. */
const layouts = { 'records stored as structs': false, 'records stored as lists': true };

describe.each(Object.entries(layouts))('%s', (_layout, asLists) => {
  let service: Service;
  let logs: Logs;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'questions-test-'));
    generate(folder);
    if (asLists) doubleRecords(folder, 'quarry');
    logs = readLogs(folder, 'bluefin');
    const clock = ['--now', '2026-03-10T12:00:00Z', '--compile-timeout', '20s'];
    service = await startService(['--data', folder, ...clock]);
  });
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  describe.each(Object.entries(themes))('%s', (_theme, questions) => {
    test.concurrent.each(questions)('$ask', async (question) => {
      const expected = question.answer(logs);
      expect(expected).not.toEqual([]);
      expect(differenceOf(question, await rowsOf(service, question.sql), expected)).toBeUndefined();
    });
  });
});

/** Writes the same logs in every run: the records of three projects, of which one is asked about. */
function generate(folder: string): void {
  const main = join(root, 'dist/main.js');
  const window = ['--to', '2026-03-10T12:00:00Z', '--hours', '192'];
  const flags = ['--records', '6000', '--out', folder, '--seed', '20', ...window];
  const { status, stderr } = spawnSync(process.execPath, [main, 'generate', ...flags], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
}

/** Doubles the records of a project, at every depth. */
function doubleRecords(folder: string, project: string): void {
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const doubled = lines.map((line) => {
      const { metadata, ...record } = JSON.parse(line);
      const isOf = line.includes(`"${project}"`);
      return JSON.stringify({ ...record, metadata: isOf ? double(metadata) : metadata });
    });
    writeFileSync(path, `${doubled.join('\n')}\n`);
  }
}

function double(value: Json): Json {
  if (Array.isArray(value)) return value.flatMap((item) => double(item));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, double(field)]);
  return [Object.fromEntries(fields), Object.fromEntries(fields)];
}

async function rowsOf(service: Service, sql: string): Promise<readonly Json[]> {
  const response = await ask(service, { sql });
  const text = await response.text();
  const body = parseJson(text);
  const { result } = isObject(body) ? body : {};
  if (!Array.isArray(result)) throw new Error(text);
  return result;
}

function differenceOf(
  { anyOrder, inexact }: Question,
  actual: readonly Json[],
  rows: readonly Row[],
) {
  const expected = parseJson(JSON.stringify(rows)) as readonly Json[];
  const order = anyOrder === true ? 'any' : 'exact';
  const tolerance = inexact === true ? 1e-9 : 0;
  return differenceOfRows(actual, expected, { order, strict: true, tolerance });
}
