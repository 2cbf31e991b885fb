import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { childrenOf, hasProc, isLeft } from '../support/engines.js';
import { nightly } from '../support/nightly.js';
import { randomFrom } from '../support/random.js';
import { watchResident } from '../support/resident.js';
import {
  cacheFiles,
  type Folders,
  makeFolders,
  openFilesOf,
  type Row,
  type Server,
  startServer,
} from '../support/run-program.js';

// Following the log files for long. `NIGHTLY=full TIMES=10` runs the tests at ten times the length of the nightly suite.

const times = Number(process.env['TIMES'] ?? 1);
const timeout = 600_000 * times;
const patience = { timeout: 60_000, interval: 50 };

const open: { readonly folders: Folders; readonly servers: Set<Server> }[] = [];

afterEach(async () => {
  for (const { folders, servers } of open.splice(0)) {
    for (const server of servers) await server.kill('SIGKILL');
    folders.remove();
  }
});

/** A service that follows one file of numbered records. */
async function follow(records: number) {
  const folders = makeFolders();
  const servers = new Set<Server>();
  open.push({ folders, servers });
  const path = join(folders.data, 'edge_logs.ndjson');
  let written = 0;
  const append = (count: number) => {
    const lines = Array.from({ length: count }, (_, index) => line(written + index));
    // Counted before they are written, so that no reader sees more than this.
    written += count;
    appendFileSync(path, lines.join(''));
  };
  append(records);
  const start = async () => {
    const server = await startServer(folders, { flags: ['--watch'] });
    servers.add(server);
    return server;
  };
  const end = async (server: Server, signal?: NodeJS.Signals) => {
    await server.kill(signal);
    servers.delete(server);
  };
  const isVisible = async (server: Server) => {
    await expect.poll(() => server.rows('sums'), patience).toEqual([sumsOf(written)]);
  };
  return { folders, append, written: () => written, start, end, isVisible };
}

function line(n: number): string {
  const record = {
    id: `r${n}`,
    timestamp: new Date(1_770_000_000_000 + n).toISOString(),
    event_message: `m${n}`,
    project: 'p',
    metadata: { n, path: `/${n % 7}` },
  };
  return `${JSON.stringify(record)}\n`;
}

/** The answer of the endpoint `sums` over the first records. */
function sumsOf(records: number): Row {
  return { records, ids: records, last: records - 1 };
}

const victims = ['engine', 'compile', 'load', 'server'] as const;

test.runIf(hasProc)(
  'processes and servers that are killed in the middle of a refresh or a merge lose no record, and leave nothing',
  { timeout },
  async () => {
    const { folders, append, start, end, isVisible } = await follow(12_000);
    const random = randomFrom(7);
    const seen = new Set<number>();
    let server = await start();
    for (let round = 0; round < nightly(3, 1) * times * victims.length; round += 1) {
      // Too many for a small part: four rounds later, parts are merged.
      append(3_100);
      await sleep(random() % 800);
      const victim = victims[round % victims.length] ?? 'server';
      for (const kind of ['engine', 'compile', 'load'] as const) {
        for (const pid of childrenOf(server.pid, kind)) seen.add(pid);
      }
      if (victim === 'server') {
        await end(server, 'SIGKILL');
        server = await start();
      } else {
        const pids = childrenOf(server.pid, victim);
        const pid = pids[random() % Math.max(1, pids.length)];
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
      }
      append(1);
      await isVisible(server);
    }
    await end(server);
    await expect.poll(() => [...seen].filter(isLeft), patience).toEqual([]);
    expect(readdirSync(folders.temporary)).toEqual([]);
    const files = cacheFiles(folders.cache, '').filter((name) => /\.\w+$/.test(name));
    expect(files.filter((name) => !/\/\w+\.(duckdb|json|key)$/.test(name))).toEqual([]);
    const again = await start();
    await isVisible(again);
    expect(cacheFiles(folders.cache, '.duckdb').length).toBeLessThanOrEqual(8);
  },
);

