import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Engine, Result, Statement } from '../../../src/engine/engine.js';
import { createEnginePool } from '../../../src/engine/pool/pool.js';
import { StatementFault } from '../../../src/errors/errors.js';
import { isFullLength } from '../../support/nightly.js';
import { openWebEngine, openWebPool, openWebStates } from '../../support/web-source.js';

const never = new AbortController().signal;

/** Five rows joined with themselves sixteen times: never finishes. */
const names = Array.from({ length: 16 }, (_, place) => `t${place}`);
const endless = statement(`select encode(count(*)::varchar)
  from ${names.map((name) => `logs.web as ${name}`).join(' cross join ')}
  where ${names.map((name) => `${name}.id`).join(' || ')} = 'none'`);

/** Strings of a megabyte at once, five to the power of `count`. */
function large(count: number): Statement {
  const tables = names.slice(0, count).map((name) => `logs.web as ${name}`);
  return statement(`select encode(cast(len(list(t.x)) as varchar)) as x
    from (select (t0.id || bq.repeat('x', 1000000)) as x from ${tables.join(' cross join ')}) as t`);
}

/** Two rows of 600 strings, which fill little of DuckDB's vectors. */
const numbers = Array.from({ length: 600 }, (_, place) => place);
const wide = statement(`select encode(concat_ws(',', ${numbers.map((n) => `r.c${n}`).join()})) as x
  from (select ${numbers.map((n) => `(t.id || '${n}') as c${n}`).join()}
    from logs.web as t order by t.id asc limit 2) as r`);

function statement(sql: string): Statement {
  return { sql, tables: ['logs.web'], readsOwnRows: true, values: {}, maxRows: 10 };
}

const pools = new Set<Engine>();

async function openPool(limits: Parameters<typeof openWebPool>[0] = {}): Promise<Engine> {
  const pool = await openWebPool(limits);
  pools.add(pool);
  return pool;
}

async function closePool(pool: Engine): Promise<void> {
  pools.delete(pool);
  await pool.close();
}

afterEach(() => Promise.all([...pools].map(closePool)));

function run(engine: Engine, one: Statement, signal = never): Promise<Result> {
  return engine.run(one, { signal });
}

const small = statement("select encode(t.id) as x from logs.web as t where (t.id <= 'b')");

/** The running child processes of this one. */
function children(): readonly number[] {
  const path = `/proc/${process.pid}/task/${process.pid}/children`;
  return readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number);
}

function isEngine(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0engine\0');
  } catch {
    return false;
  }
}

/** Processes of earlier test files in this worker, which may still be exiting. */
const others = children();

const engines = () => children().filter((pid) => isEngine(pid) && !others.includes(pid));

describe('an answer', () => {
  test('is the same as from an engine in this process, also if it is a refusal or a failure', async () => {
    const engine = await openPool();
    const one = await openWebEngine('struct');
    const [ours, theirs] = [await run(engine, small), await run(one, small)];
    await one.close();
    expect(Buffer.from(ours.body).toString()).toBe(Buffer.from(theirs.body).toString());
    expect(ours).toMatchObject({ rowCount: 2, truncated: false });
    const refused = statement('select bq.string_to_int64(t.id)::varchar from logs.web as t');
    await expect(run(engine, refused)).rejects.toThrow('Bad int64 value: a');
    // Verification does not know this call, which is a bug of ours and not of the caller.
    const failing = run(engine, statement("select getenv('HOME')"));
    await expect(failing).rejects.toBeInstanceOf(StatementFault);
  });
});

