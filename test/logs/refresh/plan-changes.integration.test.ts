import { appendFileSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tinyPartRecords } from '../../../src/logs/refresh/drop-parts.js';
import type { LoadedLogs } from '../../../src/start/logs.js';
import { type Asked, answersOf, openNextRunner } from '../../support/query-logs.js';
import { createRefreshFixture, line, lines } from '../../support/refresh-fixture.js';
import { listWitnesses } from '../../support/witnesses.js';

const edge = 'edge_logs/a.ndjson';
const known = {
  metadata: { own: 1, request: { path: '/a', own: [1] }, some: [{ a: 1 }, { a: 2 }] },
  project: 'p',
};

/** The parts of a record that no record before it had. */
const news: Readonly<Record<string, object>> = {
  'a column': { extra: 'x' },
  'a record': { extra: { a: { b: 1 } } },
  'a field of a record': { metadata: { own: 2, extra: true } },
  'a field of a record in a record': { metadata: { request: { extra: 1.5 } } },
  'a field of a list of records': { metadata: { some: [{ a: 3, extra: 4 }, { extra: 5 }] } },
  'a declared field': { metadata: { request: { method: 'GET' } } },
  'a declared column': { identifier: 'i' },
  'a declared record': { metadata: { response: [{ status_code: 200 }] } },
  'a second element': { metadata: [{ own: 3 }, { own: 4, request: { path: '/b' } }] },
  'a second element whose record lacks a field that all others have': {
    metadata: [{ own: 3, request: { path: '/x' } }, { request: { method: 'PUT' } }],
  },
  'a second element of a record in a record': {
    metadata: { request: [{ path: '/c' }, { path: '/d', own: [2] }] },
  },
  'a key that is no name': { metadata: { own: 5, 'ada@example.com': 6 } },
  'all of these': {
    extra: [{ a: 1 }, { b: 2 }],
    metadata: [{ request: [{ extra: 7 }, { method: 'PUT' }] }, { more: { c: [{ d: 8 }, {}] } }],
  },
};

const stored = 'with edge_logs as (select t.* from `logs.edge_logs` as t) select id from edge_logs';
const asCaller = (caller: string): Asked => [stored, { caller, maxRows: 10_000 }];

const queries: readonly Asked[] = [
  ['select * from `logs.edge_logs` order by id', { maxRows: 10_000 }],
  ["select * from `logs.edge_logs` where id = 'r1' or id >= 'r90000' order by timestamp desc, id"],
  ['select count(*) as n, count(metadata) as m from `logs.edge_logs`'],
  ['select id, extra from `logs.edge_logs` where extra is not null'],
  [
    'select m.own, count(*) as n from `logs.edge_logs` t, unnest(t.metadata) m group by own order by own',
  ],
  [
    'select id, r from `logs.edge_logs` t, unnest(t.metadata) m, unnest(m.request) r order by id, r.path limit 50',
  ],
  [
    'select id, m.extra, r.extra as inner_extra, r.method from `logs.edge_logs` t left join unnest(t.metadata) m left join unnest(m.request) r order by id, r.path desc',
    { redact: true, maxRows: 10_000 },
  ],
  [
    'select id, s.extra from `logs.edge_logs` t, unnest(t.metadata) m, unnest(m.some) s order by id, extra',
  ],
  [
    'select id, m._other_fields from `logs.edge_logs` t, unnest(t.metadata) m order by id desc limit 5',
  ],
  ['select id, timestamp, event_message from `logs.edge_logs` order by timestamp desc limit 20'],
  ['select project, id, metadata from `logs.edge_logs` order by timestamp desc limit 20 offset 3'],
  asCaller('select id, metadata from edge_logs order by timestamp desc limit 10'),
  asCaller(
    'select m.own, max(r.path) as path from edge_logs t, unnest(t.metadata) m left join unnest(m.request) r group by m.own order by 1',
  ),
  asCaller(
    "select id from edge_logs t where exists (select 1 from unnest(t.metadata) m where m.extra) or identifier = 'i'",
  ),
  asCaller('select to_json_string(t) as j from edge_logs t order by id limit 30'),
];

let fixture: ReturnType<typeof createRefreshFixture>;
let from = 0;
beforeEach(async () => {
  const much = lines(0, tinyPartRecords) + line(90_000, known) + line(90_001);
  fixture = createRefreshFixture({ [edge]: much });
  await fixture.refresh();
  from = statSync(fixture.path(edge)).size;
});
afterEach(() => fixture.remove());

const parts = () => fixture.manifest().parts.filter(({ source }) => source === 'edge_logs');

/** The paths of the records that one of their scalars stands for. */
function recordsWithWitnesses({ sources }: LoadedLogs): readonly string[] {
  const schema = sources.find(({ name }) => name === 'edge_logs');
  return listWitnesses(schema?.columns ?? []).map((text) => text.slice(0, text.indexOf(':')));
}

async function expectSameAnswers(open?: Parameters<typeof answersOf>[2]): Promise<void> {
  const fresh = fixture.logs(await fixture.reload());
  expect(recordsWithWitnesses(fresh)).toEqual(
    expect.arrayContaining([...recordsWithWitnesses(fixture.logs())]),
  );
  expect(await answersOf(fixture.logs(), queries, open)).toEqual(await answersOf(fresh, queries));
}

