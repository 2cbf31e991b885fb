import { copyFileSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCommand } from '../../../src/config/config.js';
import { createScope } from '../../../src/endpoint/scope.js';
import { openDuckDbEngine } from '../../../src/engine/duckdb/duckdb.js';
import { recognizeShape } from '../../../src/logs/files/recognize-shape.js';
import { createRunEndpoint, type RunEndpoint } from '../../../src/run/run-endpoint.js';
import { openServices } from '../../../src/start/start-up.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';
import type { Json, JsonObject } from '../../support/json.js';
import { makeFolder } from '../../support/load-logs.js';
import { root } from '../../support/paths.js';

/** The expected reading of a sample: times in microseconds, fields by their paths. */
interface Expected {
  readonly shape: string | null;
  readonly records: number;
  readonly rows: readonly ExpectedRow[];
  /** In seconds since 1970. */
  readonly mtime: number;
}

interface ExpectedRow {
  readonly timestamp: number;
  readonly event_message: string;
  readonly level: string | null;
  readonly fields: JsonObject;
}

// Log files as other programs write them, one in each folder, with the first records and the last one.
const samples = join(root, 'test/logs/shapes/samples');
const all = readdirSync(samples).map((name) => {
  const files = readdirSync(join(samples, name));
  const [file = ''] = files.filter((one) => one !== 'expected.json');
  const text = readFileSync(join(samples, name, 'expected.json'), 'utf8');
  return { name, path: join(samples, name, file), expected: JSON.parse(text) as Expected };
});
const shapes = mappingsOf(readShippedShapes());

test.each(all)('the shape of $name is recognized', ({ path, expected }) => {
  const found = recognizeShape(path, shapes);
  expect('shape' in found ? found.shape : null).toBe(expected.shape);
});

const readable = all.filter(({ expected }) => expected.shape !== null);
const tableOf = (name: string) => name.replaceAll('-', '_');

let run: RunEndpoint;
let close: () => Promise<void>;

beforeAll(async () => {
  const data = makeFolder({});
  for (const { name, path, expected } of readable) {
    const folder = join(data, tableOf(name));
    mkdirSync(folder);
    const suffix = ['.json', '.gz'].find((one) => path.endsWith(one)) ?? '';
    const copy = join(folder, suffix === '.json' ? 'a.json' : `a.log${suffix}`);
    copyFileSync(path, copy);
    utimesSync(copy, expected.mtime, expected.mtime);
  }
  const as = readable.map(({ name, expected }) => `${tableOf(name)}=${expected.shape}`).join(',');
  const argv = ['query', 'logs.all', '--data', data, '--as', as, '--no-disk-cache'];
  const command = readCommand(argv, {});
  if (command.verb !== 'query') throw new Error('not the verb');
  const opened = await openServices(command.settings, openDuckDbEngine, {
    spare: () => 1,
    onRenewalFailure: () => {},
    onWarning: () => {},
  });
  run = createRunEndpoint(opened);
  close = () => opened.serving.close();
}, 60_000);
afterAll(() => close());

async function rowsOf(name: string): Promise<readonly JsonObject[]> {
  const { result } = await run({
    endpoint: 'logs.all',
    parameters: new Map([['project', 'default']]),
    sandbox: { language: 'sql', text: `select * from ${tableOf(name)} order by timestamp` },
    clock: { now: '2026-03-10T12:31:00.000000+00:00', fixed: true },
    redact: false,
    signal: new AbortController().signal,
    caller: '',
    scope: createScope({}),
  });
  return JSON.parse(Buffer.from(result.body).toString());
}

/** The value at a path, whose parts may be joined by underscores. */
function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  if (Array.isArray(value)) return valueAt(value[0], path);
  if (path.length === 0 || typeof value !== 'object' || value === null) return value;
  for (let length = path.length; length > 0; length -= 1) {
    const name = path.slice(0, length).join('_').toLowerCase();
    const key = Object.keys(value).find((one) => one.toLowerCase() === name);
    const found = key && valueAt((value as JsonObject)[key], path.slice(length));
    if (found !== undefined && found !== null && found !== '') return found;
  }
  return null;
}

describe.each(readable)('$name', ({ name, expected }) => {
  let rows: readonly JsonObject[];
  beforeAll(async () => {
    rows = await rowsOf(name);
  });

  test('has all records', () => {
    expect(rows).toHaveLength(expected.records);
  });

  test.each(expected.rows)('has $timestamp', (wanted) => {
    const { timestamp, event_message, level, fields } = wanted;
    const sameTime = rows.filter((one) => one['timestamp'] === timestamp);
    const row = sameTime.find((one) => one['event_message'] === event_message) ?? sameTime[0];
    expect(row).toMatchObject({ event_message, level });
    const values = Object.entries(fields).map(([path]) => [
      path,
      printed(valueAt(row, path.split('.'))),
    ]);
    expect(values).toEqual(Object.entries(fields).map(([path, value]) => [path, printed(value)]));
  });
});

/** Numbers as such, also in a string. */
function printed(value: Json | undefined): string | number | null {
  if (value === null || value === undefined || value === '') return null;
  return Number.isFinite(Number(value)) ? Number(value) : String(value);
}