describe('a statement that goes too far', () => {
  test('in time is stopped, and the next one runs', async () => {
    const engine = await openPool({ queryTimeoutMs: 800 });
    await expect(run(engine, endless)).rejects.toThrow('--query-timeout');
    expect((await run(engine, small)).rowCount).toBe(2);
  });

  test('is stopped when its caller cancels', async () => {
    const engine = await openPool();
    const caller = new AbortController();
    const running = run(engine, endless, caller.signal);
    setTimeout(() => caller.abort(), 100);
    await expect(running).rejects.toThrow('The query was cancelled');
    expect((await run(engine, small)).rowCount).toBe(2);
  });

  const secondRun = { memoryLimit: '8GB', maxGrowthBytes: 100_000_000 };

  test('in memory that it does not fill runs again', async () => {
    const limits = { memoryLimit: '50MB', maxResidentBytes: 600_000_000 };
    await expect(run(await openPool(limits), wide)).rejects.toThrow('--memory-limit');
    const engine = await openPool({ ...limits, secondRun });
    const before = engines();
    const { body } = await run(engine, wide);
    expect(Buffer.from(body).toString()).toMatch(/a0,a1,/);
    expect(engines()).toEqual(expect.arrayContaining([...before]));
  });

  test('in memory that it fills is refused, and its process stays', async () => {
    const limits = { memoryLimit: '250MB', maxResidentBytes: 1_000_000_000 };
    const engine = await openPool({ ...limits, secondRun });
    const before = engines();
    await expect(run(engine, large(4))).rejects.toThrow('--memory-limit');
    expect(engines()).toEqual(expect.arrayContaining([...before]));
  });

  test.runIf(isFullLength)('in memory ends only its own process', async () => {
    const engine = await openPool({ memoryLimit: '4GB', maxResidentBytes: 500_000_000 });
    const beside = run(engine, small);
    await expect(run(engine, large(6))).rejects.toThrow('--memory-limit');
    expect((await beside).rowCount).toBe(2);
    expect((await run(engine, small)).rowCount).toBe(2);
  });
});

function signalAll(pids: Iterable<number>, signal: NodeJS.Signals): void {
  for (const pid of pids) process.kill(pid, signal);
}

/** Runs the small statement in a process that has stopped, and then ends that process and the others by a signal. */
async function runAndEnd(engine: Engine, signal: NodeJS.Signals) {
  const known = engines();
  signalAll(known, 'SIGSTOP');
  const running = run(engine, small);
  running.catch(() => {});
  await sleep(100);
  signalAll(known, signal);
  signalAll(known, 'SIGCONT');
  return { running, known };
}

describe('a process that another program kills', () => {
  test('costs no answer: its statement runs in another one', async () => {
    const engine = await openPool();
    for (let turn = 0; turn < 4; turn++) {
      const { running } = await runAndEnd(engine, 'SIGKILL');
      expect((await running).rowCount).toBe(2);
    }
  });

  test('costs no answer if it was idle', async () => {
    const engine = await openPool();
    await Promise.all([run(engine, small), run(engine, small)]);
    signalAll(engines(), 'SIGKILL');
    const answers = await Promise.all([run(engine, small), run(engine, small)]);
    expect(answers.map(({ rowCount }) => rowCount)).toEqual([2, 2]);
  });

  test('twice is backendBusy', async () => {
    const engine = await openPool({ maxConcurrentQueries: 1 });
    const { running, known } = await runAndEnd(engine, 'SIGKILL');
    const others = () => engines().filter((pid) => !known.includes(pid));
    // One for the statement, and the spare.
    await expect.poll(() => others().length, { interval: 1 }).toBe(2);
    signalAll(others(), 'SIGKILL');
    await expect(running).rejects.toMatchObject({ faults: [{ reason: 'backendBusy' }] });
    await expect(running).rejects.toThrow('killed twice');
    expect((await run(engine, small)).rowCount).toBe(2);
  });

  test('with SIGTERM goes on', async () => {
    const engine = await openPool();
    const known = engines();
    signalAll(known, 'SIGTERM');
    expect((await run(engine, small)).rowCount).toBe(2);
    expect(engines()).toEqual(expect.arrayContaining([...known]));
  });
});

test('a process that crashes is one failed statement', async () => {
  const engine = await openPool();
  const { running } = await runAndEnd(engine, 'SIGSEGV');
  await expect(running).rejects.toBeInstanceOf(StatementFault);
  await expect(running).rejects.toMatchObject({ kind: 'ended by SIGSEGV' });
  expect((await run(engine, small)).rowCount).toBe(2);
});

