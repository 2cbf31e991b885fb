import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunRequest } from '../../../src/run/run-request.js';
import {
  type Asked,
  ask,
  type CountedService,
  openCounted,
} from '../../support/counted-service.js';
import { fixtures } from '../../support/paths.js';
import { randomFrom } from '../../support/random.js';
import { requestOf } from '../../support/request-of.js';

// The same requests to two services over the same logs: one keeps the newest rows as they are printed, the other does not.

interface Pair {
  readonly own: CountedService;
  readonly other: CountedService;
}

async function openPair(data: string, rows = '1000'): Promise<Pair> {
  const open = (count: string) =>
    openCounted(data, {}, ['--query-cache', '0', '--newest-rows', count]);
  const [own, other] = await Promise.all([open(rows), open('0')]);
  return { own, other };
}

async function close({ own, other }: Pair): Promise<void> {
  await Promise.all([own.serving.close(), other.serving.close()]);
}

const folder = mkdtempSync(join(tmpdir(), 'newest-test-'));
let fixturePair: Pair;

beforeAll(async () => {
  cpSync(fixtures, folder, { recursive: true });
  fixturePair = await openPair(folder);
});
afterAll(async () => {
  await close(fixturePair);
  rmSync(folder, { recursive: true });
});

/** Records of one instant may come in any order, and any of them may be missing at the end. */
function settled({ rows, truncated }: Asked) {
  const last = rows.at(-1)?.['timestamp'];
  const texts = rows
    .filter(({ timestamp }) => timestamp !== last)
    .map((row) => JSON.stringify(row));
  return { truncated, count: rows.length, last, texts: texts.sort() };
}

async function expectAlike({ own, other }: Pair, request: RunRequest): Promise<Asked> {
  const [answer, expected] = [await ask(own, request), await ask(other, request)];
  expect(settled(answer)).toEqual(settled(expected));
  expect(expected.kept).toBe(0);
  const times = answer.rows.map(({ timestamp }) => Number(timestamp));
  expect(times).toEqual(times.toSorted((one, two) => two - one));
  return answer;
}

const sources = [
  ...['edge_logs', 'db_logs', 'function_edge_logs', 'function_logs', 'auth_logs'],
  ...['realtime_logs', 'storage_logs', 'rest_logs', 'pooler_logs'],
];
const projects = ['bluefin', 'larkspur', 'quarry', 'nobody'];

function randomSelect(next: () => number, source: string): string {
  const pick = (texts: readonly string[]) => texts[next() % texts.length];
  const time = () => new Date(Date.UTC(2026, 2, 9) + (next() % (36 * 3600)) * 1000).toISOString();
  const list = pick([
    '*',
    'timestamp, id',
    'timestamp, metadata as m, metadata',
    't.timestamp, t.id as `b.c`',
    "timestamp, event_message as `ö'`",
  ]);
  const where = pick([
    ...['', '', ''],
    `where timestamp > '${time()}'`,
    `where timestamp >= timestamp '${time()}' and '${time()}' >= timestamp`,
    `where timestamp < '${time()}'`,
    `where timestamp between '${time()}' and '${time()}'`,
  ]);
  const limit = pick(['', `limit ${next() % 60}`, `limit ${next() % 60}`]);
  return `select ${list} from ${source} as t ${where} order by timestamp desc ${limit}`;
}

describe('rows are answered without the text of the statement, and are the same', () => {
  test.each(projects)('the stored query: %s', async (project) => {
    const window = { iso_timestamp_start: '2026-03-09', iso_timestamp_end: '2026-03-10T06:00:00Z' };
    for (const parameters of [{ project }, { project, ...window }]) {
      expect((await expectAlike(fixturePair, requestOf(parameters))).kept).toBe(1);
    }
  });

  test.each(sources)('columns, windows and limits of %s', async (source) => {
    const next = randomFrom(source.length);
    let rows = 0;
    let kept = 0;
    for (let round = 0; round < 24; round += 1) {
      const sql = randomSelect(next, source);
      const request = requestOf({ sql, project: projects[next() % 3] ?? '' });
      const more = next() % 4 === 0 && { maxRows: 7 };
      const asked = await expectAlike(fixturePair, { ...request, ...more });
      rows += asked.rows.length;
      kept += asked.kept;
    }
    expect(rows).toBeGreaterThan(20);
    // Its records are stored as lists: one may belong to several projects.
    expect(kept).toBe(source === 'storage_logs' ? 0 : 24);
  });

  test('sub-selects, and the order that a table has', async () => {
    for (const sql of [
      'select id, timestamp from edge_logs limit 10',
      'select as struct id, timestamp from edge_logs order by timestamp desc limit 3',
      'select id, timestamp from (select * from edge_logs where timestamp > "2026-03-10") order by timestamp desc limit 10',
      'with a as (select timestamp as timestamp, id from auth_logs) select * from a order by timestamp desc limit 3',
    ]) {
      const asked = await expectAlike(fixturePair, requestOf({ project: 'bluefin', sql }));
      expect(asked.kept, sql).toBe(1);
    }
  });
});

