import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomFrom } from '../support/random.js';
import { line, lines } from '../support/refresh-fixture.js';
import {
  cacheFiles,
  childrenOf,
  makeFolders,
  openFilesOf,
  type Row,
  type Server,
  startServer,
} from '../support/run-program.js';
import { inScratch } from '../support/scratch-database.js';

// All tests share one server and run in this order.
const folders = makeFolders();
const path = (name: string) => join(folders.data, name);
const edge = path('edge_logs.ndjson');
let server: Server;
let filesAtFirst = 0;
let written = 12_000;

beforeAll(async () => {
  writeFileSync(edge, numbered(0, written));
  server = await startServer(folders, { flags: ['--watch'] });
  filesAtFirst = openFilesOf(server.pid);
});
afterAll(async () => {
  await server.kill();
  folders.remove();
});

/** Records in order of time. */
function numbered(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, index) => {
    const id = from + index;
    return `${JSON.stringify({ id: `r${id}`, timestamp: 1_770_000_000 + id, event_message: `m${id}` })}\n`;
  }).join('');
}

type Rows = readonly Row[];

const patience = { timeout: 60_000, interval: 50 };

async function numberOf(endpoint: string): Promise<unknown> {
  const [row] = await server.rows(endpoint);
  return row?.records;
}

async function ids(): Promise<string> {
  return (await server.rows('ids')).map(({ id }) => id).join(' ');
}

