import { afterAll, expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { loadFolder, makeFolder } from '../support/load-logs.js';
import { createQueryRunner, type QueryRunner } from '../support/run-query.js';

// The meaning of one project's query does not depend on a line that another project adds.

const own = [0, 1].map((n) => ({
  id: `${n}`,
  timestamp: `2026-03-01T00:00:0${n}Z`,
  project: 'acme',
  metadata: {
    level: 'info',
    request: { method: 'GET', path: `/${n}` },
    zz: { b: `b${n}`, deep: { d: `d${n}` } },
    list: [{ e: `e${n}` }],
    mixed: n,
  },
}));

/** Lines that make a text of each undeclared field, and that have each name at other places. */
const other = {
  id: 'evil',
  timestamp: '2026-03-01T00:00:09Z',
  project: 'evil',
  path: 'x',
  b: 'x',
  mixed: 1,
  metadata: { path: 'x', b: 'x', d: 'x', e: 'x', zz: 'odd', list: 'odd', request: { level: 'x' } },
};

const runners: QueryRunner[] = [];
afterAll(() => Promise.all(runners.map((runner) => runner.close())));

async function open(lines: readonly object[]): Promise<QueryRunner> {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  const loaded = await loadFolder(makeFolder({ 'edge_logs.ndjson': text }));
  const sources = loaded.sources.filter(({ name }) => name === 'edge_logs');
  const options = { databaseFile: loaded.database, sources, threads: 2, callers: 1 };
  const limits = { maxConcurrentQueries: 2, maxQueuedQueries: 2, queryTimeoutMs: 30_000 };
  const sizes = { maxResultBytes: 1_000_000, maxResidentBytes: 2_000_000_000 };
  const engine = await openDuckDbEngine({ ...options, ...limits, ...sizes });
  const runner = createQueryRunner(createCompiler(sources), engine);
  runners.push(runner);
  return runner;
}

const worlds = Promise.all([open(own), open([...own, other])]);
const from =
  "(select * from `logs.edge_logs` where project = 'acme') as t, unnest(t.metadata) as m";

test.each([
  `select t.id, path from ${from}, unnest(m.request) as r order by t.id`,
  `select t.id, level from ${from}, unnest(m.request) as r order by t.id`,
  `select t.id, b from ${from}, unnest(m.zz) as z order by t.id`,
  `select t.id, d from ${from}, unnest(m.zz), unnest(deep) order by t.id`,
  `select t.id, e from ${from}, unnest(list) order by t.id`,
  `select t.id from ${from} where exists (select 1 from unnest(zz) where b = 'b1')`,
  `select b, count(*) as n from ${from}, unnest(m.zz) group by b order by b`,
  `select t.id, search(t, 'nowhere') as a, contains_substr(t, 'nowhere') as b from ${from} order by t.id`,
  `select t.id, search(m, 'nowhere') as a, contains_substr(m, 'nowhere') as b from ${from} order by t.id`,
])('%s', async (sql) => {
  const [before, after] = await worlds;
  const expected = await before.run(sql);
  expect(expected.length).toBeGreaterThan(0);
  expect(await after.run(sql)).toEqual(expected);
});

test('a wrong name stays an error', async () => {
  const [before, after] = await worlds;
  for (const runner of [before, after]) {
    const wrong = runner.run(`select bb from ${from}, unnest(m.zz)`);
    await expect(wrong).rejects.toThrow('Unrecognized name: bb');
  }
});
