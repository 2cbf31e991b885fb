import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Json, type JsonObject, parseJson, printJson } from '../../support/json.js';
import { sample } from '../../support/nightly.js';
import { root } from '../../support/paths.js';
import { openQueryRunner, type QueryRunner } from '../../support/run-query.js';

/**
 * Cases of functions and operators, one file per family: `[expression, value]`, the value as it is
 * encoded in JSON, or `{"error": part of the message}`. An expression that begins with `select`
 * or `with` is a whole query of one column and one row.
 */
type Case = readonly [expression: string, value: Json];

const folder = join(root, 'test/compiler/functions');
const families = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({
    file,
    cases: sample(
      parseJson(readFileSync(join(folder, file), 'utf8')) as unknown as readonly Case[],
      16,
    ),
  }));

let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner();
});
afterAll(() => runner.close());

/** The number of expressions that one statement evaluates. */
const together = 25;

/** The value of each expression, or its error. */
async function evaluateAll(cases: readonly Case[]): Promise<ReadonlyMap<string, Json | undefined>> {
  const alone = cases.filter(([text, value]) => isQuery(text) || isError(value));
  const others = cases.filter((one) => !alone.includes(one)).map(([expression]) => expression);
  const values = new Map<string, Json | undefined>();
  for (const [expression] of alone) values.set(expression, await evaluate(expression));
  for (let from = 0; from < others.length; from += together) {
    const batch = others.slice(from, from + together);
    const row = await evaluateTogether(batch);
    for (const [index, expression] of batch.entries()) {
      values.set(expression, row === undefined ? await evaluate(expression) : row[index]);
    }
  }
  return values;
}

/** The values of some expressions in one row; undefined if one of them fails. */
async function evaluateTogether(expressions: readonly string[]) {
  const columns = expressions.map((expression, index) => `${expression} as x${index}`);
  return firstRow(`select ${columns.join(', ')}`).then(Object.values<Json>, () => undefined);
}

async function evaluate(expression: string): Promise<Json | undefined> {
  try {
    const row = await firstRow(isQuery(expression) ? expression : `select ${expression} as x`);
    return Object.values(row)[0];
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function firstRow(sql: string): Promise<JsonObject> {
  expect(runner.prepare(sql).sql).not.toMatch(/\btry\s*\(/i);
  const rows = parseJson(await runner.runText(sql, { mayQuoteValues: true }));
  const [row = {}] = rows as readonly JsonObject[];
  return row;
}

function isQuery(text: string): boolean {
  return /^(select|with)\b/i.test(text);
}

function isError(value: Json | undefined): value is { readonly error: string } {
  return typeof value === 'object' && value !== null && 'error' in value;
}

describe.each(families)('$file', ({ cases }) => {
  let values: ReadonlyMap<string, Json | undefined>;
  beforeAll(async () => {
    values = await evaluateAll(cases);
  }, 60_000);

  test.each(cases)('%s', (expression, expected) => {
    const actual = values.get(expression);
    if (isError(expected)) {
      expect(isError(actual) ? actual.error : `no error: ${printJson(actual)}`).toContain(
        expected.error,
      );
    } else {
      expect(printJson(actual)).toBe(printJson(expected));
    }
  });
});