describe('every other statement runs', () => {
  test.each([
    'select id, timestamp from edge_logs order by timestamp',
    'select id, timestamp from edge_logs order by timestamp desc, id desc',
    'select id, timestamp from edge_logs order by timestamp desc nulls first limit 3',
    'select id, timestamp from edge_logs order by timestamp desc limit 3 offset 1',
    'select distinct id, timestamp from edge_logs order by timestamp desc limit 3',
    'select upper(id) as id, timestamp from edge_logs order by timestamp desc limit 3',
    "select id, timestamp from edge_logs where id > 'a' order by timestamp desc limit 3",
    'select id, timestamp from edge_logs where timestamp != "2026-03-10" order by timestamp desc limit 3',
    'select id, timestamp from edge_logs where timestamp > "2026-03-09" or id = "a" order by timestamp desc limit 3',
    'select id, timestamp from (select * from edge_logs order by timestamp limit 5) order by timestamp desc',
    'select a.id, a.timestamp from edge_logs a cross join unnest(a.metadata) order by timestamp desc limit 3',
    'select id, timestamp from edge_logs union all select id, timestamp from auth_logs order by timestamp desc limit 3',
    'select any_value(id) as id, timestamp from edge_logs group by timestamp order by timestamp desc limit 3',
    'select id, timestamp from edge_logs qualify row_number() over (order by id) < 9 order by timestamp desc limit 3',
  ])('%s', async (sql) => {
    const request = requestOf({ project: 'bluefin', sql });
    const [own, expected] = [
      await ask(fixturePair.own, request),
      await ask(fixturePair.other, request),
    ];
    expect(own.kept).toBe(0);
    expect(settled(own)).toEqual(settled(expected));
  });

  test('with redaction, and in other formats', async () => {
    for (const more of [{ redact: true }, { format: { named: 'csv', accepted: undefined } }]) {
      const request = requestOf({ project: 'bluefin' }, more);
      expect((await ask(fixturePair.own, request)).kept).toBe(0);
    }
  });

  test('whose rows would be larger than the limit, which then refuses them', async () => {
    const columns = Array.from({ length: 2_000 }, (_, index) => `metadata as c${index}`);
    const sql = `select ${columns.join(', ')} from edge_logs order by timestamp desc limit 100`;
    const request = requestOf({ project: 'bluefin', sql });
    const refused = { faults: [{ reason: 'resourcesExceeded' }] };
    await expect(ask(fixturePair.own, request)).rejects.toMatchObject(refused);
    expect(fixturePair.own.kept()).toBeGreaterThan(0);
  });
});

async function refresh({ own, other }: Pair): Promise<void> {
  for (const service of [own, other]) {
    const logs = await service.allLogs.refresh();
    if (logs === undefined) throw new Error('nothing has changed');
    await service.serving.replace(await service.openData(logs));
  }
}

test('new records are found, among those of older parts', async () => {
  const line = { timestamp: '2026-03-10T11:59:59.5Z', project: 'bluefin', event_message: 'new' };
  const late = { ...line, timestamp: '2026-03-09T12:00:00Z', event_message: 'late' };
  const sql = 'select timestamp, event_message, metadata from edge_logs order by timestamp desc';
  const again = { ...line, timestamp: '2026-03-10T11:59:59.6Z' };
  for (const record of [line, late, again]) {
    appendFileSync(join(folder, 'edge_logs.ndjson'), `${JSON.stringify(record)}\n`);
    await refresh(fixturePair);
    expect((await expectAlike(fixturePair, requestOf({ project: 'bluefin' }))).kept).toBe(1);
    const { rows, kept } = await expectAlike(fixturePair, requestOf({ project: 'bluefin', sql }));
    expect(kept).toBe(1);
    expect(rows.some((row) => row['event_message'] === record.event_message)).toBe(true);
  }
});

