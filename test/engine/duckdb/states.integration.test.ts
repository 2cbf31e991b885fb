import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, describe, expect, test } from 'vitest';
import { connectTo, openDuckDbEngine } from '../../../src/engine/duckdb/duckdb.js';
import { openDatabase } from '../../../src/engine/duckdb/lockdown.js';
import type { EngineData, State } from '../../../src/engine/duckdb/states.js';
import { tryLocks } from '../../../src/engine/duckdb/try-locks.js';

const folder = mkdtempSync(join(tmpdir(), 'states-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A database file with records that are nested, and their newest rows. */
async function write(name: string, records: number, more = ''): Promise<string> {
  const file = join(folder, `it's ${name}.duckdb`);
  const writer = await DuckDBInstance.create(file);
  const connection = await writer.connect();
  await connection.run(`create table web as
    select '${name}' || md5(i::varchar) as id, make_timestamp(i * 1000000)::timestamptz as timestamp,
      {'a b': [i, null], "order": {'c': '{"x": 1}'::json, 'd': 'ü' || i}} as metadata ${more}
    from range(${records}) as t(i)`);
  await connection.run(`create schema newest;
    create table newest.web as select 'p' as project, 'printed'::blob as "rows";
    comment on table newest.web is 'its print'`);
  connection.closeSync();
  writer.closeSync();
  return file;
}

const newest = [{ source: 'web', columns: ['id'], prints: ['its print'] as const }];
const columns = ['id', 'timestamp', 'metadata'].map((name) => ({ name }));

function stateOf(...files: readonly string[]): EngineData {
  const parts = files.map((file, part) => ({ file, view: `web/${part}` }));
  return { databaseFile: files[0] ?? '', sources: [{ name: 'web', columns, parts }], newest };
}

const [large, one, two, other] = await Promise.all([
  write('l', 300_000),
  write('o', 3_000),
  write('t', 2),
  write('x', 1, ", 'new' as more"),
]);
const limits = { queryTimeoutMs: 5_000, maxResultBytes: 1_000_000, threads: 1 };

describe('a state that is opened in a locked instance', () => {
  async function open() {
    const database = await openDatabase({ ...stateOf(large), ...limits });
    const rowsOf = async (state: State, sql: string) => {
      const connection = await connectTo(database.instance, state);
      const reader = await connection.runAndReadAll(sql);
      connection.closeSync();
      return reader.getRowsJson();
    };
    const next = async (...files: readonly string[]) => {
      const state = await database.openNext(stateOf(...files));
      if (state === undefined) throw new Error('the state is not opened');
      return state;
    };
    return { database, rowsOf, next };
  }

  const all = 'select * from logs.web order by "part id", "row id"';

  test('has the records of its files, in their order, and their newest rows', async () => {
    const { database, rowsOf, next } = await open();
    const state = await next(one, two);
    const fresh = await openDatabase({ ...stateOf(one, two), ...limits });
    const connection = await connectTo(fresh.instance, fresh.first);
    expect(await rowsOf(state, all)).toEqual((await connection.runAndReadAll(all)).getRowsJson());
    const printed = 'select part, project, "rows" from newest.web order by part';
    expect(await rowsOf(state, printed)).toEqual(
      (await connection.runAndReadAll(printed)).getRowsJson(),
    );
    expect([state.newest, fresh.first.newest]).toEqual([newest, newest]);
    fresh.close();
    database.close();
  });

  test('shares what it has with the others, and each sees its own', async () => {
    const { database, rowsOf, next } = await open();
    const count = 'select count(*)::integer from logs.web';
    const later = await next(large, two);
    const last = await next(large, two, one);
    const counts = async (...states: readonly State[]) => {
      const rows = await Promise.all(states.map((state) => rowsOf(state, count)));
      return rows.map(([row]) => row?.[0]);
    };
    expect(await counts(database.first, later, last)).toEqual([300_000, 300_002, 303_002]);
    await database.first.close();
    expect(await counts(later, last)).toEqual([300_002, 303_002]);
    await later.close();
    expect(await counts(last)).toEqual([303_002]);
    const names = `select count(*)::integer from duckdb_databases() where not internal`;
    // The database of the instance, that of the macros, three of files, and that of the views.
    expect(await rowsOf(last, names)).toEqual([[6]]);
    database.close();
  });

  test('has parts with other columns, each by itself', async () => {
    const { database, rowsOf } = await open();
    const state = stateOf(large, other);
    const more = { name: 'more', type: { kind: 'STRING' }, stored: true } as const;
    const sources = state.sources.map(({ name, parts = [] }) => ({
      ...{ name, columns: [...columns, more] },
      parts: parts.map((part) => (part.file === large ? { ...part, columns: [] } : part)),
    }));
    const next = await database.openNext({ ...state, sources });
    if (next === undefined) throw new Error('the state is not opened');
    expect(await rowsOf(next, 'select more from logs."web/1"')).toEqual([['new']]);
    const counted = 'select count(*)::integer, max("part id")::integer from logs."web/0"';
    expect(await rowsOf(next, counted)).toEqual([[300_000, 0]]);
    await expect(rowsOf(next, 'select id from logs.web')).rejects.toThrow('does not exist');
    database.close();
  });

  test('is under all locks', async () => {
    const { database, next } = await open();
    const connection = await connectTo(database.instance, await next(one));
    const locked = { databaseFile: one, database: database.first.main };
    expect(await tryLocks(connection, locked)).toEqual([]);
    connection.closeSync();
    database.close();
  });

  test('is under all locks while its files enter, as are the states before it', async () => {
    const { database, next } = await open();
    const connection = await connectTo(database.instance, database.first);
    const locked = { databaseFile: one, database: database.first.main };
    let isOpen = false;
    const opening = next(one, two).then(() => {
      isOpen = true;
    });
    let tries = 0;
    for (; !isOpen; tries += 1) expect(await tryLocks(connection, locked)).toEqual([]);
    await opening;
    expect(tries).toBeGreaterThan(0);
    connection.closeSync();
    database.close();
  });

  test('is opened in another instance if much of it is new', async () => {
    const database = await openDatabase({ ...stateOf(one), ...limits });
    expect(await database.openNext(stateOf(one, large))).toBeUndefined();
    database.close();
  });

  test('leaves nothing behind if it cannot be opened', async () => {
    const { database, rowsOf, next } = await open();
    const broken = { ...stateOf(one), sources: [{ name: 'none', columns }] };
    await expect(database.openNext(broken)).rejects.toThrow('none');
    const state = await next(one);
    expect(await rowsOf(state, 'select count(*)::integer from logs.web')).toEqual([[3_000]]);
    database.close();
  });
});

test('an engine over later data answers as one of its own, also after those before are closed', async () => {
  const engine = await openDuckDbEngine({ ...stateOf(large), ...limits });
  const later = await engine.openNext({ ...stateOf(large, two), ...limits });
  if (later === undefined) throw new Error('the data are not opened');
  const { signal } = new AbortController();
  const statement = {
    sql: 'select encode(cast(count(*) as varchar)) from "logs"."web" as "t"',
    ...{ tables: ['logs.web'], values: {}, maxRows: 10 },
  };
  const count = async () => Buffer.from((await later.run(statement, { signal })).body).toString();
  expect(await count()).toBe('[300002]');
  await engine.close();
  expect(await count()).toBe('[300002]');
  expect(await later.openNext({ ...stateOf(two), ...limits, threads: 2 })).toBeUndefined();
  await later.close();
  expect(await later.openNext({ ...stateOf(two), ...limits })).toBeUndefined();
});
