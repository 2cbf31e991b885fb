import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceError } from '../../src/errors/errors.js';
import { root } from '../support/paths.js';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';

// Cases where BigQuery behaves differently from what its syntax, or another engine, suggests.
interface Trap {
  readonly area: string;
  readonly behaviour: string;
  readonly sql: string;
  /** The values of BigQuery's rows. */
  readonly rows?: readonly (readonly unknown[])[];
  /** The names of the columns, if the trap is about them. */
  readonly names?: readonly string[];
  /** The error message, instead of rows. */
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

/** The result of a trap's query: its rows, the names if the trap has any, or the refusal. */
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

test('the names of the traps are unique', () => {
  expect(new Set(titled.map(([name]) => name)).size).toBe(traps.length);
});

test.each(titled)('%s', async (_name, trap) => {
  expect(await answer(trap)).toEqual(expectedOf(trap));
});
