import { describe, expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import { arrayType, structType, type Type } from '../../src/types/types.js';
import { webSource } from '../support/web-source.js';

// Nothing that a query does not read can fail it, or costs it anything.

const endpoint = {
  name: 'all',
  sql: `with good as (select t.id, t.timestamp from \`logs.web\` as t),
    also as (select id from good),
    bad as (select t.no_such from \`logs.web\` as t)
    select id from also`,
  maxRows: 10,
  parameters: [],
};
const compiler = createCompiler([webSource('struct')]);

describe('a CTE with a fault', () => {
  test('does not fail the stored query', () => {
    expect(compiler.compile(endpoint).sql).toContain('also');
  });

  test.each([
    ['sql', 'select count(*) as n from good'],
    ['sql', 'with x as (select * from also) select * from x'],
    ['lql', 'f:good s:id'],
    ['lql', 's:id'],
  ] as const)('does not fail a query of another: %s %s', (language, text) => {
    expect(compiler.compile(endpoint, { language, text }).columns.length).toBeGreaterThan(0);
  });

  test.each([
    ['sql', 'select * from bad'],
    ['sql', 'select * from good where id in (select no_such from bad)'],
    ['lql', 'f:bad'],
  ] as const)('fails one of its own, at its place in the stored text: %s %s', (language, text) => {
    const compile = () => compiler.compile(endpoint, { language, text });
    expect(compile).toThrow(/no_such.* at \[3:/);
  });

  test('is found at start, and its table is listed without columns', () => {
    expect(() => compiler.check(endpoint)).toThrow(/no_such/);
    const { columns, tables } = compiler.describe(endpoint);
    expect(columns.map(({ name }) => name)).toEqual(['id']);
    expect(tables.map(({ name, columns: own }) => [name, own.length])).toEqual([
      ['good', 2],
      ['also', 1],
      ['bad', 0],
    ]);
  });
});

test('another table is refused with the names of all', () => {
  const compile = () =>
    compiler.compile(endpoint, { language: 'sql', text: 'select * from other' });
  expect(compile).toThrow(/good.*also.*bad/);
});

/** Records in one another, the outer ones first. */
function nested(levels: number): Type {
  const inner: Type = levels === 0 ? { kind: 'STRING' } : nested(levels - 1);
  return levels === 0 ? inner : arrayType(structType([{ name: 'a', type: inner }]));
}

test('a source whose records nest too deeply fails only queries that return them whole', () => {
  const metadata = { name: 'metadata', type: nested(20), stored: true } as const;
  const deep = {
    name: 'deep',
    columns: [{ name: 'id', type: { kind: 'STRING' }, stored: true }, metadata],
  } as const;
  const over = createCompiler([webSource('struct'), deep]);
  const sql =
    'with deep as (select * from `logs.deep`), web as (select * from `logs.web`) select * from deep';
  const both = { ...endpoint, sql };
  expect(over.compile(both, { language: 'sql', text: 'select * from web' }).columns.length).toBe(6);
  expect(over.compile(both, { language: 'sql', text: 'select id from deep' }).columns.length).toBe(
    1,
  );
  expect(() => over.compile(both)).toThrow(/deeper than 15/);
  expect(over.describe(both).tables.map(({ columns }) => columns.length)).toEqual([2, 6]);
  expect(over.describe(both).columns).toEqual([]);
});
