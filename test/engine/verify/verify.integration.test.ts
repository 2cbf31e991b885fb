import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, describe, expect, test } from 'vitest';
import { checkStatement } from '../../../src/engine/verify/check-statement.js';
import { openVerifier, prepareSelect } from '../../../src/engine/verify/verify.js';
import { root } from '../../support/paths.js';
import { openScratch } from '../../support/scratch-database.js';

/** Statements; the hostile ones by the class of attack. */
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
    // A statement that does not parse would prove nothing.
    const { error_type: kind } = JSON.parse(serialized);
    if (!mayBreak) expect(kind).not.toBe('parser');
  });
});

test.each(legal)('accepts: %s', async (sql) => {
  const serialized = await serialize(sql);
  expect(() => checkStatement(serialized, claims)).not.toThrow();
});

describe('a changed tree is refused', () => {
  const sql = "select count(*) as x from logs.web as t where t.id = 'a' order by 1 asc limit 1";

  /** The path of keys to every node of the tree. */
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

  test('with one more property at any node', async () => {
    const tree: unknown = JSON.parse(await serialize(sql));
    const trees = pathsOf(tree).flatMap(
      (path) => changed(tree, path, (node) => Object.assign(node, { new_clause: null })) ?? [],
    );
    expect(trees.length).toBeGreaterThan(15);
    for (const text of trees) expect(() => checkStatement(text, claims)).toThrow('new_clause');
  });

  test('with one property less at any node', async () => {
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
    'that is %j',
    (text) => {
      expect(() => checkStatement(text, claims)).toThrow(/^Refused statement/);
    },
  );
});

describe('the engine', () => {
  const statement = { sql: 'select $p_a as x', tables, values: { p_a: 'x' }, maxRows: 1 };

  /** A connection whose prepared statements call `before` each time they run. */
  function beforeEachRun(before: () => void): DuckDBConnection {
    const prepare = async (sql: string) => {
      const prepared = await connection.prepare(sql);
      const run = prepared.run.bind(prepared);
      prepared.run = async () => {
        before();
        return run();
      };
      return prepared;
    };
    return { prepare } as unknown as DuckDBConnection;
  }

  test('parses an accepted statement only once', async () => {
    let parsed = 0;
    const { verify } = await openVerifier(
      beforeEachRun(() => parsed++),
      macros,
    );
    await verify(statement);
    await verify({ ...statement, values: { p_a: 'y' } });
    expect(parsed).toBe(1);
    await expect(verify({ ...statement, values: {} })).rejects.toThrow('p_a');
    await expect(verify({ ...statement, values: {} })).rejects.toThrow('p_a');
    await verify({ ...statement, tables: [] });
    expect(parsed).toBe(4);
  });

  test('verifies each of several statements at once by its own text', async () => {
    const { verify } = await openVerifier(connection, macros);
    const texts = Array.from({ length: 40 }, (_, index) =>
      index % 4 === 0 ? `select read_text('${index}') as x` : `select ${index} as x`,
    );
    const verified = texts.map((sql) => verify({ ...statement, sql }));
    const outcomes = (await Promise.allSettled(verified)).map(({ status }) => status);
    expect(outcomes).toEqual(texts.map((_, index) => (index % 4 === 0 ? 'rejected' : 'fulfilled')));
  });

  test('verifies the next statement after DuckDB could not parse one', async () => {
    let failures = 1;
    const failOnce = () => {
      if (failures-- > 0) throw new Error('out of memory');
    };
    const { verify } = await openVerifier(beforeEachRun(failOnce), macros);
    await expect(verify(statement)).rejects.toThrow('out of memory');
    await verify(statement);
  });

  test('refuses a text with a NUL', async () => {
    const { verify } = await openVerifier(connection, macros);
    const sql = 'select 1 as x\0; select 2 as x';
    await expect(verify({ ...statement, sql })).rejects.toThrow('Refused statement');
  });

  test.each([
    ['two statements', 'select 1; select 2'],
    ['a statement that is not a SELECT', 'set variable x = 1'],
    ['a statement that is not a SELECT', 'create temp table x as select 1'],
    ['a statement that is not a SELECT', 'explain select 1'],
  ])('prepares a single SELECT, not %s: %s', async (_, sql) => {
    await expect(prepareSelect(connection, { sql })).rejects.toThrow(
      /^Refused statement: it is|Cannot prepare multiple statements/,
    );
  });
});
