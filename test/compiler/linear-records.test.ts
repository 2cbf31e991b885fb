import { expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import type { DuckQuery } from '../../src/compiler/duckdb-sql/duckdb-sql.js';
import { encodeAnswerRows } from '../../src/compiler/duckdb-sql/passes/encode.js';
import { redactStep } from '../../src/compiler/duckdb-sql/passes/redact.js';
import { printRow } from '../../src/rows/print-columns.js';
import type { SourceSchema } from '../../src/types/schema.js';
import type { ArrayType, Field, Type } from '../../src/types/types.js';

// Twice the fields are twice the statement, and a level more is a constant more: by counts, not by clocks.

interface Form {
  readonly layout: ArrayType['layout'];
  readonly isUndeclared: boolean;
}

const forms: readonly Form[] = (['struct', 'list'] as const).flatMap((layout) =>
  [false, true].map((isUndeclared) => ({ layout, isUndeclared })),
);

function field(name: string, type: Type, { isUndeclared }: Form): Field {
  return { name, type, stored: true, ...(isUndeclared && { undeclared: true as const }) };
}

function record(fields: readonly Field[], { layout }: Form): Type {
  return { kind: 'ARRAY', layout, element: { kind: 'STRUCT', fields } };
}

/** A record with some fields, in as many others as `depth` says. */
function nested(depth: number, width: number, form: Form): readonly Field[] {
  const own = Array.from({ length: width }, (_, i) => field(`f${i}`, { kind: 'STRING' }, form));
  return depth === 0 ? own : [field('r', record(nested(depth - 1, width, form), form), form)];
}

/** A binary tree of records. */
function tree(depth: number, form: Form): readonly Field[] {
  if (depth === 0) return [field('leaf', { kind: 'STRING' }, form)];
  const branch = record(tree(depth - 1, form), form);
  return ['a', 'b'].map((name) => field(name, branch, form));
}

function sourceOf(fields: readonly Field[], form: Form): SourceSchema {
  return {
    name: 'web',
    columns: [
      { name: 'id', type: { kind: 'STRING' }, stored: true },
      { name: 'metadata', type: record(fields, form), stored: true },
    ],
  };
}

/** The lengths of the statements that read the record whole: stored, redacted, a caller's, and the loader's. */
function lengths(fields: readonly Field[], form: Form): readonly number[] {
  const source = sourceOf(fields, form);
  const compiler = createCompiler([source]);
  const sql = 'with w as (select t.id, t.metadata from `logs.web` as t) select * from w';
  const endpoint = { name: 'web', sql, maxRows: 10, parameters: [] };
  const caller = { language: 'sql', text: 'select metadata from w' } as const;
  const queries = [
    compiler.compile(endpoint),
    compiler.compile(endpoint, undefined, { redact: true }),
    compiler.compile(endpoint, caller, { redact: false }),
    compiler.compile(endpoint, caller, { redact: true }),
  ];
  const total = queries.map(({ sql: text, steps }) =>
    steps.reduce((sum, step) => sum + step.sql.length, text.length),
  );
  return [...total, printRow(source).length];
}

test.each(forms)('twice the fields: $layout, undeclared $isUndeclared', (form) => {
  for (const depth of [0, 1, 5]) {
    const once = lengths(nested(depth, 500, form), form);
    const twice = lengths(nested(depth, 1_000, form), form);
    for (const [index, length] of twice.entries()) {
      expect(length).toBeLessThan(2.1 * (once[index] ?? 0));
    }
  }
});

/** The nodes of the statements that encode and redact a record of more levels than a query may return. */
function countOfPasses(depth: number, form: Form): readonly number[] {
  const type = record(nested(depth, 1, form), form);
  const query: DuckQuery = {
    kind: 'query',
    ctes: [],
    body: { kind: 'select', distinct: false, items: [], where: [] },
    orderBy: [],
  };
  const columns = [{ name: 'metadata', type, isLogField: true }];
  const step = { kind: 'gather', table: 't', query, columns } as const;
  return [
    ...[false, true].map((redact) =>
      nodeCount(encodeAnswerRows(query, columns, { maxRows: 1, redact })),
    ),
    nodeCount(redactStep(step).query),
    printRow(sourceOf(nested(depth, 1, form), form)).length,
  ];
}

function nodeCount(node: object): number {
  const children = Object.values(node).filter(
    (child) => typeof child === 'object' && child !== null,
  );
  return children.reduce((sum, child) => sum + nodeCount(child), 1);
}

test.each(forms)('twice the levels: $layout, undeclared $isUndeclared', (form) => {
  const once = countOfPasses(12, form);
  for (const [index, count] of countOfPasses(24, form).entries()) {
    expect(count).toBeLessThan(2.3 * (once[index] ?? 0));
  }
  expect(countOfPasses(64, form)[0]).toBeLessThan(10_000);
});

test.each(forms)('a tree of 16 times the records: $layout, undeclared $isUndeclared', (form) => {
  const few = lengths(tree(4, form), form);
  const many = lengths(tree(8, form), form);
  for (const [index, length] of many.entries()) {
    expect(length).toBeLessThan(20 * (few[index] ?? 0));
  }
});

test.each(forms.slice(0, 2))(
  'a query of two fields costs the same beside 2,000: $layout, undeclared $isUndeclared',
  (form) => {
    const lengthOf = (count: number) => {
      const source = sourceOf(nested(0, count, form), form);
      const sql = 'with w as (select t.id, t.metadata from `logs.web` as t) select * from w';
      const text =
        "select w.id, m.f1 from w, unnest(w.metadata) as m where m.f2 like 'x%' order by 1";
      const query = createCompiler([source]).compile(
        { name: 'web', sql, maxRows: 10, parameters: [] },
        { language: 'sql', text },
        { redact: true },
      );
      return query.steps.reduce((sum, step) => sum + step.sql.length, query.sql.length);
    };
    expect(lengthOf(2_000)).toBe(lengthOf(20));
  },
);

test('a record without undeclared fields at any depth is not printed as text', () => {
  const form = { layout: 'struct', isUndeclared: false } as const;
  const source = sourceOf(nested(3, 3, form), form);
  const endpoint = {
    name: 'web',
    sql: 'select t.metadata from `logs.web` as t',
    maxRows: 1,
    parameters: [],
  };
  expect(createCompiler([source]).compile(endpoint).sql).not.toContain('concat_ws');
  expect(printRow({ columns: source.columns.slice(1) }).match(/concat_ws/g)).toHaveLength(1);
});
