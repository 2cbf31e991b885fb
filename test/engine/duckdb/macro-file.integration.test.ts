import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildMacros, findOrderFault } from '../../../scripts/macro-file.mjs';
import { attachMacros, createMacros, readMacros } from '../../../src/engine/duckdb/macro-file.js';
import { macros } from '../../support/macros.js';
import { root } from '../../support/paths.js';
import { openScratch, type ScratchDatabase } from '../../support/scratch-database.js';

const text = `
  create macro bq.twice(x) as x * 2;
  create macro bq.fourfold(x) as bq.twice(bq.twice(x));
  create macro bq.pii_word_pattern() as 'a' || 'b';`;
const names = ['fourfold', 'pii_word_pattern', 'twice'];

let folder: string;
let connection: ScratchDatabase['connection'];
let close: ScratchDatabase['close'];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'log-endpoints-test-'));
  ({ connection, close } = await openScratch());
});

afterEach(() => {
  close();
  rmSync(folder, { recursive: true, force: true });
});

async function attached(sql = text): Promise<readonly string[]> {
  return [...(await attachMacros(connection, sql, folder))].sort();
}

async function firstOf(sql: string): Promise<unknown> {
  return (await connection.runAndReadAll(sql)).getRows()[0]?.[0];
}

async function path(): Promise<unknown> {
  return firstOf("select path from duckdb_databases() where database_name = 'bq'");
}

function onlyFile(): string {
  const [name = '', ...more] = readdirSync(folder);
  expect(more).toEqual([]);
  return join(folder, name);
}

describe('the macros', () => {
  test('come from the file that the build made of the same text', async () => {
    await buildMacros(text, folder);
    expect(await attached()).toEqual(names);
    expect(await path()).toBe(onlyFile());
    expect(await firstOf('select bq.fourfold(3)')).toBe(12);
    expect(await firstOf('select bq.pii_word_pattern()')).toBe('ab');
  });

  test('cannot be changed in an engine that attached the file', async () => {
    await buildMacros(text, folder);
    await attached();
    const change = connection.run('create or replace macro bq.twice(x) as x');
    await expect(change).rejects.toThrow('attached in read-only mode');
  });

  test('of an older build are removed, and a failed build leaves nothing', async () => {
    await buildMacros(text, folder);
    const before = onlyFile();
    await buildMacros(`${text} create macro bq.more(x) as x;`, folder);
    const after = onlyFile();
    expect(after).not.toBe(before);
    await expect(buildMacros('create macro bq.faulty() as nothing(1);', folder)).rejects.toThrow();
    expect(onlyFile()).toBe(after);
  });

  test.each<[string, (file: string) => unknown]>([
    ['is missing', (file) => unlinkSync(file)],
    ['is empty', (file) => truncateSync(file)],
    ['is cut off', (file) => truncateSync(file, 20_000)],
    ['is no database', (file) => writeFileSync(file, 'nothing of ours'.repeat(10_000))],
    ['is damaged', (file) => writeFileSync(file, damaged(readFileSync(file)))],
    ['is of something else', (file) => foreign(file)],
  ])('come from the text if the file %s', async (_how, harm) => {
    await buildMacros(text, folder);
    await harm(onlyFile());
    expect(await attached()).toEqual(names);
    expect(await path()).toBeNull();
    expect(await firstOf('select bq.fourfold(3)')).toBe(12);
  });

  test('come from the text if it has changed since the build', async () => {
    await buildMacros(text, folder);
    expect(await attached(text.replace('x * 2', 'x * 20'))).toEqual(names);
    expect(await firstOf('select bq.fourfold(3)')).toBe(1200);
  });
});

test('the build made a file of the macros in the sources', async () => {
  const built = await attachMacros(connection, macros);
  expect(String(await path())).toContain(join(root, 'dist'));
  await connection.run('detach bq');
  expect(built).toEqual(await createMacros(connection, macros));
});

describe('the order of the macros', () => {
  test('lists every file', () => {
    const folder = join(root, 'sql/bigquery');
    const order = JSON.parse(readFileSync(join(folder, 'order.json'), 'utf8')) as string[];
    const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
    expect(order.map((name) => `${name}.sql`).sort()).toEqual(files.sort());
  });

  test('creates each macro before those that use it', () => {
    expect(findOrderFault(readMacros())).toBeUndefined();
  });

  test.each([
    [
      'create macro bq.a() as bq.b();\ncreate macro bq.b() as 1;',
      'bq.a uses bq.b, which is created later',
    ],
    ['create macro bq.a() as bq.c();', 'bq.a uses bq.c, which no file of sql/bigquery defines'],
  ])('explains what is wrong with %s', async (sql, message) => {
    await expect(buildMacros(sql, folder)).rejects.toThrow(message);
  });
});

/** Changes a byte in the middle of each block, so that the headers stay valid. */
function damaged(bytes: Buffer): Buffer {
  for (let at = 12_288 + 300; at < bytes.length; at += 4_096)
    bytes.writeUInt8(~bytes.readUInt8(at) & 255, at);
  return bytes;
}

async function foreign(file: string): Promise<void> {
  unlinkSync(file);
  await connection.run(`attach '${file}' as other`);
  await connection.run('create macro other.twice(x) as x; detach other');
}
