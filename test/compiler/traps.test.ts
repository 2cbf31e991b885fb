import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceError } from '../../src/errors/errors.js';
import { root } from '../support/paths.js';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';

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

const parameters = [{ name: 'project', type: 'string' }] as const;
const bindings = { project: 'one' };
let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner();
});
afterAll(() => runner.close());

/** What comes of a trap's query: its rows, the names where the trap says some, or a refusal. */
async function answer({ sql, names }: Trap): Promise<Pick<Trap, 'rows' | 'names' | 'refusal'>> {
  try {
    const rows = await runner.run(sql, { parameters, bindings });
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
