import { setTimeout as sleep } from 'node:timers/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDuckDbEngine } from '../../../src/engine/duckdb/duckdb.js';
import type { ExplainingEngine, Statement } from '../../../src/engine/engine.js';
import { openWebEngine } from '../../support/web-source.js';

let engine: ExplainingEngine;
beforeAll(async () => {
  engine = await openWebEngine('struct', { maxResultBytes: 1_000_000 });
});
afterAll(() => engine.close());

/** The ids of some rows, written to a temporary table and read from there. */
const gathered = 'temp.gathered';
const counting = `select encode(to_json(count(*)::varchar || ':' || coalesce(min(g.id), '-'))::varchar) from ${gathered} as g`;

function byStep(where: string, values: Statement['values'] = {}): Statement {
  const sql = `select t.id as id from logs.web as t where ${where}`;
  const step = { table: 'gathered', sql, tables: ['logs.web'], values, isGather: true };
  return { sql: counting, tables: [gathered], values: {}, steps: [step], maxRows: 1 };
}

async function answerOf(statement: Statement): Promise<string> {
  const { body } = await engine.run(statement, { signal: new AbortController().signal });
  return Buffer.from(body).toString();
}

const ofId = (id: string | null) => byStep('t.id = cast(coalesce($id, NULL) as varchar)', { id });

describe('a statement that runs again', () => {
  test('answers for the values of each run', async () => {
    for (const id of ['a', 'b', 'nobody', 'a', null, 'b']) {
      const isKnown = id === 'a' || id === 'b';
      expect(await answerOf(ofId(id))).toBe(isKnown ? `["1:${id}"]` : '["0:-"]');
    }
  });

  test('also while other runs of it have not ended', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'a' : 'b'));
    const answers = await Promise.all(ids.map((id) => answerOf(ofId(id))));
    expect(answers).toEqual(ids.map((id) => `["1:${id}"]`));
  });

  test.each([
    ['without values', byStep('true')],
    ['whose value has a type of its own', byStep('t.id = $id::varchar', { id: 'a' })],
  ])('a step %s', async (_what, statement) => {
    const first = await answerOf(statement);
    for (let run = 0; run < 3; run += 1) expect(await answerOf(statement)).toBe(first);
  });

  test('after a failure of its step, and of its own', async () => {
    const failing = (id: string) => {
      const where = "bq.string_to_int64(cast(coalesce($id, NULL) as varchar)) = 1 or t.id = 'a'";
      return byStep(where, { id });
    };
    const dividing = (id: string): Statement => ({
      ...ofId(id),
      sql: `select encode(bq.string_to_int64(g.id)::varchar) from ${gathered} as g`,
    });
    for (let run = 0; run < 3; run += 1) {
      expect(await answerOf(failing('1'))).toBe('["5:a"]');
      await expect(answerOf(failing('x'))).rejects.toThrow('failed on its data');
      await expect(answerOf(dividing('a'))).rejects.toThrow('Bad int64 value');
      expect(await answerOf(dividing('nobody'))).toBe('[]');
    }
  });

  // It would take half a minute.
  test('stops when its signal fires', async () => {
    const many = '(select unnest(bq.generate_array(1, 100000, 1, 100000)) as n)';
    const joined = `${gathered} as g, ${many} as a, ${many} as b`;
    const counted = (id: string): Statement => ({
      ...ofId(id),
      sql: `select encode(count(*)::varchar) from ${joined} where a.n <> b.n + 1`,
    });
    for (let run = 0; run < 2; run += 1) expect(await answerOf(counted('nobody'))).toBe('[0]');
    const signal = AbortSignal.timeout(100);
    await expect(engine.run(counted('a'), { signal })).rejects.toThrow('past its time limit');
    expect(await answerOf(counted('nobody'))).toBe('[0]');
  }, 10_000);

  test('with tables of the same name as those of another statement', async () => {
    const other = byStep("t.id = cast(coalesce($id, NULL) as varchar) or t.id = 'b'", { id: 'a' });
    for (let run = 0; run < 3; run += 1) {
      expect(await answerOf(other)).toBe('["2:a"]');
      expect(await answerOf(ofId('b'))).toBe('["1:b"]');
    }
  });
});

test('a statement is verified for its own tables and values, though its text is known', async () => {
  const statement = ofId('a');
  await answerOf(statement);
  await expect(answerOf({ ...statement, tables: [] })).rejects.toThrow('the engine failed');
  const [step] = statement.steps ?? [];
  if (step === undefined) throw new Error('no step');
  const other = { ...step, tables: ['logs.other'] };
  await expect(answerOf({ ...statement, steps: [other] })).rejects.toThrow('the engine failed');
});

/** An engine in memory that counts what it does. */
async function openCounted() {
  const instance = await DuckDBInstance.create(':memory:');
  const setup = await instance.connect();
  await setup.run("create schema logs; create table logs.web as from (values ('a'), ('b')) t(id)");
  setup.closeSync();
  const counts = { verified: 0, opened: 0 };
  const open: DuckDBConnection[] = [];
  const counted = createDuckDbEngine({
    options: { queryTimeoutMs: 10_000, maxResultBytes: 1_000 },
    verify: async () => {
      counts.verified += 1;
    },
    connect: async () => {
      counts.opened += 1;
      const connection = await instance.connect();
      const closeSync = connection.closeSync.bind(connection);
      open.push(connection);
      connection.closeSync = () => {
        open.splice(open.indexOf(connection), 1);
        closeSync();
      };
      return connection;
    },
    close: async () => instance.closeSync(),
  });
  const run = (statement: Statement) =>
    counted.run(statement, { signal: new AbortController().signal });
  return { counts, open, run, close: counted.close };
}

test('each run verifies its texts, and has a connection of its own that is then closed', async () => {
  const { counts, open, run, close } = await openCounted();
  for (const id of ['a', 'b', 'a']) await run(ofId(id));
  await expect(run(byStep('t.id::int = 1'))).rejects.toThrow();
  expect(counts).toEqual({ verified: 7, opened: 4 });
  expect(open).toEqual([]);
  await close();
});

test('an engine closes while connections are opened, and runs no more', async () => {
  for (const runs of [0, 1, 2, 3, 5]) {
    const { counts, open, run, close } = await openCounted();
    const running = Promise.allSettled(Array.from({ length: runs }, () => run(ofId('a'))));
    await close();
    await running;
    expect(counts.opened).toBe(runs);
    expect(open).toEqual([]);
    await expect(run(ofId('a'))).rejects.toThrow('shutting down');
  }
});

test('an engine that closes while statements are verified and run answers them, or says that it shuts down', async () => {
  for (let delayMs = 0; delayMs < 12; delayMs += 1) {
    const closing = await openWebEngine('struct', { maxResultBytes: 1_000_000 });
    const { signal } = new AbortController();
    const running = [1, 2, 3].map(async (n) => {
      const statement = byStep(`t.id = 'a' and ${n} = ${n}`);
      const { body } = await closing.run(statement, { signal });
      return Buffer.from(body).toString();
    });
    const outcomes = Promise.allSettled(running);
    await sleep(delayMs);
    await closing.close();
    for (const outcome of await outcomes) {
      if (outcome.status === 'fulfilled') expect(outcome.value).toBe('["1:a"]');
      else expect(String(outcome.reason)).toContain('shutting down');
    }
  }
});
