import { serialize } from 'node:v8';
import { describe, expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import type { Field, Type } from '../../src/types/types.js';

// A statement that shows or prints whole records grows little with each field that others log. The limit of 1.4 MB is
// for statements: see `compile-child.ts`.

const undeclared = (name: string, type: Type): Field => ({
  name,
  type,
  stored: true,
  undeclared: true,
});

const number: Type = { kind: 'INT64' };

function record(fields: readonly Field[], layout: 'struct' | 'list' = 'struct'): Type {
  return { kind: 'ARRAY', layout, element: { kind: 'STRUCT', fields } };
}

const x = undeclared('x', number);

/** Types of a field, and how many fields they are. */
const kinds: Readonly<Record<string, readonly [type: Type, count: number]>> = {
  numbers: [number, 1],
  strings: [{ kind: 'STRING' }, 1],
  'exact numbers': [{ kind: 'NUMERIC' }, 1],
  lists: [{ kind: 'ARRAY', layout: 'list', element: number }, 1],
  'empty records': [record([]), 1],
  records: [record([x]), 2],
  'records with two elements': [record([x], 'list'), 2],
  'records in records': [record([undeclared('r', record([undeclared('r', record([x]))]))]), 4],
};

const request: Field = {
  name: 'request',
  type: record([{ name: 'path', type: { kind: 'STRING' }, stored: true }]),
  stored: true,
};

/** Compiles a query over a source whose `metadata` has this many fields of a type. */
function compiled(sql: string, type: Type, count: number, redact: boolean) {
  const names = Array.from({ length: count }, (_, n) => `field_${n}`.padEnd(16, '_'));
  const metadata = record([request, ...names.map((name) => undeclared(name, type))]);
  const columns: Field[] = [
    { name: 'id', type: { kind: 'STRING' }, stored: true },
    { name: 'timestamp', type: { kind: 'TIMESTAMP' }, stored: true },
    { name: 'project', type: { kind: 'STRING' }, stored: true },
    { name: 'metadata', type: metadata, stored: true },
  ];
  const stored = `with web as (
    select t.id, t.timestamp, t.metadata from \`logs.web\` t where t.project = 'a') select id from web`;
  const endpoint = { name: 'web', sql: stored, maxRows: 1000, parameters: [] };
  const compiler = createCompiler([{ name: 'web', columns }]);
  return compiler.compile(endpoint, { text: sql, language: 'sql' }, { redact });
}

/** The length of what a query compiles to. */
function compiledLength(...query: Parameters<typeof compiled>): number {
  // A string may be serialized with two bytes for each character, one of which is zero.
  return serialize(compiled(...query)).filter((byte) => byte !== 0).length;
}

const queries = [
  'select * from web',
  'select metadata as a, metadata as b, metadata as c from web',
  'select metadata, to_json_string(metadata) as j from web',
  'select to_json(t) as j from web t',
  'select any_value(metadata) as a from web',
  'select array_agg(t limit 2) as a from web t',
  "select id from web t where to_json_string(t) like '%x%'",
  'select if(id = "a", t, null) as a from web t',
  'select metadata from web union all select metadata from web',
  "select id from web t where search(t, 'x')",
  "select id from web t where contains_substr(t, 'x')",
  'select array_length(metadata) as n, metadata[offset(0)].request as r from web',
];

describe.each([false, true])('redacted: %s', (redact) => {
  test.each(Object.entries(kinds))('2,000 fields of %s', (_name, [type, count]) => {
    const lengths = queries.map(
      (sql) => [sql, compiledLength(sql, type, 2000 / count, redact)] as const,
    );
    expect(lengths.filter(([, length]) => length > 1_400_000)).toEqual([]);
  });
});

test('FORMAT prints a record only for the specifiers of a constant format', () => {
  const lengthFor = (format: string) =>
    compiledLength(`select format(${format}, metadata) as f from web`, number, 200, false);
  expect(lengthFor('"%5d %T", 1')).toBeLessThan(lengthFor('"%T"') * 1.3);
  expect(lengthFor('concat("%5d %T", string(timestamp)), 1')).toBeGreaterThan(
    lengthFor('"%T"') * 1.5,
  );
});

test('the answer of wide rows is sorted, and has no second limit, which would take more memory', () => {
  const { sql } = compiled('select * from web order by timestamp limit 5', number, 2000, false);
  expect(sql).toContain('SELECT 5 AS "rows"');
  expect(sql).not.toContain('LIMIT 1001');
  expect(
    compiled('select * from web order by timestamp limit 5', number, 20, false).sql,
  ).not.toContain('AS "rows"');
});
