import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestOf } from '../../support/request-of.js';
import { openWorld, type TiedWorld } from '../../support/tied-worlds.js';

// Which fields the records of other projects have, how many, and in which order decides nothing: neither which own records an
// answer has, nor their order. The own records share id and instant, so that only their fields decide between them.

const timestamp = '2026-03-10T11:00:00Z';
const lineOf = (project: string, metadata: unknown, id = 'x') =>
  JSON.stringify({ id, timestamp, project, event_message: 'm', metadata });

const own = [
  { b: 1, q: 9 },
  { a: 1, q: 5 },
  { q: 10 },
  { q: 9 },
  { b: 2, r: { z: 1, c: 2 } },
  { a: 2, r: { c: 1 } },
  { r: { z: 2 }, l: [{ v: 2, u: 1 }, { u: 3 }] },
  { l: [{ u: 2 }] },
  {},
  null,
].map((metadata) => lineOf('bluefin', metadata));

const manyNames = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index]));

/** The lines of others, before the own ones. */
const others: Readonly<Record<string, readonly unknown[]>> = {
  'no names': [{ q: 0 }],
  'the names in another order': [{ l: [{ u: 1, v: 1 }], r: { z: 0, c: 0 }, q: 0, b: 0, a: 0 }],
  'a fraction among the numbers': [{ q: 0.5 }],
  '255 more names': [manyNames(255)],
  '300 more names in a record': [{ r: manyNames(300) }],
  'more names than a source may have': Array.from({ length: 9 }, (_, n) => ({
    l: [manyNames(400 + n)],
  })),
};

const queries: readonly string[] = [
  'select * from edge_logs limit 1',
  'select metadata from edge_logs',
  'select metadata from edge_logs order by timestamp desc limit 3',
  'select metadata from (select metadata from edge_logs) limit 4',
  'with x as (select metadata from edge_logs) select * from x',
  'select m from edge_logs, unnest(metadata) m limit 4',
  'select any_value(metadata) as v from edge_logs',
  'select any_value(t) as v from edge_logs t',
  'select any_value(m) as v from edge_logs, unnest(metadata) m group by id',
  'select any_value(struct(m)) as v from edge_logs, unnest(metadata) m',
  'select any_value(m) over (partition by id) as v from edge_logs, unnest(metadata) m',
  'select any_value(m having max timestamp) as v from edge_logs, unnest(metadata) m',
  'select array_agg(m limit 2) as v from edge_logs, unnest(metadata) m',
  'select max_by(m, timestamp) as v, min_by(m, timestamp) as w from edge_logs, unnest(metadata) m',
  'select first_value(m) over (order by timestamp) as v from edge_logs, unnest(metadata) m',
  'select m from edge_logs, unnest(metadata) m where true qualify row_number() over (partition by id order by timestamp) < 4',
  'select any_value(m) as v from edge_logs, unnest(metadata) m where m.a is null and m.b is null and m.q is null and m.r is null and m.l is null',
];

let worlds: readonly TiedWorld[];
beforeAll(async () => {
  const named = Object.entries(others).map(([name, records]) => {
    return openWorld([...records.map((one) => lineOf('mallory', one)), ...own], { name });
  });
  worlds = await Promise.all(named);
});
afterAll(() => Promise.all(worlds.map((world) => world.close())));

describe.each([false, true])('redacted: %s', (redact) => {
  test.each(queries)('%s', async (sql) => {
    const request = requestOf({ project: 'bluefin', sql }, { redact });
    const answers = worlds.map(async (world) => [world.name, inOrder(await world.ask(request))]);
    const [first, ...rest] = await Promise.all(answers);
    expect(first?.[1]).toMatch(/^\d+ (?:true|false)\n\[\{/);
    expect(Object.fromEntries(rest)).toEqual(
      Object.fromEntries(rest.map(([name]) => [name, first?.[1]])),
    );
  });
});

/** An answer with the fields of its records in order, and numbers as texts: both depend on the source's types. */
function inOrder(answer: string): string {
  const [counts = '', json = ''] = answer.split('\n');
  if (json === '') return `refused ${answer}`;
  const sorted = JSON.parse(json, (_, value: unknown) => {
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
  return `${counts}\n${JSON.stringify(sorted)}`;
}
