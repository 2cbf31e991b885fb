import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import { bindStatement } from '../../src/endpoint/bind-statement.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { loadFolder, makeFolder } from '../support/load-logs.js';
import { createQueryRunner, now, type QueryRunner } from '../support/run-query.js';

// A field that the budget of a source gives up is read by its path as one with a type is: the same lines are loaded twice.

const lines = [
  {
    zz: { deep: { b: 'x' }, n: 7 },
    list: [{ b: 'p' }, { b: 'q' }],
    tags: ['t', 'u'],
    n: 10,
    Mixed: 'M',
    mail: 'ada@example.com',
    flag: true,
    big: 12345678901234567890n,
  },
  { zz: { deep: { b: 'y' }, n: 12 }, list: [{ b: 'q' }], tags: ['u'], n: 9, mail: '10.1.2.3' },
  { load_balancer_redirect_identifier: 'l' },
].map((metadata, index) => {
  const time = `2026-03-01T00:00:0${index}Z`;
  const own = index === 0 ? { top: { a: 'one' }, word: 'two' } : {};
  const record = { id: `${index}`, timestamp: time, project: 'acme', metadata, ...own };
  const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? `#${value}#` : value);
  return JSON.stringify(record, asText).replaceAll(/"#(\d+)#"/g, '$1');
});

async function open(maxFields: number): Promise<QueryRunner> {
  const folder = makeFolder({ 'edge_logs.ndjson': lines.join('\n') });
  const loaded = await loadFolder(folder, { maxFields });
  const sources = loaded.sources.filter(({ name }) => name === 'edge_logs');
  const options = { databaseFile: loaded.database, sources, threads: 2, callers: 1 };
  const limits = { maxConcurrentQueries: 2, maxQueuedQueries: 2, queryTimeoutMs: 30_000 };
  const sizes = { maxResultBytes: 1_000_000, maxResidentBytes: 2_000_000_000 };
  const engine = await openDuckDbEngine({ ...options, ...limits, ...sizes });
  return createQueryRunner(createCompiler(sources), engine);
}

let typed: QueryRunner;
let given: QueryRunner;

beforeAll(async () => {
  typed = await open(2000);
  given = await open(0);
});
afterAll(() => Promise.all([typed.close(), given.close()]));

const from = '`logs.edge_logs` as t, unnest(t.metadata) as m';

/** Queries whose answer is the same. */
const alike: readonly string[] = [
  `select t.id, z.n + 0 as n from ${from}, unnest(m.zz) as z order by 1`,
  `select t.id, d.b from ${from}, unnest(m.zz) as z, unnest(z.deep) as d order by 1`,
  `select t.id, d.b from ${from} left join unnest(m.zz) as z left join unnest(z.deep) as d order by 1`,
  `select t.id, l.b from ${from}, unnest(m.list) as l order by 1, 2`,
  `select t.id, l.b, o from ${from}, m.list as l with offset as o order by 1, 3`,
  `select t.id, m.zz[safe_offset(0)].deep[safe_offset(0)].b as v from ${from} order by 1`,
  `select t.id, m.ZZ[safe_offset(0)].Deep[safe_offset(0)].B as v from ${from} order by 1`,
  `select t.id, m.mixed, m.MIXED as again from ${from} order by 1`,
  `select t.id from ${from} where 'u' in unnest(m.tags) order by 1`,
  `select t.id from ${from} where array_length(m.tags) > 1`,
  `select t.id from ${from} where m.n > 9`,
  `select t.id from ${from} where m.n between 2 and 10 order by 1`,
  `select m.mail, count(*) as c from ${from} group by m.mail order by m.mail`,
  `select t.id from ${from} where exists (select 1 from unnest(m.list) as l where l.b = 'q') order by 1`,
  `select t.id, (select l.b from unnest(m.list) as l limit 1) as v from ${from} order by 1`,
  `select t.id, (select max(l.b) from unnest(m.list) as l where t.word = 'two') as v from ${from} order by 1`,
  `select t.id, a.a from \`logs.edge_logs\` as t, unnest(t.top) as a order by 1`,
  `select t.id, t.word, upper(t.WORD) as v from \`logs.edge_logs\` as t order by 1`,
  "select t.id from `logs.edge_logs` as t where t.word = 'two'",
  `select t.id, s.zz.x as v from (select t.id, struct(m.mail as x) as zz from ${from}) as t, unnest([t]) as s order by 1`,
];