test('a part without the many fields of its source prints its rows like the others', async () => {
  const data = mkdtempSync(join(tmpdir(), 'newest-narrow-'));
  const path = join(data, 'edge_logs.ndjson');
  const record = (second: number, more: object) => {
    const timestamp = new Date(Date.UTC(2026, 2, 10) + second * 1000).toISOString();
    return `${JSON.stringify({ id: `${second}`, timestamp, project: 'bluefin', ...more })}\n`;
  };
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`field_${n}`, n]));
  // Parts of so much text are not rebuilt with later lines.
  const event_message = 'x'.repeat(70_000);
  writeFileSync(path, record(1, { event_message, metadata: { ...many, deep: many } }));
  const pair = await openPair(data);
  for (const [index, metadata] of [{ field_7: 'x' }, { deep: {} }, {}, null].entries()) {
    appendFileSync(path, record(2 + index, { event_message, metadata }));
    await refresh(pair);
    const answers = [pair.own, pair.other].map((one) => one.run(requestOf({ project: 'bluefin' })));
    const [own, other] = (await Promise.all(answers)).map(({ result }) =>
      Buffer.from(result.body).toString(),
    );
    expect(own).toBe(other);
    expect(pair.own.kept()).toBe(index + 1);
  }
  await close(pair);
  rmSync(data, { recursive: true });
});

test('a source with only one project, whose condition is left out', async () => {
  const data = mkdtempSync(join(tmpdir(), 'newest-own-'));
  const lines = Array.from({ length: 300 }, (_, second) =>
    JSON.stringify({ time: 1_773_100_000_000 + second, msg: `${second}`, t: { record: second } }),
  );
  writeFileSync(join(data, 'worker.pino.ndjson'), lines.join('\n'));
  const pair = await openPair(data);
  const sql = 'select * from worker order by timestamp desc limit 120';
  for (const [project, count] of [
    ['default', 120],
    ['another', 0],
  ] as const) {
    const { rows, kept } = await expectAlike(pair, requestOf({ project, sql }));
    expect([rows.length, kept]).toEqual([count, 1]);
  }
  await close(pair);
  rmSync(data, { recursive: true });
});

const words = ['', 'ö', '"\\', '\u0001\u001f\n', '🙂', '\u2028', "it's", '[{}]', 'x'.repeat(300)];

/** A value of a field: the name decides its kind, so that most lines agree. */
function randomValue(next: () => number, name: string, depth: number): unknown {
  const odd = next() % 12;
  if (odd === 0) return null;
  if (name.startsWith('s')) return words[next() % words.length];
  if (name.startsWith('i')) return next() - 2 ** 31;
  if (name.startsWith('f')) return odd === 1 ? -0 : (next() - 2 ** 31) / 2 ** (next() % 60);
  if (name.startsWith('b')) return next() % 2 === 0;
  if (name.startsWith('l')) return Array.from({ length: next() % 3 }, () => next() / 7);
  if (name.startsWith('m'))
    return Array.from({ length: next() % 3 }, () => randomRecord(next, depth));
  return randomRecord(next, depth);
}

function randomRecord(next: () => number, depth: number): object {
  const kinds = depth > 2 ? ['s', 'i', 'f', 'b', 'l'] : ['s', 'i', 'f', 'b', 'l', 'm', 'r'];
  const names = Array.from(
    { length: 1 + (next() % 3) },
    () => `${kinds[next() % kinds.length]}${next() % 2}`,
  );
  return Object.fromEntries(names.map((name) => [name, randomValue(next, name, depth + 1)]));
}

function randomLines(next: () => number, count: number): string {
  const lines = Array.from({ length: count }, (_, index) => {
    // No two records have the same instant: the order of those is free.
    const time = new Date(Date.UTC(2026, 2, 10) + index * 1000).toISOString();
    const timestamp = time.replace('Z', `${String(next() % 1000).padStart(3, '0')}Z`);
    const more = randomRecord(next, 0);
    const metadata = next() % 5 === 0 ? null : { status: next() % 600, ...randomRecord(next, 0) };
    const project = projects[Math.floor((next() % 9) ** 0.5)];
    return JSON.stringify({
      timestamp,
      project,
      event_message: words[next() % words.length],
      metadata,
      ...more,
    });
  });
  return `${lines.join('\n')}\n`;
}