describe('lines that are written while queries run', () => {
  test('appear complete, once and in order, and no request fails', async () => {
    const random = randomFrom(7);
    const until = Date.now() + 3_000;
    const faults: unknown[] = [];
    let pending = '';

    async function write(): Promise<void> {
      let last = written;
      while (Date.now() < until) {
        const more = 1 + (random() % 20);
        pending += numbered(last, last + more);
        last += more;
        const piece = pending.slice(0, random() % (pending.length + 1));
        pending = pending.slice(piece.length);
        // Counted before they are written, so that no reader sees more than this.
        written = last;
        appendFileSync(edge, piece);
        await sleep(random() % 60);
      }
      appendFileSync(edge, pending);
    }

    async function read(endpoint: 'sums' | 'newest'): Promise<void> {
      let before = 12_000;
      while (Date.now() < until) {
        const rows = await server.rows(endpoint);
        const count = prefixes[endpoint](rows);
        if (!(count >= before && count <= written)) faults.push([before, written, rows]);
        before = count;
      }
    }

    const callers = Array.from({ length: 8 }, (_, index) => read(index % 2 ? 'sums' : 'newest'));
    await Promise.all([write(), ...callers]);
    expect(faults).toEqual([]);
    await expect.poll(() => numberOf('sums'), patience).toBe(written);
    expect(countOf(await server.rows('newest'))).toBe(written);
  });

  /** The number of lines in the file for these rows; NaN if no prefix of the file gives them. */
  const prefixes = {
    sums([row]: Rows): number {
      const count = Number(row?.records);
      return row?.ids === count && row?.last === count - 1 ? count : Number.NaN;
    },
    newest(rows: Rows): number {
      const count = countOf(rows);
      return rows.every(({ id }, index) => id === `r${count - 1 - index}`) ? count : Number.NaN;
    },
  };

  function countOf(rows: Rows): number {
    return Number(String(rows[0]?.id).slice(1)) + 1;
  }

  test('appear within seconds', async () => {
    appendFileSync(edge, numbered(written, written + 1));
    written += 1;
    const start = performance.now();
    await expect.poll(() => numberOf('sums'), patience).toBe(written);
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});

const folder = 'db_logs';
const own = (name: string) => path(`${folder}/${name}`);

/** A change, and the ids of the source after it, newest first. */
const changes: readonly (readonly [string, () => unknown, string])[] = [
  [
    'a folder with its first file',
    () => {
      mkdirSync(path(folder));
      writeFileSync(own('a.ndjson'), lines(1, 3));
    },
    'r2 r1',
  ],
  ['a file in it', () => writeFileSync(own('b.ndjson'), line(3)), 'r3 r2 r1'],
  [
    'rotation',
    () => {
      renameSync(own('a.ndjson'), own('a-1.ndjson'));
      writeFileSync(own('a.ndjson'), line(4));
    },
    'r4 r3 r2 r1',
  ],
  [
    'copying and truncating',
    () => {
      copyFileSync(own('a.ndjson'), own('a-2.ndjson'));
      truncateSync(own('a.ndjson'));
      appendFileSync(own('a.ndjson'), line(5));
    },
    'r5 r4 r3 r2 r1',
  ],
  [
    'a file that replaces another',
    () => {
      writeFileSync(own('new'), line(6));
      renameSync(own('new'), own('b.ndjson'));
    },
    'r6 r5 r4 r2 r1',
  ],
  ['removal', () => rmSync(own('a-2.ndjson')), 'r6 r5 r2 r1'],
  [
    'a compressed file',
    () => writeFileSync(own('c.ndjson.gz'), gzipSync(line(7))),
    'r7 r6 r5 r2 r1',
  ],
  ['a Parquet file', () => writeParquet(own('d.parquet')), 'r8 r7 r6 r5 r2 r1'],
  [
    'a record of an earlier time',
    () => appendFileSync(own('a.ndjson'), line(0)),
    'r8 r7 r6 r5 r2 r1 r0',
  ],
];

async function writeParquet(file: string): Promise<void> {
  const sql = `copy (select 'r8' as id, to_timestamp(1770000008) as timestamp,
    'm8' as event_message) to '${file}' (format parquet)`;
  await inScratch((connection) => connection.run(sql));
}

describe('changes to files are loaded', () => {
  // Each change needs those before it.
  test.each(changes)('%s', async (_what, change, expected) => {
    await change();
    await expect.poll(ids, patience).toBe(expected);
  });

  test('time windows are right after the changes', async () => {
    const rows = await server.rows('since', 'from=2026-02-02T02:40:05Z');
    expect(rows.map(({ id }) => id)).toEqual(['r8', 'r7', 'r6']);
  });

  test('the first file of a source', async () => {
    writeFileSync(path('auth_logs.ndjson'), lines(0, 3));
    const has = async () => (await server.get('/metrics')).text();
    await expect.poll(has, patience).toContain('source_records{source="auth_logs"} 3\n');
  });

  test('a bad line is counted and logged', async () => {
    appendFileSync(path('auth_logs.ndjson'), 'not json\n');
    const metrics = async () => (await server.get('/metrics')).text();
    await expect.poll(metrics, patience).toContain('bad_lines{source="auth_logs"} 1\n');
    await expect.poll(server.output, patience).toContain('auth_logs.ndjson:4: not a JSON object');
  });

  test('new data invalidates cached results', async () => {
    const state = async () => {
      const response = await server.get('/api/endpoints/query/kept');
      return `${response.headers.get('x-cache')} ${await response.text()}`;
    };
    await state();
    expect(await state()).toBe('HIT {"result":[{"records":7}]}');
    appendFileSync(own('a.ndjson'), line(9));
    await expect.poll(state, patience).toBe('MISS {"result":[{"records":8}]}');
  });
});

test('a changed endpoint file is taken up; cached results of the old query are gone', async () => {
  const file = join(folders.endpoints, 'kept.sql');
  const text = readFileSync(file, 'utf8');
  const answer = async () => {
    const response = await server.get('/api/endpoints/query/kept');
    return `${response.headers.get('x-cache')} ${await response.text()}`;
  };
  await answer();
  expect(await answer()).toMatch(/^HIT {"result":\[{"records":\d+}]}$/);
  writeFileSync(file, text.replace('count(*) as records', "'new' as kept"));
  await expect.poll(answer, patience).toContain('MISS {"result":[{"kept":"new"}');
  writeFileSync(file, 'selec');
  await expect.poll(server.output, patience).toContain('kept.sql:1:1: ');
  expect(await answer()).toContain('{"kept":"new"}');
  rmSync(file);
  await expect.poll(answer, patience).toContain('Endpoint not found: kept');
  writeFileSync(file, text);
  await expect.poll(answer, patience).toContain('{"records":');
});

test('a data folder that disappears and comes back', async () => {
  const before = await ids();
  renameSync(folders.data, `${folders.data}-gone`);
  await expect.poll(() => server.output(), patience).toContain('there is no such folder');
  expect(await ids()).toBe(before);
  renameSync(`${folders.data}-gone`, folders.data);
  await expect.poll(() => server.output(), patience).toContain('data can be read again');
  appendFileSync(own('a.ndjson'), line(10));
  await expect.poll(ids, patience).toBe(`r10 ${before}`);
});

test('replaced versions leave no process, open file or database file behind', async () => {
  for (let round = 0; round < 4; round += 1) {
    appendFileSync(own('b.ndjson'), line(20 + round));
    await expect.poll(ids, patience).toContain(`r${20 + round} `);
  }
  const swaps = server.output().match(/"msg":"data"/g)?.length ?? 0;
  expect(swaps).toBeGreaterThan(10);
  // Three engine processes, one of which has read the newest rows, and up to two compile processes.
  await expect.poll(() => childrenOf(server.pid).length, patience).toBeLessThanOrEqual(5);
  await expect.poll(() => openFilesOf(server.pid) - filesAtFirst, patience).toBeLessThanOrEqual(12);
  expect(cacheFiles(folders.cache, '.duckdb').length).toBeLessThan(12);
  expect(cacheFiles(folders.cache, '.json')).toHaveLength(2);
});
