import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bindStatement } from '../../src/endpoint/bind-statement.js';
import type { SourceSchema } from '../../src/types/schema.js';
import type { Field, Type } from '../../src/types/types.js';
import { now, openQueryRunner, type QueryRunner } from '../support/run-query.js';

// A later line may make a STRING of an undeclared record, list or number. A query that worked is still answered, and as before where
// the values are the same.

function field(name: string, type: Type, undeclared?: true): Field {
  return { name, type, stored: true, ...(undeclared && { undeclared }) };
}

function record(fields: readonly Field[], layout: 'struct' | 'list' = 'struct'): Type {
  return { kind: 'ARRAY', layout, element: { kind: 'STRUCT', fields } };
}

const text = { kind: 'STRING' } as const;
const integer: Type = { kind: 'INT64' };

const inner = [
  field('b', text, true),
  field('n', integer, true),
  field('c', record([field('d', text, true)]), true),
];

const listed = [field('b', text, true)];

/** `a` is a record, `list` a list of records, `tags` one of texts, and `n` a number; or each is a STRING. */
function sourceOf(isOpen: boolean): SourceSchema {
  const metadata = [
    field('level', text),
    field('a', isOpen ? { ...text, fields: inner } : record(inner), true),
    field('list', isOpen ? { ...text, fields: listed } : record(listed, 'list'), true),
    field('tags', isOpen ? text : { kind: 'ARRAY', layout: 'list', element: text }, true),
    field('n', isOpen ? text : integer, true),
  ];
  const columns = [
    field('id', text),
    field('timestamp', { kind: 'TIMESTAMP' }),
    field('metadata', record(metadata)),
  ];
  return { name: 'web', columns };
}

const records = {
  typed: [
    `{level: 'info', a: {b: 'x', n: 7, c: {d: 'deep'}}, list: [{b: 'p'}, {b: 'q'}], tags: ['t', 'u'], n: 10}`,
    `{level: 'warn', a: {b: 'y', n: 12, c: null}, list: [{b: 'q'}], tags: ['u'], n: 9}`,
    `{level: 'error', a: null, list: null, tags: null, n: null}`,
  ],
  open: [
    `{level: 'info', a: '{"b":"x","n":7,"c":{"d":"deep"}}', list: '[{"b":"p"},{"b":"q"}]', tags: '["t","u"]', n: '10'}`,
    `{level: 'warn', a: '{"b":"y","n":12}', list: '{"b":"q"}', tags: '["u"]', n: '9'}`,
    `{level: 'error', a: null, list: null, tags: null, n: null}`,
  ],
};

function rowsSql(metadata: readonly string[]): string {
  const rows = metadata.map(
    (value, index) => `('${index}', timestamptz '2026-03-01 00:00:00Z', ${value})`,
  );
  return `select * from (values ${rows.join(', ')}) t(id, timestamp, metadata)`;
}

let typed: QueryRunner;
let open: QueryRunner;

beforeAll(async () => {
  typed = await openQueryRunner({ source: sourceOf(false), rows: rowsSql(records.typed) });
  open = await openQueryRunner({ source: sourceOf(true), rows: rowsSql(records.open) });
});
afterAll(() => Promise.all([typed.close(), open.close()]));

const from = '`logs.web` as t, unnest(t.metadata) as m';

