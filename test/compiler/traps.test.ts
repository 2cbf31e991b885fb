import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import type { DuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { ServiceError } from '../../src/errors/errors.js';
import { root } from '../support/paths.js';
import { openWebEngine, webSource } from '../support/web-source.js';

// Where BigQuery behaves unlike what its syntax, or another engine, would lead one to expect.
interface Trap {
  readonly area: string;
  readonly behaviour: string;
  readonly sql: string;
  /** BigQuery's rows: the values of each. */
  readonly rows?: readonly (readonly unknown[])[];
  /** The names of the columns, where they are the point. */
  readonly names?: readonly string[];
  /** In place of rows: the message of an error. */
  readonly refusal?: string;
}

const traps: readonly Trap[] = JSON.parse(
  readFileSync(join(root, 'test/acceptance/cases/own-traps.json'), 'utf8'),
);

const values = { p_project: 'one', now: '2026-03-02 00:00:00+00' };
const compiler = createCompiler([webSource('struct')]);
let engine: DuckDbEngine;

beforeAll(async () => {
  engine = await openWebEngine('struct');
});
afterAll(() => engine.close());

/** What comes of a trap's query: its rows, the names where the trap says some, or a refusal. */
async function answer({ sql, names }: Trap): Promise<Pick<Trap, 'rows' | 'names' | 'refusal'>> {
  const parameters = [{ name: 'project', type: 'string' }] as const;
  try {
    const query = compiler.compile({ name: 'traps', sql, maxRows: 100, parameters });
    const read = Object.entries(values).filter(([name]) => query.sql.includes(`$${name}`));
    const statement = { ...query, steps: [], values: Object.fromEntries(read), maxRows: 100 };
    const { json } = await engine.run(statement, { signal: new AbortController().signal });
    const rows = JSON.parse(Buffer.from(json).toString()) as readonly object[];
    return {
      rows: rows.map((row) => Object.values(row)),
      ...(names && { names: Object.keys(rows[0] ?? {}) }),
    };
  } catch (error) {
    if (error instanceof ServiceError) return { refusal: error.message };
    throw error;
  }
}

const titled = traps.map((trap) => [`${trap.area}: ${trap.behaviour}`, trap] as const);
const expectedOf = ({ rows, names, refusal }: Trap) => ({ rows, names, refusal });

test('each trap has its own name', () => {
  expect(new Set(titled.map(([name]) => name)).size).toBe(traps.length);
});

test.each(titled)('%s', async (_name, trap) => {
  expect(await answer(trap)).toEqual(expectedOf(trap));
});
