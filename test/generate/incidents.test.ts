import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeLogs } from '../../src/cli/generate.js';
import type { Generated } from '../../src/generate/generate.js';
import { createDue } from '../../src/generate/go-on.js';
import { createMinutes } from '../../src/generate/moments.js';
import { readGenerateOptions } from '../../src/generate/options.js';
import { isObject, type Json } from '../support/json.js';

/** A record, and the paths below its metadata that the tests read. */
interface Line {
  readonly at: number;
  readonly text: string;
  readonly project: Json | undefined;
  readonly get: (path: string) => Json | undefined;
}

const end = Date.parse('2026-11-22T21:00:00Z');
const hour = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'incidents-test-'));
const out = join(folder, 'logs');
let generated: Generated;
let edge: readonly Line[];

beforeAll(async () => {
  const flags = {
    ...{ out, records: 20_000, seed: 1, format: 'ndjson', disorder: 0 },
    ...{ gzip: false, plain: false, incidents: true },
  };
  generated = await writeLogs(readGenerateOptions(flags, end * 1000));
  edge = read('edge_logs').filter(({ project }) => project === 'bluefin');
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a day of users: busy hours have more and slower requests than nights', () => {
  const [busy, quiet] = [
    [9, 12],
    [1, 4],
  ].map(([from = 0, to = 0]) =>
    edge.filter(({ at }) => new Date(at).getUTCHours() >= from && new Date(at).getUTCHours() < to),
  );
  expect(busy?.length).toBeGreaterThan(3 * (quiet?.length ?? 0));
  expect(median(busy)).toBeGreaterThan(1.3 * median(quiet));
});

test('in the last hour, a burst of errors of a database without free connections', () => {
  const failed = edge.filter(
    ({ at, get }) => at > end - hour && get('response.status_code') === 500,
  );
  expect(failed.length).toBeGreaterThan(15);
  const noSlots = read('db_logs').filter(({ get }) => get('parsed.sql_state_code') === '53300');
  expect(noSlots.length).toBeGreaterThan(10);
  expect(Math.min(...noSlots.map(({ at }) => at))).toBeGreaterThan(end - hour);
});

test('half a day before, a slow deploy: a new version of the functions for less than an hour', () => {
  const deployed = read('function_edge_logs').filter(({ get }) => get('version') === '5');
  const times = deployed.map(({ at }) => at);
  expect(deployed.length).toBeGreaterThan(5);
  expect(Math.max(...times) - Math.min(...times)).toBeLessThan(hour);
  const from = Math.min(...times);
  const during = edge.filter(({ at }) => at >= from && at <= Math.max(...times));
  expect(median(during)).toBeGreaterThan(4 * median(edge));
});

test('the night before, six machines try passwords of many users', () => {
  const attempts = edge.filter(
    ({ get }) =>
      get('request.path') === '/auth/v1/token' &&
      String(get('request.headers.cf_connecting_ip')).startsWith('203.0.113.20'),
  );
  expect(attempts.length).toBeGreaterThan(100);
  expect(new Set(attempts.map(({ get }) => get('request.headers.cf_connecting_ip'))).size).toBe(6);
});

test('the services log the request id of the edge', () => {
  const rays = new Set(edge.map(({ get }) => get('request.headers.cf_ray')));
  const paths = {
    auth_logs: 'request_id',
    storage_logs: 'reqId',
    function_edge_logs: 'request.headers.cf_ray',
  };
  for (const [source, path] of Object.entries(paths)) {
    const own = read(source).filter(({ text }) => text.includes('bluefin'));
    expect(own.length, source).toBeGreaterThan(100);
    // A record just before the end may belong to a request that is not over.
    expect(own.filter(({ get }) => !rays.has(get(path))).length, source).toBeLessThan(3);
  }
});

test('addresses and domains are reserved for documentation', () => {
  const texts = edge.map(({ text }) => text).join('\n');
  const addresses = new Set(texts.match(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g));
  const reserved = /^(192\.0\.2|198\.51\.100|203\.0\.113)\.|^\d+\.0\.0\.0$/;
  expect([...addresses].filter((address) => !reserved.test(address))).toEqual([]);
  const hosts = new Set(
    [...texts.matchAll(/(?:@|%40|https?:\/\/)([\w.-]+)/g)].map(([, host]) => host),
  );
  expect([...hosts].filter((host) => !/\.example(\.org)?$/.test(host ?? ''))).toEqual([]);
});

test('the logs go on after their end, as dense as before', () => {
  // Weekdays have twice the traffic of the Sunday on which the logs end.
  const due = createDue(generated);
  const first = due((end + hour) * 1000);
  expect(due((end + hour) * 1000)).toEqual([]);
  const second = due((end + 24 * hour) * 1000);
  expect(first.length + second.length).toBeGreaterThan(5_000);
  expect(first.length + second.length).toBeLessThan(25_000);
  const times = first.map(({ at }) => at / 1000);
  expect(Math.min(...times)).toBeGreaterThan(end - hour);
  expect(Math.max(...times)).toBeLessThanOrEqual(end + hour);
});

test('logs whose next record is years away ask for no minute after the next one', () => {
  const asked: number[] = [];
  const traffic = (at: number) => {
    asked.push(at);
    return 1;
  };
  const rhythm = { from: 0, to: 30 * 24 * hour * 1000, count: 1, seed: 1, traffic };
  const nextMinute = createMinutes(rhythm);
  for (let at = rhythm.from; at < rhythm.to; ) at = nextMinute().end;
  const due = createDue({ end: rhythm.to, nextMinute, recordsAt: () => [] });
  const now = rhythm.to + hour * 1000;
  expect(due(now)).toEqual([]);
  expect(Math.max(...asked.slice(-100))).toBeLessThanOrEqual(now + 60_000_000);
});

function read(source: string): readonly Line[] {
  const text = readFileSync(join(out, `${source}.ndjson`), 'utf8');
  return text.trimEnd().split('\n').map(toLine);
}

function toLine(text: string): Line {
  const record = JSON.parse(text) as { readonly [key: string]: Json };
  const { timestamp, metadata } = record;
  return {
    at: typeof timestamp === 'number' ? timestamp / 1000 : Date.parse(String(timestamp)),
    text,
    project: record['project'],
    get: (path) => path.split('.').reduce<Json | undefined>(fieldOf, metadata),
  };
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  const one = Array.isArray(value) ? value[0] : value;
  return isObject(one) ? one[name] : undefined;
}

function median(lines: readonly Line[] = []): number {
  const times = lines.map(({ get }) => Number(get('response.origin_time'))).sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? 0;
}

test('of sources without records of an incident, the others are written', async () => {
  const flags = {
    ...{ records: 50, seed: 1, format: 'ndjson', disorder: 0 },
    ...{ gzip: false, plain: false, incidents: true },
  };
  for (const source of ['rest_logs', 'pooler_logs', 'db_logs']) {
    const own = join(folder, source);
    await writeLogs(readGenerateOptions({ ...flags, out: own, source: [source] }, end * 1000));
    expect(readFileSync(join(own, `${source}.ndjson`), 'utf8').split('\n')).toHaveLength(51);
  }
});