/** Queries whose answer is the same. */
const alike: readonly string[] = [
  `select t.id from ${from} where (m.n, m.level) = (10, 'info') order by 1`,
  `select t.id, (m.n, (m.n, 1)) in ((9, (9, 1)), (10, (9, 1))) as e from ${from} order by 1`,
  `select t.id, (m.n, 'a') in (null, (9, 'a'), (null, 'b')) as e from ${from} order by 1`,
  `select t.id, case (m.n, 'a') when (9, 'a') then 1 else 2 end as c from ${from} order by 1`,
  `select t.id, a.b from ${from} left join unnest(m.a) as a order by 1`,
  `select t.id, a.b from ${from}, unnest(m.a) as a order by 1`,
  `select t.id, a.b from ${from}, m.a order by 1`,
  `select t.id, b from ${from}, unnest(m.a) order by 1`,
  `select t.id, d from ${from}, unnest(m.a), unnest(c) order by 1`,
  `select b, count(*) as c from ${from}, unnest(m.list) group by b order by b`,
  `select t.id, l.* from ${from}, unnest(m.list) as l order by 1, 2`,
  `select t.id from ${from} where exists (select 1 from unnest(m.a) where n > 8)`,
  `select t.id, c.d from ${from}, unnest(m.a) as a, unnest(a.c) as c order by 1`,
  `select t.id, c.d from ${from} left join unnest(m.a) as a left join unnest(a.c) as c order by 1`,
  `select t.id, (select a.b from unnest(m.a) as a) as v from ${from} order by 1`,
  `select t.id from ${from} where exists (select 1 from unnest(m.a) as a where a.b = 'x')`,
  `select t.id from ${from} where exists (select 1 from unnest(m.list) as l where l.b = 'q') order by 1`,
  `select count(*) as n from ${from}, unnest(m.a) as a`,
  `select count(*) as n from ${from}, unnest(m.list) as l`,
  `select t.id, l.b from ${from}, unnest(m.list) as l order by 1, 2`,
  `select t.id, l.b, o from ${from}, unnest(m.list) as l with offset as o order by 1, 3`,
  `select t.id, m.a[safe_offset(0)].b as v from ${from} order by 1`,
  `select t.id, m.list[safe_offset(1)].b as v from ${from} order by 1`,
  `select t.id, m.list[safe_ordinal(1)].b as v from ${from} order by 1`,
  `select t.id, tag from ${from}, unnest(m.tags) as tag order by 1, 2`,
  `select t.id from ${from} where 'u' in unnest(m.tags) order by 1`,
  `select t.id from ${from} where array_length(m.tags) > 1`,
  `select t.id from ${from} where m.n > 9`,
  `select t.id from ${from} where 9 < m.n`,
  `select t.id from ${from} where m.n = 9`,
  `select t.id from ${from} where m.n in (9, 11)`,
  `select t.id from ${from} where m.n between 2 and 10 order by 1`,
  `select t.id from ${from} where m.n + 1 > 10`,
  `select t.id from ${from} where m.n > length(t.id) order by 1`,
  `select t.id from ${from}, unnest(m.a) as a where a.n > 8`,
  ...[
    'mod(m.n, 2)',
    'div(m.n, 2)',
    'm.n & 1',
    'timestamp_micros(m.n)',
    "timestamp_add(timestamp '2026-03-01 00:00:00Z', interval m.n second)",
    "substr('abcdefghijkl', m.n)",
    '[1, 2][safe_offset(m.n)]',
  ].map((value) => `select ${value} as v from ${from} order by t.id`),
  `select v from (select m.n as v from ${from} union all select 1) order by v`,
  `select m.n + 1 as v from ${from} order by t.id`,
  `select m.n * 1.5 as v from ${from} order by t.id`,
  `select sum(m.n) as v from ${from}`,
  `select max(n) as v from (select m.n + 0 as n from ${from})`,
  `select t.id, v.b from (select t.id, m.a as v from ${from}) as t, unnest(t.v) as v order by 1`,
];

describe('the same answer', () => {
  test.each(alike)('%s', async (sql) => {
    const expected = await typed.run(sql);
    expect(expected.length).toBeGreaterThan(0);
    expect(await open.run(sql)).toEqual(expected);
    const caller = sql.replaceAll('`logs.web`', 'web');
    const stored = 'with web as (select * from `logs.web`) select * from web';
    expect(await open.run(stored, { caller })).toEqual(expected);
    expect(await open.run(stored, { caller, redact: true })).toEqual(expected);
  });
});

