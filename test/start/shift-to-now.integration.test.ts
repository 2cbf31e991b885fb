import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCommand } from '../../src/config/config.js';
import { parseTimestamp } from '../../src/endpoint/timestamp.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { isoFrom } from '../../src/generate/world/record.js';
import { createRunEndpoint } from '../../src/run/run-endpoint.js';
import { type OpenedServices, openServices, singleRun } from '../../src/start/start-up.js';
import { sample } from '../support/nightly.js';
import { fixtures } from '../support/paths.js';
import { requestOf } from '../support/request-of.js';

// Logs that are shifted while they are read, against the same logs with other times in their files.

const last = Date.parse('2026-03-10T12:00:00Z') * 1000;
/** No whole number of hours, days or seconds. */
const delta = ((200 * 24 + 3) * 3600 + 1025) * 1e6 + 123_457;
const now = isoFrom(last + delta);

const folder = mkdtempSync(join(tmpdir(), 'shift-test-'));
const moved = join(folder, 'moved');
const growing = join(folder, 'growing');
const told: string[] = [];
let shifted: OpenedServices;
let written: OpenedServices;

beforeAll(async () => {
  cpSync(fixtures, growing, { recursive: true });
  cpSync(fixtures, moved, { recursive: true });
  for (const file of readdirSync(moved)) {
    const lines = readFileSync(join(moved, file), 'utf8').trimEnd().split('\n').map(movedLine);
    writeFileSync(join(moved, file), `${lines.join('\n')}\n`);
  }
  [shifted, written] = await Promise.all([open(growing, ['--shift-to-now']), open(moved, [])]);
});
afterAll(async () => {
  await Promise.all([shifted.serving.close(), written.serving.close()]);
  rmSync(folder, { recursive: true });
});

const start = isoFrom(last + delta - 3600e6);
const window = { iso_timestamp_start: start, iso_timestamp_end: isoFrom(last + delta - 60e6) };

describe('a query sees what it would see if the times were in the files', () => {
  const requests: readonly [endpoint: string, parameters: Record<string, string>][] = [
    ['usage.api-counts', { project: '.', interval: 'minutely' }],
    ['usage.api-counts', { project: 'bluefin', interval: 'hourly' }],
    ['usage.api-counts', { project: '.', interval: 'daily' }],
    ['logs.all', { project: 'bluefin' }],
    ['logs.all', { project: 'bluefin', ...window }],
    ['logs.all', { project: 'larkspur', lql: 'c:count(*) c:group_by(t::hour)' }],
    ...[
      'select * from edge_logs order by timestamp desc, id limit 3',
      'select to_json_string(t) as j from auth_logs as t order by id limit 5',
      'select min(timestamp) as a, max(timestamp) as b, count(distinct timestamp) as n from db_logs',
      'select timestamp_trunc(timestamp, day) as d, extract(hour from timestamp) as h, count(*) as n from edge_logs group by d, h order by d, h',
      'select id, timestamp from edge_logs where timestamp > timestamp_sub(current_timestamp(), interval 30 minute) order by timestamp, id',
      'select format_timestamp("%F %T", timestamp) as s from function_logs order by s limit 9',
      'select a.id from edge_logs as a join auth_logs as b on b.timestamp between timestamp_sub(a.timestamp, interval 1 second) and a.timestamp order by a.id limit 20',
      'select e.id, l.timestamp from edge_logs as e left join storage_logs as l on l.timestamp = e.timestamp order by e.timestamp limit 9',
      'select id from edge_logs where timestamp in (select max(timestamp) from edge_logs) order by id',
      'select id, lag(timestamp) over (order by timestamp, id) as before from pooler_logs order by id limit 9',
      'select cast(timestamp as string) as s, unix_micros(timestamp) as u from rest_logs order by timestamp desc limit 2',
    ].flatMap((sql) =>
      ['bluefin', 'quarry'].map((project): [string, Record<string, string>] => [
        'logs.all',
        { project, sql, ...(sql.includes('limit 3') && window) },
      ]),
    ),
  ];
  test.each(sample(requests, 4))('%s %j', async (endpoint, parameters) => {
    for (const redact of [false, true]) {
      const [seen, expected] = await Promise.all(
        [shifted, written].map((services) => ask(services, endpoint, parameters, redact)),
      );
      expect(seen).toEqual(expected);
      if (parameters['project'] !== 'quarry') expect(expected).not.toEqual([]);
    }
  });
});

const lastSql = `select timestamp_diff(current_timestamp(), max(timestamp), microsecond) as age, count(*) as n from edge_logs`;

test('the last record is now at any time, to the microsecond', async () => {
  for (const at of [
    '2026-03-10T12:00:00Z',
    '1999-12-31T23:59:59.999999Z',
    '2400-02-29T01:02:03.000004Z',
  ]) {
    const [row] = await ask(shifted, 'logs.all', { project: 'bluefin', sql: lastSql }, false, at);
    expect(row).toEqual({ age: 0, n: 540 });
  }
});

