import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Compiler, createCompiler } from '../../src/compiler/compile.js';
import type { DuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { printRefusal, printRows } from '../support/answers.js';
import { randomQuery } from '../support/random-query.js';
import { diceOf } from '../support/random-scope.js';
import { soak } from '../support/soak.js';
import { openWebEngine, openWebParts, webSource } from '../support/web-source.js';

// However records are stored, and in however many parts, a query gives the same rows or the same refusal.
interface Side {
  readonly compiler: Compiler;
  readonly engine: DuckDbEngine;
}

const rounds = soak(1_500, 100);
const seed = 2026;
let struct: Side;
let list: Side;
let parts: Side;

beforeAll(async () => {
  const open = async (layout: 'struct' | 'list') => ({
    compiler: createCompiler([webSource(layout)]),
    engine: await openWebEngine(layout),
  });
  [struct, list] = [await open('struct'), await open('list')];
  const { engine, source } = await openWebParts();
  parts = { engine, compiler: createCompiler([source]) };
});
afterAll(async () => {
  await Promise.all([struct, list, parts].map(({ engine }) => engine.close()));
});

/** The rows in an order of ours, or the refusal. */
async function answer({ compiler, engine }: Side, sql: string): Promise<string> {
  try {
    const query = compiler.compile({
      name: 'web',
      sql,
      maxRows: 1_000,
      parameters: [],
    });
    const { signal } = new AbortController();
    const { json } = await engine.run(
      { ...query, steps: [], values: {}, maxRows: 1_000 },
      { signal },
    );
    return printRows(json);
  } catch (error) {
    return printRefusal(error);
  }
}

test(`${rounds} random queries over both layouts, and over three parts`, async () => {
  const dice = diceOf(seed);
  const wrong: string[] = [];
  let withRows = 0;
  for (let round = 0; round < rounds; round++) {
    const sql = randomQuery(dice);
    const sides = [struct, list, parts].map((side) => answer(side, sql));
    const [one = '', other, third] = await Promise.all(sides);
    if (one.startsWith('rows: {')) withRows++;
    if (one !== other) wrong.push(`${sql}\n  struct ${one}\n  list ${other}`);
    else if (one !== third) wrong.push(`${sql}\n  one part ${one}\n  three ${third}`);
    else if (one.startsWith('Error')) wrong.push(`${sql}\n  ${one}`);
  }
  wrong.sort((a, b) => a.length - b.length);
  expect(wrong.slice(0, 5)).toEqual([]);
  // Were most of them refused, or without rows, they would prove little.
  expect(withRows).toBeGreaterThan(rounds * 0.4);
});