describe('the same answer in LQL', () => {
  test.each([
    'm.a.b:x',
    'm.list.b:q',
    'm.list.b:p s:m.list.b',
    'm.n:>9',
    'm.n:9',
    'm.tags:@>u',
    's:m.a.c.d',
    'm.a:NULL',
    '-m.a.c.d:NULL',
    'm.list.b:~^q',
    'm.a.c.d:deep',
  ])('%s', async (lql) => {
    const text = lql.replaceAll('m.', 'metadata.');
    const expected = await runLql(typed, text);
    expect(JSON.parse(expected).length).toBeGreaterThan(0);
    expect(await runLql(open, text)).toBe(expected);
  });
});

async function runLql({ compiler, engine }: QueryRunner, text: string): Promise<string> {
  const sql =
    'with web as (select t.id, t.timestamp, t.metadata from `logs.web` as t) select id from web';
  const endpoint = { name: 'web', sql, maxRows: 10, parameters: [] };
  const full = `${text} s:id`;
  const query = compiler.compile(endpoint, { language: 'lql', text: full });
  const statement = bindStatement(query, {}, { maxRows: 10, now, redact: false });
  const { body } = await engine.run(statement, { signal: new AbortController().signal });
  return Buffer.from(body).toString();
}

/** Types that a number may have, and comparisons that must compile for each. */
test.each([
  'm.n = 5',
  "m.n = '5'",
  'm.n > 5',
  'm.n >= 1.5',
  'm.n < 2.5e3',
  'm.n <> 5',
  'm.n in (1, 2)',
  "m.n in ('1', '2')",
  'm.n between 1 and 2',
  "m.n > '5'",
  "m.n = numeric '5'",
])('%s compiles whatever the type of the number is', async (condition) => {
  for (const kind of ['INT64', 'FLOAT64', 'NUMERIC', 'STRING'] as const) {
    const metadata = record([field('n', { kind }, true)]);
    const source = { name: 'web', columns: [field('id', text), field('metadata', metadata)] };
    const { createCompiler } = await import('../../src/compiler/compile.js');
    const sql = `select t.id from ${from} where ${condition}`;
    const endpoint = { name: 'web', sql, maxRows: 1, parameters: [] };
    expect(createCompiler([source]).compile(endpoint).sql).toContain('SELECT');
  }
});

/** Conditions on a number `m.n`, written as a text or not, for those of a typed field. */
test.each([
  ['m.n = 5.0', ['5', '5.0', '5e0']],
  ['m.n = 5', ['5', '5.0', '5e0']],
  ["m.n = numeric '5.0'", ['5', '5.0', '5e0']],
  ['m.n in (5.0, 7)', ['5', '5.0', '5e0', '7']],
  ['m.n between 5 and 5', ['5', '5.0', '5e0']],
  ['m.n in (5, length(t.id))', ['5', '5.0', '5e0']],
  ['case m.n when 5 then true end', ['5', '5.0', '5e0']],
  ['m.n <> 5.0 and m.n <> 7', ['9007199254740992', '9007199254740993', '1e400', '-1e30', 'abc']],
  ['m.n = 9007199254740993', ['9007199254740993']],
  ['m.n > 9007199254740992', ['9007199254740993', '1e400']],
  ['m.n <= 9007199254740992 and m.n > 7', ['9007199254740992']],
  ['m.n < -9007199254740993', ['-1e30']],
  ['m.n >= 9007199254740992.0', ['9007199254740992', '9007199254740993', '1e400']],
])('a number in a text is compared as one: %s', async (condition, expected) => {
  const numbers = [
    '5',
    '5.0',
    '5e0',
    '7',
    '9007199254740992',
    '9007199254740993',
    '1e400',
    '-1e30',
  ];
  const metadata = record([field('n', text, true)]);
  const source = { name: 'web', columns: [field('id', text), field('metadata', metadata)] };
  const values = [...numbers, 'abc'].map((n, at) => `('row ${at}', {n: '${n}'})`);
  const rows = `select * from (values ${values.join(', ')}) t(id, metadata)`;
  const runner = await openQueryRunner({ source, rows });
  try {
    const found = await runner.run(`select m.n from ${from} where ${condition} order by t.id`);
    expect(found.map(({ n }) => n)).toEqual(expected);
  } finally {
    await runner.close();
  }
});