/** A field of `/proc/<pid>/stat` by its number. */
function statOf(path: string, field: number): number {
  const fields = readFileSync(path, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return Number(fields[field - 3]);
}

test.runIf(isFullLength)(
  'every thread of a busy process has a lower priority than the server',
  async () => {
    const engine = await openPool({ queryTimeoutMs: 500 });
    await expect(run(engine, endless)).rejects.toThrow('--query-timeout');
    const niceness = () =>
      engines().flatMap((pid) =>
        readdirSync(`/proc/${pid}/task`).map((thread) =>
          statOf(`/proc/${pid}/task/${thread}/stat`, 19),
        ),
      );
    expect(niceness().length).toBeGreaterThan(1);
    // A spare may have just started.
    await expect.poll(() => [...new Set(niceness())], { timeout: 60_000 }).toEqual([5]);
  },
);

test.runIf(isFullLength)(
  'a statement may leave a process without free memory, and runs again in another one',
  async () => {
    const other = await openPool();
    await run(other, small);
    const pages = engines().map((pid) => statOf(`/proc/${pid}/stat`, 24));
    await closePool(other);
    const engine = await openPool({ maxResidentBytes: Math.max(...pages) * 4096 * 1.15 });
    for (let turn = 0; turn < 5; turn++) expect((await run(engine, small)).rowCount).toBe(2);
  },
);

test.runIf(isFullLength)(
  'no process is left when the pool closes while a statement runs and others wait',
  async () => {
    const engine = await openPool({ maxConcurrentQueries: 1 });
    const running = [1, 2, 3].map(() =>
      run(engine, endless).catch((error: Error) => error.message),
    );
    await sleep(300);
    await closePool(engine);
    expect(await Promise.all(running)).toEqual(Array(3).fill('The server is shutting down'));
    await sleep(500);
    expect(engines()).toEqual([]);
  },
);

describe('other data', () => {
  const all = statement("select encode(t.id) as x from logs.web as t where (t.id <= 'z')");
  const idsOf = async (engine: Engine) => Buffer.from((await run(engine, all)).body).toString();

  test('opens in the processes that are there, and each statement reads its own', async () => {
    const { pool, open, remove } = await openWebStates(["id < 'c'", "id >= 'c'"]);
    const before = await open(0);
    const known = engines();
    const after = await open(1);
    expect(engines()).toEqual(known);
    expect(await idsOf(after)).toBe('[c,d,e]');
    const turns = Array.from({ length: 12 }, (_, turn) => (turn % 2 === 0 ? before : after));
    const answers = await Promise.all(turns.slice(0, 2).map(idsOf));
    for (const engine of turns) answers.push(await idsOf(engine));
    expect(new Set(answers)).toEqual(new Set(['[a,b]', '[c,d,e]']));
    expect(answers.filter((_, turn) => turn % 2 === 0)).toEqual(Array(7).fill('[a,b]'));
    await before.close();
    const openFiles = engines().flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`)),
    );
    // A process that was not needed for the later data has its last ones open, and no others.
    expect(openFiles.filter((file) => file.endsWith('web.duckdb')).length).toBeLessThanOrEqual(
      engines().length,
    );
    expect(await idsOf(after)).toBe('[c,d,e]');
    await after.close();
    expect([pool.state().processes, engines()]).toEqual([0, []]);
    remove();
  });

  test('that cannot be opened leaves the data before', async () => {
    const { pool, open, remove } = await openWebStates(['true']);
    const engine = await open(0);
    const broken = { databaseFile: '/none/here', sources: [], threads: 1 };
    await expect(pool.open(broken)).rejects.toThrow('cannot start');
    await expect(pool.open(broken)).rejects.toThrow('cannot start');
    expect(await idsOf(engine)).toBe('[a,b,c,d,e]');
    await engine.close();
    expect(engines()).toEqual([]);
    remove();
  });
});

test('no process is left when the pool is closed', async () => {
  const engine = await openPool();
  await Promise.all([run(engine, small), run(engine, small)]);
  expect(engines().length).toBeGreaterThan(0);
  await closePool(engine);
  expect(engines()).toEqual([]);
});

test('no process is left, and none is restarted, if the database cannot be opened', async () => {
  const pool = createEnginePool({
    queryTimeoutMs: 1_000,
    maxResultBytes: 1_000,
    maxResidentBytes: 1e9,
    maxConcurrentQueries: 1,
    maxQueuedQueries: 1,
    callers: 1,
  });
  await expect(
    pool.open({ databaseFile: '/none/here', sources: [], threads: 1 }),
  ).rejects.toThrow();
  expect([pool.state().processes, engines()]).toEqual([0, []]);
});