test.runIf(hasProc)(
  'many refreshes in a row leave memory, open files, processes and parts bounded',
  { timeout },
  async () => {
    const { folders, append, written, start, isVisible } = await follow(1_000);
    const server = await start();
    const resident = watchResident(server.pid);
    const refreshes = nightly(1_000, 30) * times;
    const state = () => {
      const pids = [server.pid, ...childrenOf(server.pid), ...childrenOf(server.pid, 'load')];
      return {
        megabytes: Math.round(resident.now()),
        files: Math.max(...pids.map(openFilesOf)),
        processes: pids.length,
        databases: cacheFiles(folders.cache, '.duckdb').length,
      };
    };
    let early = state();
    for (let refresh = 1; refresh <= refreshes; refresh += 1) {
      append(1);
      expect((await server.post('/-/reload')).status).toBe(200);
      if (refresh % 10 === 0) expect(await server.rows('sums')).toEqual([sumsOf(written())]);
      if (refresh === Math.ceil(refreshes / 10)) early = state();
    }
    await isVisible(server);
    const late = state();
    resident.stop();
    if (times > 1) console.log(JSON.stringify({ refreshes, early, late }));
    // A loading process that has grown to 200 MB is replaced.
    expect(late.megabytes).toBeLessThan(early.megabytes + 250);
    expect(late.files).toBeLessThanOrEqual(early.files + 12);
    expect(late.processes).toBeLessThanOrEqual(5);
    expect(late.databases).toBeLessThanOrEqual(8);
  },
);

/** A query, and the rows that it has over the first records. */
interface Question {
  readonly sql: string;
  /** The number of records that an answer is about. */
  readonly records: (rows: readonly Answer[]) => number;
  readonly rows: (records: number) => readonly Answer[];
}

type Answer = Readonly<Record<string, unknown>>;

const from = 'from edge_logs cross join unnest(metadata) as m';
const paths = Array.from({ length: 7 }, (_, k) => `/${k}`);

const questions: readonly Question[] = [
  {
    sql: `select count(*) as n, count(distinct id) as ids, sum(m.n) as total, max(m.n) as last ${from}`,
    records: ([row]) => Number(row?.['n']),
    rows: (n) => [{ n, ids: n, total: (n * (n - 1)) / 2, last: n - 1 }],
  },
  {
    sql: `select m.path, count(*) as n ${from} group by 1 order by 1`,
    records: (rows) => rows.reduce((sum, { n }) => sum + Number(n), 0),
    rows: (n) => paths.map((path, k) => ({ path, n: Math.floor((n + 6 - k) / 7) })),
  },
  {
    sql: 'select id, event_message from edge_logs order by timestamp desc limit 20',
    records: ([row]) => Number(String(row?.['id']).slice(1)) + 1,
    rows: (n) => lastOf(n, 20).map((k) => ({ id: `r${k}`, event_message: `m${k}` })),
  },
  {
    sql: `select max(m.n) as last, array_length(array_agg(m.path)) as n ${from}
      where timestamp >= timestamp_millis(1770000000500)`,
    records: ([row]) => Number(row?.['last']) + 1,
    rows: (n) => [{ last: n - 1, n: n - 500 }],
  },
  {
    sql: `with own as (select m.n, lag(m.n) over (order by m.n) as before ${from})
      select count(*) as n, countif(n = before + 1) as next from own`,
    records: ([row]) => Number(row?.['n']),
    rows: (n) => [{ n, next: n - 1 }],
  },
];

function lastOf(records: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => records - 1 - index);
}

describe('300 lines a second beside 16 connections', () => {
  test('are all seen, and every answer is that of the first records of the file', {
    timeout,
  }, async () => {
    const { append, written, start, isVisible } = await follow(1_000);
    const server = await start();
    const until = performance.now() + nightly(60, 3) * times * 1_000;
    const faults: unknown[] = [];
    let answers = 0;

    async function write(): Promise<void> {
      for (let next = performance.now(); performance.now() < until; next += 50) {
        append(15);
        await sleep(Math.max(0, next + 50 - performance.now()));
      }
    }

    /** Returns how many records the answer is about; NaN if it is wrong. */
    async function ask({ sql, records, rows }: Question, before: number): Promise<number> {
      const search = new URLSearchParams({ project: 'p', sql });
      const answer = await server.rows('logs.all', `${search}`).catch((error: unknown) => error);
      answers += 1;
      const found = Array.isArray(answer) ? records(answer) : Number.NaN;
      const isRight = JSON.stringify(answer) === JSON.stringify(rows(found));
      if (isRight && found >= before && found <= written()) return found;
      faults.push({ sql, answer, before, written: written() });
      return Number.NaN;
    }

    async function askUntil(question: Question): Promise<void> {
      let before = 0;
      while (performance.now() < until) before = (await ask(question, before)) || before;
    }

    const connections = Array.from({ length: 16 }, (_, index) => questions[index % 5]);
    await Promise.all([write(), ...connections.flatMap((one) => (one ? [askUntil(one)] : []))]);
    expect(faults.slice(0, 3)).toEqual([]);
    expect(answers).toBeGreaterThan(50);
    await isVisible(server);
    if (times > 1) console.log(JSON.stringify({ answers, written: written() }));
  });
});
