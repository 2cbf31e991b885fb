import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Compiler, createCompiler } from '../../src/compiler/compile.js';
import { bindStatement } from '../../src/endpoint/bind-statement.js';
import type { DuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { printRefusal } from '../support/answers.js';
import { blindQuery } from '../support/blind-query.js';
import { personRows } from '../support/blind-rows.js';
import { diceOf } from '../support/random-scope.js';
import { soak } from '../support/soak.js';
import { openWebEngine, webSource } from '../support/web-source.js';

// Logs that differ in personal data alone give a caller the same answer, byte for byte, whatever the
// query: the proof that nothing of the original can be seen.
interface Side {
  readonly compiler: Compiler;
  readonly engine: DuckDbEngine;
}

const rounds = soak(300, 16);
const layouts = ['struct', 'list'] as const;
let sides: Readonly<Record<(typeof layouts)[number], readonly [Side, Side]>>;

beforeAll(async () => {
  const open = async (layout: 'struct' | 'list', person: 'jane' | 'bo'): Promise<Side> => ({
    compiler: createCompiler([webSource(layout)]),
    engine: await openWebEngine(layout, { threads: 1 }, personRows(layout, person)),
  });
  sides = {
    struct: [await open('struct', 'jane'), await open('struct', 'bo')],
    list: [await open('list', 'jane'), await open('list', 'bo')],
  };
});
afterAll(async () => {
  await Promise.all(Object.values(sides).flatMap((pair) => pair.map((one) => one.engine.close())));
});

/** The endpoint whose CTE the caller's queries read. */
const sql = 'with web as (select * from `logs.web` order by timestamp desc) select id from web';

/** The body as it comes, or the refusal. */
async function answer({ compiler, engine }: Side, text: string, redact: boolean): Promise<string> {
  try {
    const endpoint = { name: 'blind', sql, maxRows: 1_000, parameters: [] };
    const query = compiler.compile(endpoint, { language: 'sql', text }, { redact });
    const { signal } = new AbortController();
    const statement = bindStatement(query, {}, { maxRows: 1_000, now: '', redact });
    const { json } = await engine.run(statement, { signal });
    return Buffer.from(json).toString();
  } catch (error) {
    return printRefusal(error);
  }
}

/** A failure of the engine's, and no refusal. */
function isFailure(answered: string): boolean {
  return answered.startsWith('Error');
}

test.each(layouts)(
  `${rounds} random queries over two persons' logs, stored as %s`,
  async (layout) => {
    const dice = diceOf(layout === 'struct' ? 7 : 8);
    const [jane, bo] = sides[layout];
    const both = (text: string, redact: boolean) =>
      Promise.all([answer(jane, text, redact), answer(bo, text, redact)]);
    const wrong: string[] = [];
    let telling = 0;
    for (let round = 0; round < rounds; round++) {
      const text = blindQuery(dice);
      const [one, other] = await both(text, true);
      const [plainOne, plainOther] = await both(text, false);
      if (one !== other) wrong.push(`${text}\n  jane ${one}\n  bo ${other}`);
      else if (isFailure(one) && !isFailure(plainOne)) wrong.push(`${text}\n  ${one}`);
      if (plainOne !== plainOther) telling++;
    }
    wrong.sort((a, b) => a.length - b.length);
    expect(wrong.slice(0, 5)).toEqual([]);
    // Were the originals nothing to most of them, they would prove little.
    expect(telling).toBeGreaterThan(rounds * 0.2);
  },
);