describe('what no record had before is loaded alone and read as after a full load', () => {
  test.each(Object.entries(news))('%s', async (_what, more) => {
    const before = fixture.logs();
    const [large] = parts();
    appendFileSync(fixture.path(edge), line(90_010, more));
    expect((await fixture.refresh()).loads).toEqual([`${edge} from ${from}`]);
    expect(parts()[0]?.database).toBe(large?.database);
    appendFileSync(fixture.path(edge), line(90_011, { ...more, later: 1 }));
    expect((await fixture.refresh()).loads).toEqual([`${edge} from ${from}`]);
    await expectSameAnswers();
    await expectSameAnswers((logs) => openNextRunner(before, logs));
  });
});

describe('records with more fields than get types', () => {
  const many = Object.fromEntries(Array.from({ length: 2_100 }, (_, n) => [`k${n}`, n]));
  const append = async (more: string) => {
    appendFileSync(fixture.path(edge), more);
    return (await fixture.refresh()).loads;
  };
  beforeEach(async () => {
    const rest = lines(100_000, 100_000 + tinyPartRecords);
    expect(await append(line(90_020, { metadata: many }) + rest)).toHaveLength(1);
  });

  test('cost a part of their own each', async () => {
    expect(await append(line(90_021, { metadata: { k2: 2, more: 3 } }))).toHaveLength(1);
    expect(await append(line(90_022, known))).toHaveLength(1);
    const asked =
      "select id, m.own, m.k2, m.more from `logs.edge_logs` t, unnest(metadata) m where id > 'r9002' order by id";
    const [[, rows = ''] = []] = await answersOf(fixture.logs(), [[asked]]);
    expect(JSON.parse(rows)).toEqual([
      { id: 'r90020', own: null, k2: '2', more: null },
      { id: 'r90021', own: null, k2: '2', more: '3' },
      { id: 'r90022', own: 1, k2: null, more: null },
    ]);
  });

  test('hide no declared field that comes later', async () => {
    expect(await append(line(90_021, news['a declared record'] ?? {}))).toHaveLength(1);
    const asked =
      "select r.status_code from `logs.edge_logs` t, unnest(metadata) m, unnest(m.response) r where id = 'r90021'";
    const [[, rows = ''] = []] = await answersOf(fixture.logs(), [[asked]]);
    expect(JSON.parse(rows)).toEqual([{ status_code: 200 }]);
  });
});

test('one new field after another costs a part of its own each, and merging keeps all', async () => {
  for (const [round, more] of Object.values(news).entries()) {
    const id = 100_000 + 4_000 * round;
    const each = { project: 'p', metadata: { [`field_${round}`]: round } };
    appendFileSync(
      fixture.path(edge),
      lines(id, id + 3_100) + line(id + 3_200, each) + line(id + 3_201, more),
    );
    expect((await fixture.refresh()).loads).toHaveLength(1);
    await fixture.merge();
  }
  expect(parts().length).toBeLessThanOrEqual(4);
  expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(await fixture.reload()));
  await expectSameAnswers();
});

test('another type reloads the source, which then has no other parts', async () => {
  appendFileSync(fixture.path(edge), line(90_010, { extra: 1 }));
  await fixture.refresh();
  expect(
    fixture.logs().sources.flatMap(({ parts = [] }) => parts.flatMap((part) => part.columns ?? [])),
  ).not.toEqual([]);
  appendFileSync(fixture.path(edge), line(90_011, { metadata: { own: 1.5 } }));
  expect((await fixture.refresh()).loads).toEqual([`${edge} from ${from}`, edge]);
  expect(parts().map(({ columns }) => columns)).toEqual([undefined]);
  await expectSameAnswers();
});

const some = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`field_${n}`, n]));

test('a record without the many fields of its source is stored without them, and read as with them', async () => {
  const many = { metadata: { ...some(300), deep: { ...some(50), list: [{ a: 1 }, { a: 2 }] } } };
  // A part of so much text is not rebuilt with the next lines.
  const long = 'x'.repeat(70_000);
  appendFileSync(fixture.path(edge), line(90_010, { ...many, top: some(20), extra: long }));
  await fixture.refresh();
  const countWitnesses = () =>
    JSON.stringify(fixture.manifest().schemas).match(/"notNullWitnesses"/g)?.length;
  const witnesses = countWitnesses();
  for (const [n, more] of [
    {},
    { metadata: { field_7: 8, deep: { list: { a: 3 } } } },
    { metadata: { deep: {} }, top: [{ field_1: 2 }, { field_3: 4 }] },
    { metadata: null, top: {} },
  ].entries()) {
    appendFileSync(fixture.path(edge), line(90_011 + n, { ...more, extra: long }));
    expect((await fixture.refresh()).loads).toHaveLength(1);
    const counts = parts().map(({ columns = [] }) => JSON.stringify(columns).length);
    expect(counts.at(-1)).toBeLessThan(15_000);
    expect(counts.at(-1)).toBeGreaterThan(1_000);
    // The first of these lines has none of the records.
    if (n === 0) expect(countWitnesses()).toBe(witnesses);
  }
  await expectSameAnswers();
  await fixture.merge();
  expect(parts().length).toBeLessThan(5);
  await expectSameAnswers();
});