test('a cached answer keeps its times; a later one has later times', async () => {
  const parameters = { project: '.', interval: 'hourly' };
  const day = 24 * 3600e6;
  const [first, second] = await Promise.all(
    [0, day].map((later) =>
      ask(shifted, 'usage.api-counts', parameters, false, isoFrom(last + delta + later)),
    ),
  );
  const nextDay = (text: unknown) => isoFrom(Date.parse(`${text}Z`) * 1000 + day).slice(0, 19);
  expect(second).toEqual(first?.map((row) => ({ ...row, timestamp: nextDay(row['timestamp']) })));
});

test('records that are added later: the last of all is now, also in several parts', async () => {
  const line = {
    id: 'new',
    timestamp: '2026-03-10T18:00:00Z',
    event_message: 'x',
    project: 'bluefin',
  };
  appendFileSync(
    join(growing, 'edge_logs.ndjson'),
    `${JSON.stringify({ ...line, metadata: {} })}\n`,
  );
  await refresh();
  const parameters = {
    project: 'bluefin',
    sql: 'select id, timestamp from edge_logs order by timestamp desc limit 2',
  };
  expect(await ask(shifted, 'logs.all', parameters)).toMatchObject([
    { id: 'new', timestamp: last + delta },
    { timestamp: last + delta - 6 * 3600e6 },
  ]);
});

describe('records in the far future', () => {
  const sql = `select event_message as m, timestamp_diff(current_timestamp(), timestamp, second) as age,
    format_timestamp('%E4Y-%m-%d', timestamp) as day from edge_logs order by timestamp, m`;
  const write = (times: Readonly<Record<string, string>>) => {
    for (const file of readdirSync(growing)) writeFileSync(join(growing, file), '');
    const lines = Object.entries(times).map(([event_message, timestamp]) =>
      JSON.stringify({ timestamp, event_message, project: 'p' }),
    );
    writeFileSync(join(growing, 'edge_logs.ndjson'), `${lines.join('\n')}\n`);
  };
  const askAll = () => ask(shifted, 'logs.all', { project: 'p', sql });

  test('do not count, which is said once; none leaves the range of timestamps', async () => {
    told.length = 0;
    for (const edge of ['9999-12-31T23:59:59Z', '9999-12-31T23:59:58Z']) {
      write({
        edge,
        wrong: '2262-04-11T23:47:16Z',
        last: '2026-03-10T11:00:00Z',
        zero: '0001-01-01T00:00:00Z',
      });
      await refresh();
      expect(await askAll()).toMatchObject([
        { m: 'zero', day: '0001-07-20' },
        { m: 'last', age: 0 },
        { m: 'wrong', day: '2262-10-29' },
        { m: 'edge', day: '9999-12-31' },
      ]);
    }
    expect(told).toEqual([
      '--shift-to-now: records more than a day in the future do not count; the last of the others, at 2026-03-10T11:00:00.000Z, is shown as now',
    ]);
  });

  test('a clock before the last record moves nothing before the first timestamp', async () => {
    const early = '2001-03-10T12:00:00Z';
    expect(await ask(shifted, 'logs.all', { project: 'p', sql }, false, early)).toMatchObject([
      { m: 'zero', day: '0001-01-01' },
      { m: 'last', age: 0 },
      { m: 'wrong' },
      { m: 'edge' },
    ]);
  });

  test('count if there are no others', async () => {
    write({ one: '2262-04-11T00:00:00Z', two: '2262-04-11T00:00:02Z' });
    await refresh();
    expect(await askAll()).toMatchObject([{ age: 2 }, { age: 0 }]);
  });
});

test('without records there is nothing to shift', async () => {
  for (const file of readdirSync(growing)) writeFileSync(join(growing, file), '');
  await refresh();
  const sql = 'select id from edge_logs';
  expect(await ask(shifted, 'logs.all', { project: 'bluefin', sql })).toEqual([]);
});

test('a clock for each request would move the logs along, and is refused', () => {
  expect(() => readCommand(['serve', '--shift-to-now', '--allow-now-header'], {})).toThrow(
    /^--shift-to-now and --allow-now-header exclude each other/,
  );
});

async function refresh(): Promise<void> {
  const next = await shifted.allLogs.refresh();
  if (next === undefined) throw new Error('nothing has changed');
  await shifted.serving.replace(await shifted.openData(next));
}

function movedLine(line: string): string {
  const record = JSON.parse(line) as { readonly timestamp: string | number };
  const { timestamp } = record;
  const micros =
    typeof timestamp === 'number'
      ? timestamp
      : Date.parse(timestamp.slice(0, 19).concat('Z')) * 1000 + Number(timestamp.slice(20, 26));
  return JSON.stringify({ ...record, timestamp: isoFrom(micros + delta) });
}

function open(data: string, flags: readonly string[]): Promise<OpenedServices> {
  const command = readCommand(
    ['query', 'logs.all', '--data', data, '--no-disk-cache', ...flags],
    {},
  );
  if (command.verb !== 'query') throw new Error('not the verb query');
  const onWarning = (line: string) => void told.push(line);
  return openServices(command.settings, openDuckDbEngine, { ...singleRun, onWarning });
}

async function ask(
  services: OpenedServices,
  endpoint: string,
  parameters: Readonly<Record<string, string>>,
  redact = false,
  at = now,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const clock = { now: parseTimestamp(at) ?? '', fixed: true };
  const request = requestOf(parameters, { endpoint, clock, redact });
  const { result } = await createRunEndpoint(services)(request);
  return JSON.parse(Buffer.from(result.body).toString());
}