/** The values of paths below a string. */
test.each([
  ['\'{"b":"x"}\'', 'm.a.b', 'x'],
  ['\'{"b":{"c":[1,{"d":true}]}}\'', 'm.a.b', '{"c":[1,{"d":true}]}'],
  ['\'{"b":{"c":[1,{"d":true}]}}\'', 'm.a.b.c[1].d', 'true'],
  ['\'{"b":{"c":[1,{"d":true}]}}\'', 'm.a.b.c[offset(0)]', '1'],
  ['\'{"b":{"c":[1,{"d":true}]}}\'', 'm.a.b.c[ordinal(1)]', '1'],
  ['\'{"b":18446744073709551615}\'', 'm.a.b', '18446744073709551615'],
  ['\'{"b":1e400}\'', 'm.a.b', '1e400'],
  ['\'{"b":null}\'', 'm.a.b', null],
  ['\'{"b":1}\'', 'm.a.x.y.z', null],
  ['\'{"b/c~d":1}\'', 'm.a.`b/c~d`', '1'],
  ["'no json'", 'm.a.b', null],
  ["'[1'", 'm.a[0]', '1'],
  ['\'{"b":1}\'', 'm.a[0].b', '1'],
  ['\'{"b":1}\'', 'm.a[1].b', null],
  [`'${'['.repeat(70)}${']'.repeat(70)}'`, 'm.a[0][0]', `${'['.repeat(68)}${']'.repeat(68)}`],
])('%s: %s', async (json, path, expected) => {
  const metadata = record([field('a', text, true)]);
  const source = { name: 'web', columns: [field('id', text), field('metadata', metadata)] };
  const rows = `select '1' as id, {a: ${json}} as metadata`;
  const runner = await openQueryRunner({ source, rows });
  try {
    expect(await runner.run(`select ${path} as v from ${from}`)).toEqual([{ v: expected }]);
  } finally {
    await runner.close();
  }
});

/** The elements of lists in which something is no value, or looks like none. */
test.each([
  ['["null",null,"a",{}]', ['null', 'a', '{}']],
  ['[null,[null],"null",null,1e400]', ['[null]', 'null', '1e400']],
  ['[18446744073709551615,null,"x"]', ['18446744073709551615', 'x']],
  ['[null]', []],
])('the places of elements agree in %s', async (list, expected) => {
  const metadata = record([field('a', text, true)]);
  const source = { name: 'web', columns: [field('id', text), field('metadata', metadata)] };
  const runner = await openQueryRunner({
    source,
    rows: `select '1' as id, {a: '${list}'} as metadata`,
  });
  const values = async (sql: string) => (await runner.run(sql)).map(({ v }) => v);
  try {
    const rows = `select e as v from ${from}, unnest(m.a) as e with offset as o order by o`;
    expect(await values(rows)).toEqual(expected);
    const places = [-2, -1, 0, 1, 2, 3, 4];
    const items = places.map(
      (place) => `select ${place} as p, m.a[offset(${place})] as v from ${from}`,
    );
    const found = await values(`${items.join(' union all ')} order by p`);
    expect(found).toEqual(places.map((place) => expected[place] ?? null));
  } finally {
    await runner.close();
  }
});

test('a name without that of its record is never taken from a text', () => {
  const sql = `select typo from ${from}, unnest(m.a) as a`;
  return expect(open.run(sql)).rejects.toThrow('Unrecognized name: typo');
});

test.each([
  'select t.event.b from `logs.web` as t',
  'select m.level.x from `logs.web` as t, unnest(t.metadata) as m',
  'select m.level + 1 from `logs.web` as t, unnest(t.metadata) as m',
])('a declared STRING has no fields: %s', (sql) => expect(open.run(sql)).rejects.toThrow());
