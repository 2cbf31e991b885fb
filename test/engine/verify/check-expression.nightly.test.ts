import { afterAll, beforeAll, expect, test } from 'vitest';
import { allDefinitions } from '../../support/all-definitions.js';
import { callsOf, clausesOf, columnName, sampleOf, scalarNames } from '../../support/every-call.js';
import { typedSource } from '../../support/typed-source.js';
import { callerOf, openQueryVerifier } from '../../support/verify-compiled.js';

// Statement verification accepts everything that the compiler can print from the function table: an
// unknown word would turn a legal query into an internal error.

const compile = callerOf([typedSource], {
  name: 'typed',
  sql: 'with typed as (select * from `logs.typed`) select * from typed',
  maxRows: 10,
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'integer', type: 'integer' },
    { name: 'number', type: 'number' },
    { name: 'flag', type: 'boolean' },
    { name: 'instant', type: 'timestamp' },
  ],
});

let engine: Awaited<ReturnType<typeof openQueryVerifier>>;

beforeAll(async () => {
  engine = await openQueryVerifier();
});
afterAll(() => engine.close());

/** The number of expressions that one statement verifies. */
const together = 20;

/** The number of expressions that have compiled. */
let compiled = 0;

/** The expressions that compile but are refused, and how many compile. */
async function verifyAll(expressions: readonly string[]) {
  const legal = expressions.filter((one) => compile(`select ${one} as x from typed`, false));
  compiled += legal.length;
  // Next to an aggregate, a window function would see no rows.
  const isWindow = (one: string) => one.includes(' over (');
  const groups = [legal.filter(isWindow), legal.filter((one) => !isWindow(one))];
  const refused: string[] = [];
  for (const group of groups) {
    for (let from = 0; from < group.length; from += together) {
      refused.push(...(await verifyEach(group.slice(from, from + together))));
    }
  }
  return { legal: legal.length, refused };
}

/** The refused expressions: verifies them in one statement, and one by one if that is refused. */
async function verifyEach(expressions: readonly string[]): Promise<readonly string[]> {
  const items = expressions.map((one, index) => `${one} as x${index}`).join(', ');
  const refused: string[] = [];
  for (const redact of [false, true]) {
    const query = compile(`select ${items} from typed`, redact);
    if (query === undefined) throw new Error(`Legal one by one but not together: ${items}`);
    await engine.verify(query).catch((error: unknown) => refused.push(`${items}: ${error}`));
  }
  if (refused.length === 0 || expressions.length === 1) return refused;
  const alone = await Promise.all(expressions.map((one) => verifyEach([one])));
  return alone.flat();
}

const definitions = await allDefinitions();

test('the definitions include the operators', () => {
  expect(definitions.filter(({ name }) => name.startsWith('$')).length).toBeGreaterThan(50);
});

const scalars = definitions.filter(({ kind }) => kind === 'scalar');

test.each(scalars.map((definition) => [definition.name, definition] as const))(
  '%s',
  async (name, definition) => {
    const calls = callsOf(definition);
    const safe = name.startsWith('$') ? [] : calls.map((call) => `safe.${call}`);
    const { legal, refused } = await verifyAll([...calls, ...safe]);
    expect(refused).toEqual([]);
    expect(legal).toBeGreaterThan(0);
  },
);

const others = definitions.flatMap((definition) =>
  definition.kind === 'scalar' ? [] : [{ definition, kind: definition.kind }],
);

test.each(others.map((one) => [one.definition.name, one] as const))(
  '%s',
  async (_, { definition, kind }) => {
    const { legal, refused } = await verifyAll(
      callsOf(definition).flatMap((call) => clausesOf(call, kind)),
    );
    expect(refused).toEqual([]);
    if (definition.name !== 'grouping') expect(legal).toBeGreaterThan(0);
  },
);

test.each(scalarNames)('casts from %s', async (from) => {
  const values = [sampleOf(from, 'constant'), sampleOf(from, 'column'), 'null'];
  const casts = scalarNames.flatMap((to) =>
    values.flatMap((value) => [
      `cast(${value} as ${to})`,
      `safe_cast(${value} as ${to})`,
      `cast([${value}] as array<${to}>)`,
      `safe_cast(${columnName('array', from)} as array<${to}>)`,
      `cast(struct(${value} as a) as struct<a ${to}>)`,
    ]),
  );
  const { legal, refused } = await verifyAll(casts);
  expect(refused).toEqual([]);
  expect(legal).toBeGreaterThan(10);
});

test('enough of the calls compile', () => {
  expect(compiled).toBeGreaterThan(2_000);
});
