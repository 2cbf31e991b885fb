import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnDuckDbEngine, openDuckDbEngine } from '../../../src/engine/duckdb/duckdb.js';
import type { EngineData } from '../../../src/engine/duckdb/states.js';
import type { ExplainingEngine } from '../../../src/engine/engine.js';

const folder = mkdtempSync(join(tmpdir(), 'attached-states-'));
let first: OwnDuckDbEngine;

/** A state with one record in each of its parts. */
async function state(name: string, parts = 1): Promise<EngineData> {
  const files = Array.from({ length: parts }, (_, part) => join(folder, `${name}-${part}.duckdb`));
  for (const file of files) {
    const writer = await DuckDBInstance.create(file);
    const connection = await writer.connect();
    await connection.run(`create table web as select '${name}' as id`);
    connection.closeSync();
    writer.closeSync();
  }
  const views = files.map((file, part) => ({ file, view: `web/${part}` }));
  const web = { name: 'web', columns: [{ name: 'id' }], parts: views };
  return { databaseFile: files[0] ?? '', sources: [web] };
}

async function ids(
  engine: ExplainingEngine,
  sql = 'select encode("t"."id") from "logs"."web" as "t"',
) {
  const select = { sql, tables: ['logs.web', 'logs.web/0'], values: {}, maxRows: 10 };
  const { body: json } = await engine.run(select, { signal: new AbortController().signal });
  return Buffer.from(json).toString();
}

/** Opens a state in the instance of the first one. */
async function openNext(data: EngineData): Promise<OwnDuckDbEngine> {
  const engine = await first.openNext({ ...data, ...limits, folder });
  if (engine === undefined) throw new Error('another instance is needed');
  return engine;
}

const limits = { queryTimeoutMs: 5_000, maxResultBytes: 1_000, threads: 1 };
beforeAll(async () => {
  first = await openDuckDbEngine({ ...(await state('first')), ...limits, folder });
});
afterAll(() => rmSync(folder, { recursive: true }));

test('each engine reads its own state, and closing one leaves the others', async () => {
  const [one, two] = [await state('a'), await state('b', 2)];
  const [a, b, again] = await Promise.all([one, two, one].map((data) => openNext(data)));
  if (!a || !b || !again) throw new Error('an engine is missing');
  expect(await Promise.all([a, b, again].map((each) => ids(each)))).toEqual([
    '[a]',
    '[b,b]',
    '[a]',
  ]);
  await Promise.all([a.close(), b.close()]);
  expect(await ids(again)).toBe('[a]');
  await again.close();
  const reopened = await openNext(two);
  expect(await ids(reopened, 'select encode("t"."id") from "logs"."web/0" as "t"')).toBe('[b]');
  await reopened.close();
});

test('a state that cannot be opened leaves nothing behind', async () => {
  const sound = await state('c');
  const broken = { ...sound, sources: [{ name: 'none', columns: [] }] };
  await expect(openNext(broken)).rejects.toThrow('none');
  const engine = await openNext(sound);
  expect(await ids(engine)).toBe('[c]');
  await engine.close();
});

test('files are out of reach: of other folders by the locks, of its own by verification', async () => {
  const other = { ...(await state('d')), databaseFile: join(tmpdir(), 'other.duckdb') };
  await expect(openNext(other)).rejects.toThrow('disabled by configuration');
  const engine = await openNext(await state('e'));
  const read = `select encode(t.size::varchar) from read_blob('${folder}/e-0.duckdb') as t`;
  await expect(ids(engine, read)).rejects.toMatchObject({ kind: 'Refused statement' });
  const name = "select encode(database_name) from duckdb_databases() where database_name <> 'x'";
  await expect(ids(engine, name)).rejects.toMatchObject({ kind: 'Refused statement' });
  await engine.close();
});
