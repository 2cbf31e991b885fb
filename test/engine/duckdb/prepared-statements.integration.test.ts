import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DuckDbEngine } from '../../../src/engine/duckdb/duckdb.js';
import type { Statement } from '../../../src/engine/engine.js';
import { openWebEngine } from '../../support/web-source.js';

let engine: DuckDbEngine;
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

  test('with tables of the same name as those of another statement', async () => {
    const other = byStep("t.id = cast(coalesce($id, NULL) as varchar) or t.id = 'b'", { id: 'a' });
    for (let run = 0; run < 3; run += 1) {
      expect(await answerOf(other)).toBe('["2:a"]');
      expect(await answerOf(ofId('b'))).toBe('["1:b"]');
    }
  });

  test('more statements than are kept', async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let n = 0; n < 50; n += 1) {
        const statement = byStep(`t.id = cast(coalesce($id, NULL) as varchar) and ${n} = ${n}`, {
          id: 'a',
        });
        expect(await answerOf(statement)).toBe('["1:a"]');
      }
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

test('an engine that was closed while statements were cleared runs no more', async () => {
  const own = await openWebEngine('struct', { maxResultBytes: 1_000 });
  const running = Promise.all(
    ['a', 'b'].map((id) => own.run(ofId(id), { signal: new AbortController().signal })),
  );
  await running;
  await own.close();
  await expect(own.run(ofId('a'), { signal: new AbortController().signal })).rejects.toThrow(
    'shutting down',
  );
});
