import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomShape } from '../../../scripts/judge/shapes/shapes.js';
import { createBigQueryTarget } from '../../../src/bigquery/target/target.js';
import { type Compiler, createCompiler } from '../../../src/compiler/compile.js';
import { ServiceError } from '../../../src/errors/errors.js';
import { asTable } from '../../support/as-table.js';
import { nightly, sample } from '../../support/nightly.js';
import { root } from '../../support/paths.js';
import { randomQuery } from '../../support/random-query.js';
import { diceOf } from '../../support/random-scope.js';
import {
  createQueryRunner,
  now,
  openQueryRunner,
  type QueryRunner,
} from '../../support/run-query.js';
import { webSource } from '../../support/web-source.js';

// A query printed for BigQuery, compiled again and run on DuckDB, has the rows of the query itself.

/** Queries that this compiler answers otherwise when a value is no longer a literal; BigQuery knows the difference. */
const otherwise: ReadonlySet<string> = new Set([
  // BigQuery refuses a NULL here itself.
  "select contains_substr('apple', null) as x",
  // DuckDB takes formats that are literals only, and a NULL is printed with its type.
  "select format_date(null, date '2008-12-25') as x",
]);

let runner: QueryRunner;
let table: QueryRunner;
let bigQuery: Compiler;

beforeAll(async () => {
  runner = await openQueryRunner();
  table = createQueryRunner(createCompiler([asTable(webSource('struct'))]), runner.engine);
  const target = createBigQueryTarget({ tables: 'logs.{source}', sandbox: true });
  bigQuery = createCompiler([webSource('struct')], { target });
});
afterAll(() => runner.close());

describe.each(['functions', 'queries'])('the queries of %s', (folder) => {
  const path = join(root, 'test/compiler', folder);
  const files = readdirSync(path).filter((file) => file.endsWith('.json'));
  test.each(files)('%s', async (file) => {
    const cases = JSON.parse(readFileSync(join(path, file), 'utf8')) as readonly [string][];
    const texts = sample(cases, 12).map(([text]) => asQuery(text));
    expect(await differences(texts)).toEqual([]);
  });
});

test('queries in pipe syntax', async () => {
  const path = join(root, 'test/compiler/pipe-queries.json');
  const cases = JSON.parse(readFileSync(path, 'utf8')) as readonly [string][];
  expect(await differences(sample(cases, 6).map(([text]) => text))).toEqual([]);
});

const rounds = nightly(500, 25);

test(`${rounds} random queries`, async () => {
  const dice = diceOf(2026);
  const texts = Array.from({ length: rounds }, () => randomQuery(dice));
  expect(await differences(texts)).toEqual([]);
});

test(`${rounds} random shapes`, async () => {
  const texts = Array.from({ length: rounds }, (_, seed) => randomShape(diceOf(seed)).sql);
  expect(await differences(texts)).toEqual([]);
});

function asQuery(text: string): string {
  return /^\(*(select|with|from)\b/i.test(text) ? text : `select ${text} as x`;
}

async function differences(texts: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const sql of texts.filter((text) => !otherwise.has(text))) {
    const direct = await rowsOf(runner, sql);
    const printed = printFor(sql);
    const again = printed === undefined ? 'refused' : await rowsOf(table, printed);
    if (again !== direct) found.push(`${sql}\n  ${printed}\n  ${direct}\n  ${again}`);
  }
  return found.toSorted((a, b) => a.length - b.length).slice(0, 3);
}

/** The query as it is sent to BigQuery; undefined if it is refused. */
function printFor(sql: string): string | undefined {
  try {
    return bigQuery.compile({ name: 'web', sql, maxRows: 1_000, parameters: [] }).sql;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return undefined;
  }
}

const parameters = [
  { name: 'now', type: 'timestamp' },
  { name: 'window_start', type: 'timestamp' },
] as const;
const bindings = { now, window_start: '0001-01-01T00:00:00.000000+00:00' };

/** The values of the rows, sorted, since some queries have no order; or that there are none. */
async function rowsOf({ run, compiler }: QueryRunner, sql: string): Promise<string> {
  try {
    const rows = await run(sql, { parameters, bindings });
    const query = { name: 'web', sql, maxRows: 1_000, parameters };
    const names = compiler.compile(query).columns.map(({ name }) => name);
    return rows
      .map((row) => JSON.stringify(names.map((name) => row[name])))
      .toSorted()
      .join('\n');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return 'refused';
  }
}
