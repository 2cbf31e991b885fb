import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';
import type { DuckDbEngine } from '../../../src/engine/duckdb/duckdb.js';
import { type Json, parseJson, printJson } from '../../support/json.js';
import { root } from '../../support/paths.js';
import { openWebEngine, webSource } from '../../support/web-source.js';

/**
 * Cases of functions and operators, a file for each family: `[expression, value]`, the value as it
 * is encoded in JSON, or `{"error": part of the message}`. An expression that begins with `select`
 * or `with` is a whole query of one column and one row.
 */
type Case = readonly [expression: string, value: Json];

const folder = join(root, 'test/compiler/functions');
const families = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({
    file,
    cases: parseJson(readFileSync(join(folder, file), 'utf8')) as unknown as readonly Case[],
  }));

/** A case with an array of a million elements takes a second, and more on a busy machine. */
const timeoutMs = 30_000;

const compiler = createCompiler([webSource('struct')]);
let engine: DuckDbEngine;

beforeAll(async () => {
  engine = await openWebEngine('struct');
});
afterAll(() => engine.close());

async function evaluate(expression: string): Promise<Json | undefined> {
  const isQuery = /^(select|with)\b/i.test(expression);
  const sql = isQuery ? expression : `select ${expression} as x`;
  try {
    const query = compiler.compile({ name: 'web', sql, maxRows: 10, parameters: [] });
    const now = '2026-03-10T12:00:00.000000+00:00';
    const values: Record<string, string> = query.readsClock ? { now } : {};
    const { signal } = new AbortController();
    const result = await engine.run(
      { ...query, steps: [], readsOwnRows: true, values, maxRows: 10 },
      { signal },
    );
    const [row] = parseJson(Buffer.from(result.json).toString()) as readonly Readonly<
      Record<string, Json>
    >[];
    return Object.values(row ?? {})[0];
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function isError(value: Json | undefined): value is { readonly error: string } {
  return typeof value === 'object' && value !== null && 'error' in value;
}

describe.each(families)('$file', ({ cases }) => {
  test.each(cases)(
    '%s',
    async (expression, expected) => {
      const actual = await evaluate(expression);
      if (isError(expected)) {
        expect(isError(actual) ? actual.error : `no error: ${printJson(actual)}`).toContain(
          expected.error,
        );
      } else {
        expect(printJson(actual)).toBe(printJson(expected));
      }
    },
    timeoutMs,
  );
});
