import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StatementFault } from '../../../src/errors/errors.js';
import { allDefinitions } from '../../support/all-definitions.js';
import { scalarNames } from '../../support/every-call.js';
import { type JsonObject, parseJson, printJson } from '../../support/json.js';
import { nightly } from '../../support/nightly.js';
import { openQueryRunner, type QueryRunner } from '../../support/run-query.js';
import { type VectorCall, vectorCalls, vectorCasts } from '../../support/vector-calls.js';

// Every function and cast over a column of mixed values, in one chunk of the engine and across chunks, gives for each row what
// it gives for the row's values as literals: plain, with SAFE., and where a condition keeps the wrong values away.

/** The outcome of a call: a value as JSON, or a message. */
type Outcome = { readonly value: string } | { readonly fault: string };

let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner();
});
afterAll(() => runner.close());

/** Functions of the clock, of chance, or of forms that only logs have, and those that `writeCall` writes with columns of logs. */
const without = /^(?:rand|generate_uuid|\$text_\w+|\$interval|\$i?like (?:any|all)|\$count_star)$/i;

const scalars = (await allDefinitions())
  .filter(({ name }) => !without.test(name))
  .filter(({ kind }) => kind === 'scalar');

/** `VECTORS=all` asks 69,000 queries with two seeds, in 17 minutes; the suite has a sample of them. */
const isWhole = process.env['VECTORS'] === 'all';
const seeds = isWhole ? 2 : 1;
const step = isWhole ? 1 : nightly(12, 24);

function every<T>(items: readonly T[], nth: number): readonly T[] {
  return items.filter((_, index) => index % nth === 0);
}

describe('functions', { timeout: 240_000 }, () => {
  test.each(every(scalars, step))('$name', async (definition) => {
    const found: string[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      for (const call of sampled(vectorCalls(definition, seed)))
        found.push(...(await differences(call)));
    }
    expect(found.join('\n')).toBe('');
  });
});

/** Some functions have hundreds of calls. */
function sampled(calls: readonly VectorCall[]): readonly VectorCall[] {
  return every(calls, Math.ceil(calls.length / (isWhole ? 8 : 2)));
}

const casts = scalarNames.flatMap((from) => scalarNames.map((to) => [from, to] as const));

describe('casts', () => {
  test.each(every(casts, step))('%s to %s', async (from, to) => {
    const found: string[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      for (const call of vectorCasts(from, to, seed)) found.push(...(await differences(call)));
    }
    expect(found.join('\n')).toBe('');
  });
});

/** The differences between a call over columns and the same call over literals. */
async function differences(call: VectorCall): Promise<readonly string[]> {
  const { write, writeSafe } = call;
  const outcomes = await eachAlone(call.rows.map((row) => write(row)));
  // The compiler and the engine refuse some wrong literals even beside a NULL.
  const kept = call.rows.flatMap((row, index) => {
    const isRefused =
      'fault' in (outcomes[index] ?? {}) && row.some((value) => value.startsWith('cast(null'));
    return isRefused ? [] : [index];
  });
  const alone = outcomes.map((outcome, index) => (kept.includes(index) ? outcome : undefined));
  const good = kept.filter((row) => 'value' in (alone[row] ?? {}));
  const bad = kept.filter((row) => !good.includes(row));
  const all = mixed(good, bad);
  const internals = outcomes.flatMap((one) =>
    'fault' in one && one.fault.includes(internal) ? [one.fault] : [],
  );
  if (good.length === 0) return internals;
  const safe = writeSafe === undefined ? [] : [{ alone, rows: all, write: writeSafe }];
  const runs: readonly Run[] = [
    { alone, rows: good, write },
    { alone, rows: all, write: guarded(write) },
    ...safe,
  ];
  const found = [...internals];
  for (const run of runs.flatMap((one) => [one, { ...one, times: 5_000 }])) {
    found.push(...(await compare(call, run)));
  }
  if (bad.length === 0) return found;
  const outcome = await overColumns(call, { alone, rows: all, write });
  if ('fault' in outcome && !outcome.fault.includes(internal)) return found;
  return [...found, `${call.label}: no failure over columns\n  ${outcome.sql}`];
}