test.each([1, 2, 3, 4])(
  'random records are printed byte for byte as the statement prints them: seed %i',
  async (seed) => {
    const data = mkdtempSync(join(tmpdir(), 'newest-random-'));
    const next = randomFrom(seed);
    writeFileSync(join(data, 'edge_logs.ndjson'), randomLines(next, 400));
    const pair = await openPair(data, '250');
    let kept = 0;
    for (let round = 0; round < 12; round += 1) {
      const sql = ['select *', 'select metadata, id', 'select timestamp, event_message']
        .map(
          (list) =>
            `${list} from edge_logs as t order by timestamp desc limit ${1 + (next() % 260)}`,
        )
        .at(next() % 3);
      const request = requestOf({ project: projects[next() % 3] ?? '', sql: sql ?? '' });
      const [own, other] = [await pair.own.run(request), await pair.other.run(request)];
      expect(Buffer.from(own.result.body).toString()).toBe(
        Buffer.from(other.result.body).toString(),
      );
      expect(own.result.truncated).toBe(other.result.truncated);
      kept = pair.own.kept();
    }
    expect(kept).toBeGreaterThan(6);
    await close(pair);
    rmSync(data, { recursive: true });
  },
);

test('with fewer rows than are asked for, the statement runs', async () => {
  const data = mkdtempSync(join(tmpdir(), 'newest-few-'));
  writeFileSync(join(data, 'edge_logs.ndjson'), randomLines(randomFrom(5), 600));
  const pair = await openPair(data, '20');
  const asked = (sql: string) => expectAlike(pair, requestOf({ project: 'bluefin', sql }));
  expect((await asked('select * from edge_logs order by timestamp desc limit 20')).kept).toBe(1);
  expect((await asked('select * from edge_logs order by timestamp desc limit 21')).kept).toBe(0);
  expect((await asked('select * from edge_logs order by timestamp desc')).kept).toBe(0);
  const recent = 'select * from edge_logs where timestamp > "2026-03-10T00:09:30Z"';
  expect((await asked(recent)).kept).toBe(1);
  const request = requestOf(
    { project: 'bluefin', sql: 'select * from edge_logs' },
    { maxRows: 20 },
  );
  const { kept, truncated } = await expectAlike(pair, request);
  expect([kept, truncated]).toEqual([1, true]);
  await close(pair);
  rmSync(data, { recursive: true });
});

test('rows that share an instant come by id, whatever other projects write', async () => {
  const data = mkdtempSync(join(tmpdir(), 'newest-ties-'));
  const ownLines = Array.from({ length: 200 }, (_, n) => {
    const timestamp = new Date(Date.UTC(2026, 2, 10) + Math.floor(n / 4) * 1000).toISOString();
    return JSON.stringify({ id: `${'dcba'[n % 4]}${n}`, timestamp, project: 'bluefin' });
  });
  const answers = [];
  // Of so many projects, fewer rows are kept; and of the instant of the last one, not every row.
  for (const others of [0, 300]) {
    const otherLines = Array.from({ length: others * 100 }, (_, n) => {
      const timestamp = new Date(Date.UTC(2026, 2, 10) + n).toISOString();
      return JSON.stringify({ id: `${n}`, timestamp, project: `p${n % others}` });
    });
    writeFileSync(join(data, 'edge_logs.ndjson'), [...ownLines, ...otherLines].join('\n'));
    const pair = await openPair(data);
    for (const limit of [3, 4, 6, 100]) {
      const sql = `select id from edge_logs order by timestamp desc limit ${limit}`;
      const request = requestOf({ project: 'bluefin', sql });
      const [own, other] = [await ask(pair.own, request), await ask(pair.other, request)];
      expect([own.rows, own.kept, other.kept]).toEqual([
        other.rows,
        limit < 100 || others === 0 ? 1 : 0,
        0,
      ]);
      answers.push(own.rows.length);
    }
    await close(pair);
  }
  expect(answers).toEqual([3, 4, 6, 100, 3, 4, 6, 100]);
  rmSync(data, { recursive: true });
});