describe('the same answer', () => {
  test.each(alike)('%s', async (sql) => {
    const expected = await typed.run(sql);
    expect(expected.length).toBeGreaterThan(0);
    expect(await given.run(sql)).toEqual(expected);
    const caller = sql.replaceAll('`logs.edge_logs`', 'logs');
    const stored = 'with logs as (select * from `logs.edge_logs`) select * from logs';
    expect(await given.run(stored, { caller })).toEqual(expected);
    const redacted = await typed.run(stored, { caller, redact: true });
    expect(await given.run(stored, { caller, redact: true })).toEqual(redacted);
  });
});

describe('the same answer in LQL', () => {
  test.each([
    'm.zz.deep.b:x',
    'm.list.b:p s:m.list.b',
    'm.n:>9',
    'm.tags:@>u',
    's:m.ZZ.deep.b',
    'm.mixed:NULL',
    'top.a:one',
    'word:two s:word',
  ])('%s', async (lql) => {
    const text = `${lql.replaceAll('m.', 'metadata.')} s:id`;
    const expected = await runLql(typed, text);
    expect(JSON.parse(expected).length).toBeGreaterThan(0);
    expect(await runLql(given, text)).toBe(expected);
  });
});

async function runLql({ compiler, engine }: QueryRunner, text: string): Promise<string> {
  const sql = 'with logs as (select * from `logs.edge_logs`) select id from logs';
  const endpoint = { name: 'logs', sql, maxRows: 10, parameters: [] };
  const query = compiler.compile(endpoint, { language: 'lql', text });
  const statement = bindStatement(query, {}, { maxRows: 10, now, redact: false });
  const { body } = await engine.run(statement, { signal: new AbortController().signal });
  return Buffer.from(body).toString();
}

test('values stay as they are written', async () => {
  const rows = await given.run(`select m.big, m.flag, m.zz from ${from} order by t.id limit 1`);
  expect(rows).toEqual([
    { big: '12345678901234567890', flag: 'true', zz: '{"deep":{"b":"x"},"n":7}' },
  ]);
});

test('whole records show the text only where they have it', async () => {
  const [first, , last] = await given.run('select metadata from `logs.edge_logs` order by id');
  expect(JSON.stringify(first)).toContain('_other_fields');
  expect(JSON.stringify(last)).not.toContain('_other_fields');
  const texts = await given.run(`select to_json_string(m) as v from ${from} order by t.id`);
  expect(texts.map(({ v }) => String(v).includes('_other_fields'))).toEqual([true, true, false]);
});

test('a declared field is never taken from a text, and one that needs a join is named with it', async () => {
  const wrong = 'select method from `logs.edge_logs` as t, unnest(t.metadata) as m';
  await expect(given.run(wrong)).rejects.toThrow('cross join');
});

test.each([
  `select mial from ${from}`,
  `select b from ${from}, unnest(m.list)`,
  'select word from `logs.edge_logs`',
  `select t.id from ${from} where exists (select 1 from unnest(m.zz) as z where wrong = 'x')`,
])('a name in a text is read only with that of its record: %s', async (sql) => {
  await expect(given.run(sql)).rejects.toThrow('Unrecognized name');
});

test('without such a text a wrong name is an error with a suggestion', async () => {
  await expect(typed.run(`select m.mial from ${from}`)).rejects.toThrow('did you mean mail');
  await expect(typed.run(`select mial from ${from}`)).rejects.toThrow('did you mean mail');
});
