import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RowsIn, withParts } from '../../../src/logs/load/attach-parts.js';

let root = '';
let connection: DuckDBConnection;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'attach-parts-'));
  const part = join(root, 'part.duckdb');
  const written = await DuckDBInstance.create(part);
  await (await written.connect()).run('create table logs as select 1 as id');
  written.closeSync();
  connection = await (await DuckDBInstance.create()).connect();
});
afterEach(() => rmSync(root, { recursive: true }));

const columns = [{ name: 'id', type: { kind: 'INT64' }, stored: true }] as const;

const run = <T>(work: (rowsIn: RowsIn) => Promise<T>) => {
  const parts = [{ file: join(root, 'part.duckdb'), columns, records: 1 }];
  return withParts(connection, { source: { name: 'logs', columns }, parts }, work);
};

const attached = async () =>
  (
    await connection.runAndReadAll(
      "select database_name from duckdb_databases() where database_name like 'part%'",
    )
  ).getRows();

test('parts are attached while the work runs', async () => {
  const rows = await run(async (rowsIn) => {
    return (await connection.runAndReadAll(rowsIn(columns).join())).getRows();
  });
  expect(rows).toEqual([[1n]]);
  expect(await attached()).toEqual([]);
});

test('parts are detached after work that failed', async () => {
  await expect(run(() => Promise.reject(new Error('bad')))).rejects.toThrow('bad');
  expect(await attached()).toEqual([]);
});

test('the error of the work is thrown if detaching fails too', async () => {
  const work = async () => {
    await connection.run('detach part_0');
    throw new Error('out of memory');
  };
  await expect(run(work)).rejects.toThrow('out of memory');
});
