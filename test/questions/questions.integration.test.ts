import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../support/ask-service.js';
import { differenceOfRows } from '../support/compare-rows.js';
import { isObject, type Json, parseJson } from '../support/json.js';
import { root } from '../support/paths.js';
import { sample } from '../support/soak.js';
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

const folder = mkdtempSync(join(tmpdir(), 'questions-test-'));
let service: Service;
let logs: Logs;

beforeAll(async () => {
  generate();
  logs = readLogs(folder, 'bluefin');
  const clock = ['--now', '2026-03-10T12:00:00Z', '--compile-timeout', '20s'];
  service = await startService(['--data', folder, ...clock]);
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

test('each question is asked once', () => {
  const asked = Object.values(themes).flat();
  expect(new Set(asked.map(({ ask: question }) => question)).size).toBe(asked.length);
  expect(new Set(asked.map(({ sql }) => sql)).size).toBe(asked.length);
});

describe.each(Object.entries(themes))('%s', (_theme, questions) => {
  test.concurrent.each(sample(questions, 4))('$ask', async (question) => {
    const expected = question.answer(logs);
    expect(expected).not.toEqual([]);
    expect(differenceOf(question, await rowsOf(question.sql), expected)).toBeUndefined();
  });
});

/** Writes the same logs in every run: the records of three projects, of which one is asked about. */
function generate(): void {
  const script = join(root, 'scripts/generate-logs.mjs');
  const flags = ['6000', folder, '--projects', '3', '--seed', '20'];
  const { status, stderr } = spawnSync(process.execPath, [script, ...flags], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

async function rowsOf(sql: string): Promise<readonly Json[]> {
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
