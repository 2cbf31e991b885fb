import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, describe, expect, test } from 'vitest';
import { checkStatement } from '../../../src/engine/verify/check-statement.js';
import { createVerifyStatement, prepareSelect } from '../../../src/engine/verify/verify.js';
import { root } from '../../support/paths.js';
import { openScratch } from '../../support/scratch-database.js';

/** Statements by the class of what they try: `hostile.json` and `legal.json`. */
const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(root, 'test/engine/verify/statements', name), 'utf8'));
const hostile = Object.entries(read('hostile.json') as Readonly<Record<string, readonly string[]>>);
const legal = read('legal.json') as readonly string[];

const tables = ['logs.web'];
const macros: ReadonlySet<string> = new Set(['divide']);
const claims = { tables: new Set(tables), parameters: new Set(['p_a']), macros };

const { connection, close } = await openScratch();
afterAll(close);

async function serialize(sql: string): Promise<string> {
  const reader = await connection.runAndReadAll('select json_serialize_sql($1::varchar)', [sql]);
  return String(reader.getRows()[0]?.[0]);
}

describe.each(hostile)('%s', (title, statements) => {
  const mayBreak = title === 'texts that do not parse' || title.startsWith('many');

  test.each(statements)('%s', async (sql) => {
    const serialized = await serialize(sql);
    expect(() => checkStatement(serialized, claims)).toThrow(/^Refused statement: /);
    // A statement that the parser cannot read would try nothing.
    const { error_type: kind } = JSON.parse(serialized);
    if (!mayBreak) expect(kind).not.toBe('parser');
  });
});

test.each(legal)('lets in: %s', async (sql) => {
  const serialized = await serialize(sql);
  expect(() => checkStatement(serialized, claims)).not.toThrow();
});

describe('a tree that is not as it was', () => {
  const sql = "select count(*) as x from logs.web as t where t.id = 'a' order by 1 asc limit 1";

  /** Every place in the tree, as the path of keys to it. */
  function pathsOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
    if (typeof value !== 'object' || value === null) return [path];
    return [path, ...Object.entries(value).flatMap(([key, of]) => pathsOf(of, [...path, key]))];
  }

  function changed(tree: unknown, path: readonly string[], change: (node: object) => void) {
    const copy: unknown = structuredClone(tree);
    const node = path.reduce<unknown>((of, key) => (of as Record<string, unknown>)[key], copy);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return undefined;
    change(node);
    return JSON.stringify(copy);
  }

  test('has a property more, at any node', async () => {
    const tree: unknown = JSON.parse(await serialize(sql));
    const trees = pathsOf(tree).flatMap(
      (path) => changed(tree, path, (node) => Object.assign(node, { new_clause: null })) ?? [],
    );
    expect(trees.length).toBeGreaterThan(15);
    for (const text of trees) expect(() => checkStatement(text, claims)).toThrow('new_clause');
  });

  test('has one less, at any node', async () => {
    const tree: unknown = JSON.parse(await serialize(sql));
    const paths = pathsOf(tree).filter((path) => path.length > 0);
    const trees = paths.flatMap((path) => {
      const key = path.at(-1) ?? '';
      return changed(tree, path.slice(0, -1), (node) => Reflect.deleteProperty(node, key)) ?? [];
    });
    expect(trees.length).toBeGreaterThan(80);
    for (const text of trees) {
      expect(() => checkStatement(text, claims), text).toThrow(/^Refused statement/);
    }
  });

  test.each(['', 'null', '[]', '{', '{"error":false}', '{"error":false,"statements":[]}', 'true'])(
    'is %s',
    (text) => {
      expect(() => checkStatement(text, claims)).toThrow(/^Refused statement/);
    },
  );
});

describe('the engine', () => {
  const statement = { sql: 'select $p_a as x', tables, values: { p_a: 'x' }, maxRows: 1 };

  test('parses a statement once', async () => {
    const look = createVerifyStatement(macros);
    let parsed = 0;
    const counting = {
      runAndReadAll: (sql: string, values: string[]) => {
        parsed++;
        return connection.runAndReadAll(sql, values);
      },
    } as unknown as DuckDBConnection;
    await look(counting, statement);
    await look(counting, { ...statement, values: { p_a: 'y' } });
    expect(parsed).toBe(1);
    await expect(look(counting, { ...statement, values: {} })).rejects.toThrow('p_a');
    await expect(look(counting, { ...statement, values: {} })).rejects.toThrow('p_a');
    await look(counting, { ...statement, tables: [] });
    expect(parsed).toBe(4);
  });

  test('never takes a text with a NUL', async () => {
    const look = createVerifyStatement(macros);
    const sql = 'select 1 as x\0; select 2 as x';
    await expect(look(connection, { ...statement, sql })).rejects.toThrow('Refused statement');
  });

  test.each([
    ['two', 'select 1; select 2'],
    ['no SELECT', 'set variable x = 1'],
    ['no SELECT', 'create temp table x as select 1'],
    ['no SELECT', 'explain select 1'],
  ])('prepares one SELECT alone, not %s: %s', async (_, sql) => {
    await expect(prepareSelect(connection, sql)).rejects.toThrow(/^Refused statement: it is/);
  });
});