/** Good and bad rows in turn. */
function mixed(good: readonly number[], bad: readonly number[]): readonly number[] {
  const longest = Math.max(good.length, bad.length);
  return Array.from({ length: longest }, (_, index) => index).flatMap((index) =>
    [good[index], bad[index]].filter((row) => row !== undefined),
  );
}

function guarded(write: VectorCall['write']): VectorCall['write'] {
  return (args) => `if(ok, ${write(args)}, null)`;
}

function printed(outcome: Outcome | undefined): string {
  return outcome !== undefined && 'value' in outcome ? outcome.value : '"null"';
}

/** Large results are compared by their digests. */
function digestOf(json: string): string {
  return JSON.stringify(createHash('md5').update(JSON.parse(json)).digest('hex'));
}

interface Run {
  /** The outcome of each row's values as literals. */
  readonly alone: readonly (Outcome | undefined)[];
  readonly rows: readonly number[];
  readonly write: VectorCall['write'];
  /** The rows are repeated until there are about this many. */
  readonly times?: number;
}

async function compare(call: VectorCall, run: Run): Promise<readonly string[]> {
  const outcome = await overColumns(call, run);
  const where = `${call.label}, ${run.rows.length} rows of ${run.times ?? 'one chunk'}`;
  if ('fault' in outcome) {
    if (/literal|constant/i.test(outcome.fault)) return [];
    return [`${where}: ${outcome.fault}\n  ${outcome.sql}`];
  }
  const expected = (row: number) => {
    const value = printed(run.alone[row]);
    return run.times === undefined ? value : digestOf(value);
  };
  const different = outcome.rows.find(({ i, v }) => expected(Number(i)) !== printJson(v));
  if (different === undefined) return [];
  const row = Number(different['i']);
  const [wanted, got] = [expected(row), printJson(different['v'])];
  return [
    `${where}: ${run.write(call.rows[row] ?? [])} is ${got}, not ${wanted}\n  ${outcome.sql}`,
  ];
}

async function overColumns(call: VectorCall, { alone, rows, write, times }: Run) {
  const [first = 0] = rows;
  const args = (call.rows[first] ?? []).map((value, place) =>
    call.columns.includes(place) ? `a${place}` : value,
  );
  const structs = rows.map((row) => {
    const fields = call.columns.map((place) => `${call.rows[row]?.[place]} as a${place}`);
    const isGood = 'value' in (alone[row] ?? {});
    return `struct(${[`${row} as i`, `${isGood} as ok`, ...fields].join(', ')})`;
  });
  const repeat =
    times === undefined
      ? ''
      : ` cross join unnest(generate_array(1, ${Math.ceil(times / rows.length)}))`;
  const value = `to_json_string(${write(args)})`;
  const shown = times === undefined ? value : `to_hex(md5(${value}))`;
  const sql = `select i, ${shown} as v from unnest([${structs.join(', ')}])${repeat}`;
  try {
    return { sql, rows: await rowsOf(sql) };
  } catch (error) {
    return { sql, fault: messageOf(error) };
  }
}

async function rowsOf(sql: string): Promise<readonly JsonObject[]> {
  return parseJson(
    await runner.runText(sql, { maxRows: 10_000, mayQuoteValues: true }),
  ) as readonly JsonObject[];
}

/** The outcome of each expression: one statement computes all of them; if it fails, one computes each half. */
async function eachAlone(expressions: readonly string[]): Promise<readonly Outcome[]> {
  try {
    const items = expressions.map((one, index) => `to_json_string(${one}) as x${index}`);
    const [row = {}] = await rowsOf(`select ${items.join(', ')}`);
    return expressions.map((_, index) => ({ value: printJson(row[`x${index}`]) }));
  } catch (error) {
    if (expressions.length === 1) return [{ fault: `${expressions[0]}: ${messageOf(error)}` }];
    const middle = expressions.length >> 1;
    return [
      ...(await eachAlone(expressions.slice(0, middle))),
      ...(await eachAlone(expressions.slice(middle))),
    ];
  }
}

const internal = 'internal: ';

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const isInternal = error instanceof StatementFault || message.startsWith('Refused statement');
  if (!isInternal) return message;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
  return `${internal}${message} ${cause}`;
}
