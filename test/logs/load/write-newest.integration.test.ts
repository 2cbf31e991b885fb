import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { load } from '../../../src/logs/load/load.js';
import { newestTable } from '../../../src/rows/newest-table.js';
import { unpackRows } from '../../../src/rows/row-block.js';
import { declared, jobsOf, makeFolder } from '../../support/load-logs.js';

const edge = declared.filter(({ name }) => name === 'edge_logs');

/** Lines of projects, in order of time; each has so many, one after another, with these fields, too. */
function linesOf(
  counts: Readonly<Record<string, number>>,
  more: (project: string) => object = () => ({}),
) {
  let second = 0;
  const lines = Object.entries(counts).flatMap(([project, count]) =>
    Array.from({ length: count }, (_, n) => {
      second += 1;
      const timestamp = new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
      const fields = { id: `${project}${n}`, timestamp, project, event_message: 'x' };
      return JSON.stringify({ ...fields, ...more(project) });
    }),
  );
  return `${lines.join('\n')}\n`;
}

async function read(database: string, source = 'edge_logs') {
  const instance = await DuckDBInstance.create(database, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const tables = await connection.runAndReadAll(
    "select table_name, comment from duckdb_tables() where schema_name = 'newest'",
  );
  const blocks =
    tables.getRows().length === 0
      ? []
      : (
          await connection.runAndReadAll(
            `select project, is_last, "rows" from newest.${source} order by project, newest desc`,
          )
        ).getRowObjects();
  connection.closeSync();
  instance.closeSync();
  return { tables: tables.getRowObjectsJson(), blocks };
}

async function loaded(
  counts: Readonly<Record<string, number>>,
  newestRows: number,
  { name = 'edge_logs', more }: Partial<OtherLines> = {},
) {
  const folder = makeFolder({ [`${name}.ndjson`]: linesOf(counts, more) });
  const database = join(folder, 'logs.duckdb');
  const limits = { memoryLimit: '1GB', threads: 1, newestRows };
  const own = declared.filter((source) => source.name === name);
  const [source] = await load({ ...limits, sources: jobsOf(folder, own), database });
  const stored = await read(database, name);
  rmSync(dirname(database), { recursive: true });
  return { source, ...stored };
}

/** Lines of another source, or with other fields. */
interface OtherLines {
  readonly name: string;
  readonly more: (project: string) => object;
}

/** The blocks with the number of their rows, and the first and the last id. */
function idsInBlocks(blocks: Awaited<ReturnType<typeof read>>['blocks']) {
  return blocks.map(({ project, is_last: isLast, rows }) => {
    const { bytes } = rows as { readonly bytes: Uint8Array };
    const ids = unpackRows(bytes).map((row) => JSON.parse(row.split('\x1f')[0] ?? ''));
    return [project, isLast, ids.length, ids[0], ids.at(-1)];
  });
}

test('each project has its newest rows and one more, in blocks of a hundred', async () => {
  const { source, tables, blocks } = await loaded({ a: 350, b: 250, c: 3 }, 250);
  const schema = source && { ...source.schema, projectPath: ['project'] };
  const print = schema && newestTable(schema)?.prints[0];
  expect(tables).toEqual([{ table_name: 'edge_logs', comment: print }]);
  expect(idsInBlocks(blocks)).toEqual([
    ['a', false, 100, 'a349', 'a250'],
    ['a', false, 100, 'a249', 'a150'],
    ['a', false, 51, 'a149', 'a99'],
    ['b', false, 100, 'b249', 'b150'],
    ['b', false, 100, 'b149', 'b50'],
    ['b', true, 50, 'b49', 'b0'],
    ['c', true, 3, 'c2', 'c0'],
  ]);
});

describe('a table with no more rows than each project may keep has all of them', () => {
  const [counts, all] = [
    { a: 150, b: 3 },
    [
      ['a', false, 100, 'a149', 'a50'],
      ['a', true, 50, 'a49', 'a0'],
      ['b', true, 3, 'b2', 'b0'],
    ],
  ];

  test('in blocks of a hundred', async () => {
    expect(idsInBlocks((await loaded(counts, 153)).blocks)).toEqual(all);
  });

  test('also if its columns have the names that the query uses', async () => {
    const names = { rank: 'x', row: 'x', is_last: 'x', count: 'x', records: 'x', floors: 'x' };
    const { blocks } = await loaded(counts, 300, { more: () => names });
    expect(idsInBlocks(blocks)).toEqual(all);
  });

  test('also if its project is in another field than project', async () => {
    const own = (project: string) => ({ project: 'q', metadata: { project_ref: project } });
    const { blocks } = await loaded(counts, 300, { name: 'function_logs', more: own });
    expect(idsInBlocks(blocks)).toEqual(all);
  });

  test('none, in a table without blocks', async () => {
    const { tables, blocks } = await loaded({}, 300);
    expect([tables.length, blocks]).toEqual([1, []]);
  });
});

/** The project and size of each block, and whether it is the last one. */
function shownBlocks({ blocks }: Awaited<ReturnType<typeof read>>) {
  return blocks.map(({ project, is_last: isLast, rows }) => [
    project,
    unpackRows((rows as { bytes: Uint8Array }).bytes).length,
    isLast,
  ]);
}

test('merged parts have the newest rows of both', async () => {
  const folder = makeFolder({ 'edge_logs.ndjson': linesOf({ a: 130, b: 3 }) });
  const limits = { memoryLimit: '1GB', threads: 1, newestRows: 150 };
  const [one, other, merged] = ['one', 'other', 'merged'].map((name) =>
    join(folder, `${name}.duckdb`),
  );
  const sources = jobsOf(folder, edge);
  const [loaded] = await load({ ...limits, sources, database: one ?? '' });
  await load({ ...limits, sources, database: other ?? '' });
  const [source] = edge;
  if (source === undefined || loaded === undefined) throw new Error('nothing was loaded');
  const { schema, contents } = loaded;
  const { columns } = schema;
  const parts = [one, other].map((file = '') => ({ file, columns, records: 133 }));
  const merge = { source, base: schema, typed: columns, contents, files: [], parts };
  await load({ ...limits, sources: [merge], database: merged ?? '' });
  expect(shownBlocks(await read(merged ?? ''))).toEqual([
    ['a', 100, false],
    ['a', 51, false],
    ['b', 6, true],
  ]);
  rmSync(folder, { recursive: true });
});

test('a project whose newest record is huge has a block all the same', async () => {
  const huge = { id: 'huge', timestamp: '2026-02-01T00:00:00Z', project: 'a' };
  const lines = `${linesOf({ a: 2 })}${JSON.stringify({ ...huge, event_message: 'x'.repeat(17_000_000) })}\n`;
  const folder = makeFolder({ 'edge_logs.ndjson': lines });
  const database = join(folder, 'logs.duckdb');
  const limits = { memoryLimit: '2GB', threads: 1, newestRows: 100 };
  await load({ ...limits, sources: jobsOf(folder, edge), database });
  expect(shownBlocks(await read(database))).toEqual([['a', 1, false]]);
  rmSync(folder, { recursive: true });
});

test('no rows are kept if none are asked for, or if there are more projects than rows', async () => {
  expect((await loaded({ a: 10 }, 0)).tables).toEqual([]);
  const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, n) => [`p${n}`, 1]));
  expect((await loaded(many, 1_000)).tables).toEqual([]);
});

test('of many projects fewer rows are kept: a fifth of the records', async () => {
  const { blocks } = await loaded({ a: 70_000, b: 49_000, c: 1_000 }, 20_000);
  const kept = blocks.map(({ rows }) => unpackRows((rows as { bytes: Uint8Array }).bytes).length);
  expect(kept.reduce((sum, count) => sum + count, 0)).toBe(1_000 + 2 * 11_501);
});
