import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/paths.js';
import {
  openQueryRunner,
  openQueryRunnerOverParts,
  type QueryRunner,
} from '../support/run-query.js';

/** Queries and BigQuery's rows, which are the same for both layouts. */
const answers: readonly (readonly [sql: string, rows: readonly unknown[]])[] = [
  [
    'select id, m.level from `logs.web`, unnest(metadata) m order by id',
    [
      { id: 'a', level: 'info' },
      { id: 'b', level: 'error' },
      { id: 'c', level: 'info' },
      { id: 'e', level: null },
    ],
  ],
  [
    'select id, path from `logs.web`, unnest(metadata), unnest(request) order by id',
    [
      { id: 'a', path: '/rest' },
      { id: 'b', path: '/auth' },
      { id: 'e', path: '/x' },
    ],
  ],
  [
    'select id, path from `logs.web` left join unnest(metadata) left join unnest(request) order by id',
    [
      { id: 'a', path: '/rest' },
      { id: 'b', path: '/auth' },
      { id: 'c', path: null },
      { id: 'd', path: null },
      { id: 'e', path: '/x' },
    ],
  ],
  [
    "select id, r.path from `logs.web` t left join unnest(t.metadata) m left join unnest(m.request) r on r.method = 'GET' order by id",
    [
      { id: 'a', path: '/rest' },
      { id: 'b', path: null },
      { id: 'c', path: null },
      { id: 'd', path: null },
      { id: 'e', path: null },
    ],
  ],
  [
    "select id, m is null as none, o from `logs.web` left join unnest(metadata) m with offset o where id >= 'c' order by id",
    [
      { id: 'c', none: false, o: 0 },
      { id: 'd', none: true, o: null },
      { id: 'e', none: false, o: 0 },
    ],
  ],
  [
    'select id, i.name, n from `logs.web`, unnest(items) i with offset n order by id, n',
    [
      { id: 'a', name: 'p', n: 0 },
      { id: 'a', name: 'q', n: 1 },
      { id: 'b', name: 'r', n: 0 },
    ],
  ],
  [
    'select id, i.name from `logs.web` left join unnest(items) i on i.price = 3 order by id',
    [
      { id: 'a', name: 'q' },
      { id: 'b', name: 'r' },
      { id: 'c', name: null },
      { id: 'd', name: null },
      { id: 'e', name: null },
    ],
  ],
  [
    'select id, r.path, i.price from `logs.web` t, unnest(t.metadata) m, unnest(m.request) r, unnest(t.items) i order by id, price',
    [
      { id: 'a', path: '/rest', price: 1 },
      { id: 'a', path: '/rest', price: 3 },
      { id: 'b', path: '/auth', price: 3 },
    ],
  ],
  [
    "select id from `logs.web` t where exists (select 1 from unnest(t.metadata) m where m.level = 'info') order by id",
    [{ id: 'a' }, { id: 'c' }],
  ],
  [
    "select id from `logs.web` t where not exists (select 1 from unnest(t.metadata) m cross join unnest(m.request) r where r.method <> 'GET') order by id",
    [{ id: 'a' }, { id: 'c' }, { id: 'd' }, { id: 'e' }],
  ],
  [
    'select id from `logs.web` t where exists (select 1 from unnest(t.items) i where i.price = 3 and i.name > t.id) order by id',
    [{ id: 'a' }, { id: 'b' }],
  ],
  [
    'select l.id, r.path from `logs.web` l left join (`logs.web` w cross join unnest(w.metadata) m cross join unnest(m.request) r) on l.id = w.id order by l.id',
    [
      { id: 'a', path: '/rest' },
      { id: 'b', path: '/auth' },
      { id: 'c', path: null },
      { id: 'd', path: null },
      { id: 'e', path: '/x' },
    ],
  ],
  [
    "select w.id, b.id as other from (`logs.web` w cross join unnest(w.metadata) m) right join `logs.web` b on w.id = b.id and m.level = 'info' order by b.id",
    [
      { id: 'a', other: 'a' },
      { id: null, other: 'b' },
      { id: 'c', other: 'c' },
      { id: null, other: 'd' },
      { id: null, other: 'e' },
    ],
  ],
  [
    "select id, metadata is null as none, metadata from `logs.web` where id in ('c', 'd') order by id",
    [
      { id: 'c', none: false, metadata: [{ level: 'info', status: null, request: null }] },
      { id: 'd', none: false, metadata: null },
    ],
  ],
  [
    "select m from `logs.web`, unnest(metadata) m where id = 'b'",
    [{ m: { level: 'error', status: 500, request: [{ path: '/auth', method: 'POST' }] } }],
  ],
  [
    'select project, countif(m.status >= 500) as errors, count(*) as n from `logs.web`, unnest(metadata) m group by project order by project',
    [
      { project: 'one', errors: 1, n: 3 },
      { project: 'two', errors: 0, n: 1 },
    ],
  ],
  [
    "select any_value(if(id = 'b', items, null)) as v, any_value(if(id = 'b', m.request, null)) as w from `logs.web`, unnest(metadata) m",
    [{ v: [{ name: 'r', price: 3 }], w: [{ path: '/auth', method: 'POST' }] }],
  ],
  [
    "select any_value(b.metadata) as v from `logs.web` a left join `logs.web` b on a.id = b.id and b.id = 'c'",
    [{ v: [{ level: 'info', status: null, request: null }] }],
  ],
  [
    "select id, metadata from (select id, metadata from `logs.web` where id = 'a') union all select id, metadata from `logs.web` where id = 'd' order by id",
    [
      {
        id: 'a',
        metadata: [{ level: 'info', status: 200, request: [{ path: '/rest', method: 'GET' }] }],
      },
      { id: 'd', metadata: null },
    ],
  ],
  [
    "select string_agg((select any_value(w.project) from `logs.web` w where w.id = 'a'), '-') as s from `logs.web` where id < 'c'",
    [{ s: 'one-one' }],
  ],
  [
    "select approx_top_count((select any_value(w.project) from `logs.web` w where w.id = 'a'), 1) as s from `logs.web`",
    [{ s: [{ value: 'one', count: 5 }] }],
  ],
];

/** More of them by subject, each row as a list of its values. */
const folder = join(root, 'test/compiler/layouts');
const subjects = readdirSync(folder).map((file) => ({
  file,
  cases: JSON.parse(readFileSync(join(folder, file), 'utf8')) as typeof answers,
}));

describe.each([
  ['as a struct', () => openQueryRunner({ layout: 'struct' })],
  ['as a list', () => openQueryRunner({ layout: 'list' })],
  [
    'as a struct, in parts without some of its fields',
    () => openQueryRunnerOverParts('struct', 'mixed'),
  ],
  [
    'as a list, in parts that store it as a struct',
    () => openQueryRunnerOverParts('list', 'mixed'),
  ],
] as const)('records stored %s', (_how, open) => {
  let runner: QueryRunner;

  beforeAll(async () => {
    runner = await open();
  });
  afterAll(() => runner.close());

  test.each(answers)('%s', async (sql, rows) => {
    expect(await runner.run(sql)).toEqual(rows);
  });

  describe.each(subjects)('$file', ({ cases }) => {
    test.each(cases)('%s', async (sql, rows) => {
      const found = await runner.run(sql, { mayQuoteValues: true });
      expect(found.map((row) => Object.values(row))).toEqual(rows);
    });
  });
});
