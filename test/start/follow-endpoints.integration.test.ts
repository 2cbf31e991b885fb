import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import { compileHere } from '../../src/compiler/compile-sandbox.js';
import { openCatalog } from '../../src/endpoint/catalog.js';
import { createServing } from '../../src/run/serving.js';
import { createRefreshEndpoints, type RefreshEndpoints } from '../../src/start/follow-endpoints.js';
import type { SourceSchema } from '../../src/types/schema.js';
import { scalar } from '../../src/types/types.js';
import { createFakeEngine } from '../support/fake-engine.js';

let shipped = '';
let own = '';
beforeEach(() => {
  shipped = mkdtempSync(join(tmpdir(), 'shipped-'));
  own = mkdtempSync(join(tmpdir(), 'own-'));
});
afterEach(() => {
  for (const folder of [shipped, own]) rmSync(folder, { recursive: true, force: true });
});

function write(name: string, sql: string, folder = own): void {
  writeFileSync(join(folder, `${name}.sql`), sql);
}

function source(column: string): SourceSchema {
  return { name: 'edge_logs', columns: [{ name: column, type: scalar('INT64'), stored: true }] };
}

function state(version: string, column: string) {
  const sources = [source(column)];
  const compiler = createCompiler(sources);
  const engine = createFakeEngine(() => []);
  return { version, compiler, compile: compileHere(compiler), sources, engine };
}

const declared: Parameters<RefreshEndpoints>[0] = [{ ...source('declared'), projectPath: [] }];

/** A refresh of the two folders; `served` says what each endpoint's query is. */
function follow() {
  const { compiler } = state('first', 'a');
  const folders = () => [own, shipped];
  const { catalog } = openCatalog(folders(), compiler);
  const lines: { readonly msg: string; readonly problem?: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const serving = createServing(state('first', 'a'));
  const refreshEndpoints = createRefreshEndpoints({ catalog, folders, serving, log }, declared);
  const bodyOf = (sql: string) => sql.replace(/^--.*\n/gm, '').trim();
  return {
    refresh: (sources = declared) => refreshEndpoints(sources),
    catalog,
    serving,
    served: () =>
      Object.fromEntries(catalog.endpoints.map(({ name, sql }) => [name, bodyOf(sql)]).sort()),
    problems: () => lines.flatMap(({ problem }) => problem ?? []),
    changes: () => lines.filter(({ msg }) => msg === 'endpoints').length,
  };
}

test('new, changed and removed files are taken up, each by itself', async () => {
  write('kept', 'select 1 as n');
  write('gone', 'select 2 as n');
  write('shadow', 'select 3 as n', shipped);
  const { refresh, served, catalog } = follow();
  const before = catalog.version;
  write('kept', '-- max-rows: 5\n--\nselect 10 as n');
  write('new', 'select 4 as n');
  write('shadow', 'select 30 as n');
  rmSync(join(own, 'gone.sql'));
  await refresh();
  expect(served()).toEqual({
    kept: 'select 10 as n',
    new: 'select 4 as n',
    shadow: 'select 30 as n',
  });
  expect(catalog.version).not.toBe(before);
  expect(catalog.find('kept').maxRows).toBe(5);
  expect(() => catalog.find('gone')).toThrow('Endpoint not found: gone');
  rmSync(join(own, 'shadow.sql'));
  await refresh();
  expect(served().shadow).toBe('select 3 as n');
});

test('of a file with faults the old version stays; the log says why, once', async () => {
  write('good', 'select 1 as n');
  write('bad', 'select 2 as n', shipped);
  const { refresh, served, problems, catalog } = follow();
  write('bad', 'select nothing as n');
  write('good', 'select 10 as n');
  write('other', 'selec 1');
  await expect(refresh()).rejects.toThrow('bad.sql:1:8: Unrecognized name: nothing');
  expect(served()).toEqual({ bad: 'select 2 as n', good: 'select 10 as n' });
  const { version } = catalog;
  await expect(refresh()).rejects.toThrow();
  expect(problems()).toHaveLength(2);
  expect(catalog.version).toBe(version);
  write('bad', 'select 20 as n');
  rmSync(join(own, 'other.sql'));
  await refresh();
  expect(served()).toEqual({ bad: 'select 20 as n', good: 'select 10 as n' });
});

test('an id that the old version of file still has changes nothing', async () => {
  const id = '-- id: 5d9d7c1e-2b44-4b6f-8c1c-9a7f3f5b6e02\n--\n';
  write('first', `${id}select 1 as n`);
  write('second', 'select 2 as n', shipped);
  const { refresh, served } = follow();
  write('first', 'selec 1');
  write('second', `${id}select 20 as n`);
  await expect(refresh()).rejects.toThrow('is also the id of first.sql as served');
  expect(Object.keys(served())).toEqual(['first', 'second']);
  expect(served().second).toBe('select 2 as n');
});

test('a file that reads a column of newer logs is taken up once they are served', async () => {
  write('one', 'select a from `logs.edge_logs`');
  write('two', 'select 2 as n', shipped);
  const { refresh, served, serving } = follow();
  write('one', 'select b from `logs.edge_logs`');
  await expect(refresh()).rejects.toThrow('Unrecognized name: b');
  await serving.replace(state('second', 'b'));
  await refresh();
  expect(served()).toMatchObject({ one: 'select b from `logs.edge_logs`' });
});

test('a folder that cannot be read, or is empty, is no reason to stop', async () => {
  write('one', 'select 1 as n');
  write('two', 'select 2 as n', shipped);
  const { refresh, served, problems } = follow();
  rmSync(join(own, 'one.sql'));
  await refresh();
  expect(served()).toEqual({ two: 'select 2 as n' });
  rmSync(own, { recursive: true });
  await expect(refresh()).rejects.toThrow('Cannot read the folder of endpoint files');
  expect([served(), problems().length]).toEqual([{ two: 'select 2 as n' }, 1]);
});

test('all files are compiled again when other sources are declared', async () => {
  write('one', 'select a from `logs.edge_logs`');
  write('two', 'select 2 as n', shipped);
  const { refresh, serving } = follow();
  await serving.replace(state('second', 'b'));
  await refresh();
  await expect(refresh([...declared])).rejects.toThrow('Unrecognized name: a');
});

test('an endpoint that reads another follows its file, and stays with its old text while that has faults', async () => {
  const reader = 'select * from inner_';
  write('inner_', 'select 1 as one');
  write('reader', reader);
  write('two', 'select 2 as n', shipped);
  const { refresh, catalog } = follow();
  const { compiler } = state('first', 'a');
  const columns = () => compiler.compile(catalog.find('reader')).columns.map(({ name }) => name);
  write('inner_', 'select 2 as two');
  await refresh();
  expect(columns()).toEqual(['two']);
  write('inner_', '-- redact-pii: tru\n--\nselect 3 as three');
  await expect(refresh()).rejects.toThrow('reader.sql:1:1: inner_.sql, which it reads, has errors');
  expect(columns()).toEqual(['two']);
  rmSync(join(own, 'inner_.sql'));
  await expect(refresh()).rejects.toThrow('reader.sql:1:15: Table not found: inner_');
  expect(columns()).toEqual(['two']);
  write('inner_', '-- redact-pii: true\n--\nselect 4 as four');
  await refresh();
  expect(columns()).toEqual(['four']);
  expect(catalog.find('reader').redactPii).toBe(true);
});
