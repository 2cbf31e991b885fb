import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestOf } from '../../support/request-of.js';
import { openWorld, type TiedWorld } from '../../support/tied-worlds.js';

// Which fields the records of other projects have, how many, in which order, and whether they have two elements decides nothing: neither which own records an
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
  { l: [], c: [] },
  { c: [{ k: 1 }] },
  { c: [{ k: 1, d: [] }], a: 1 },
  { c: [{ k: 1, d: [{ e: 2 }] }], a: 1 },
  { c: [], a: 3 },
  { a: 3 },
  {},
  [],
  null,
].map((metadata) => lineOf('bluefin', metadata));

const manyNames = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index]));

/** The lines of others, before the own ones. */
const others: Readonly<Record<string, readonly unknown[]>> = {
  'no names': [{ q: 0 }],
  'the names in another order': [{ l: [{ u: 1, v: 1 }], r: { z: 0, c: 0 }, q: 0, b: 0, a: 0 }],
  'a fraction among the numbers': [{ q: 0.5 }],
  'other names first': [{ b: 0, q: 0, a: 0 }],
  'a record with two elements': [{ c: [{}, {}] }],
  'records in each other with two elements': [
    [{ c: [{ d: [{}, {}] }, { d: [{}, {}] }] }, { r: [{}, {}] }],
  ],
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

/** Groups, distinct values, and records that a query makes of others. */
const made: readonly string[] = [
  'select metadata, count(*) as n from edge_logs group by metadata',
  'select m.c, count(*) as n from edge_logs, unnest(metadata) m group by m.c',
  'select m, count(*) as n from edge_logs, unnest(metadata) m group by m',
  'select count(distinct to_json_string(t)) as n from edge_logs t',
  'select distinct m.c as x from edge_logs, unnest(metadata) m',
  'select distinct metadata as x from edge_logs',
  'select distinct (select as struct metadata) as x from edge_logs',
  'select distinct array(select m from unnest(metadata) m) as x from edge_logs',
  'select distinct lag(metadata) over (order by id) as x from edge_logs',
  'select to_json_string(array(select distinct m.c from unnest(metadata) m)) as x from edge_logs',
  'select array_length(array_agg(distinct m)) as n from edge_logs, unnest(metadata) m',
  'from edge_logs |> select metadata |> distinct |> aggregate count(*) as n',
  'select any_value(struct(m.c as q)) as x from edge_logs, unnest(metadata) m',
  'select any_value(struct(metadata as q)) as x from edge_logs',
  'select any_value((m, 1)) as x from edge_logs, unnest(metadata) m',
  'select array_agg((m, 1) limit 3) as x from edge_logs, unnest(metadata) m',
  'select any_value((select as struct m.c from unnest(metadata) m)) as x from edge_logs',
  'select any_value(m) over (partition by m.a) as v, (any_value(m) over (partition by m.a)).q as q from edge_logs, unnest(metadata) m',
  'select max_by(array(select as struct m.c, m.l from unnest(metadata) m), id) as x from edge_logs',
  'select any_value(if(m.b = 2, m.r, null)) as x from edge_logs, unnest(metadata) m',
  'select any_value(b.metadata) as x from edge_logs a left join edge_logs b on a.id = b.id and b.event_message = "n"',
  'select struct(m) as v from edge_logs, unnest(metadata) m limit 4',
  'select [m] as v from edge_logs, unnest(metadata) m limit 4',
  'select t as v from edge_logs t limit 5',
  'select t as v, t.id from edge_logs t order by timestamp desc limit 5',
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
  test.each([...queries, ...made])('%s', async (sql) => {
    const request = requestOf({ project: 'bluefin', sql }, { redact });
    const answers = worlds.map(async (world) => [
      world.name,
      inOrder(await world.ask(request), sql),
    ]);
    const [first, ...rest] = await Promise.all(answers);
    expect(first?.[1]).toMatch(/^\d+ (?:true|false)\n\[\{/);
    expect(Object.fromEntries(rest)).toEqual(
      Object.fromEntries(rest.map(([name]) => [name, first?.[1]])),
    );
  });
});

/**
 * An answer with the fields of its records in order, and numbers as texts: both depend on the source's types. The order of
 * groups and of rows without a limit is not promised where two are equal in all keys.
 */
function inOrder(answer: string, sql: string): string {
  const [counts = '', json = ''] = answer.split('\n');
  if (json === '') return `refused ${answer}`;
  const sorted = JSON.parse(json, (_, value: unknown) => {
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
  const rows = (sorted as unknown[]).map((row) => JSON.stringify(row));
  return `${counts}\n[${(made.includes(sql) && !sql.includes('limit') ? rows.sort() : rows).join()}]`;
}
