import { expect, test } from 'vitest';
import { createBigQueryTarget } from '../../src/bigquery/target/target.js';
import { createCompiler } from '../../src/compiler/compile.js';
import { compileEndpoints } from '../../src/endpoint/catalog.js';
import { printFileFault } from '../../src/endpoint/file-fault.js';
import type { SourceSchema } from '../../src/types/schema.js';
import { scalar } from '../../src/types/types.js';

const source: SourceSchema = {
  name: 'edge_logs',
  projectPath: ['project'],
  columns: ['id', 'project'].map((name) => {
    return { name, type: scalar('STRING'), stored: true };
  }),
};
const compiler = createCompiler([source]);

function compile(texts: Readonly<Record<string, string>>, over = compiler, others = [compiler]) {
  const files = Object.entries(texts).map(([name, text]) => ({ file: `${name}.sql`, text }));
  const { endpoints, faults } = compileEndpoints(files, over, others);
  const found = (name: string) => {
    const endpoint = endpoints.find((one) => one.name === name);
    if (endpoint === undefined) throw new Error(`no endpoint ${name}`);
    return endpoint;
  };
  const columnsOf = (name: string, sql?: string) => {
    const sandbox = sql === undefined ? undefined : ({ language: 'sql', text: sql } as const);
    return over.compile(found(name), sandbox).columns.map((column) => column.name);
  };
  return { faults: faults.map(printFileFault), found, columnsOf };
}

const read = (name: string, header = '') => `${header}--\nselect * from \`${name}\``;
const inner = '-- @project: string, required\n--\nselect id from `logs.edge_logs` as t\n';
const own = `${inner}where t.project = @project`;
const project = '-- @project: string, required\n';

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['one reads another', { 'in.ner-1': own, outer: read('in.ner-1', project) }, []],
  ['a chain', { a: read('b', project), b: read('c', project), c: own }, []],
  [
    'another letter case of a parameter',
    { c: own, a: read('c', '-- @Project: string, required\n') },
    [],
  ],
  [
    'a parameter that one requires and the other does not',
    { c: own, a: read('c', '-- @project: string, optional\n') },
    [
      'a.sql:3:15: a reads c, which requires @project: declare it as required in a.sql, too, or with a default',
    ],
  ],
  ['another presence', { c: own, a: read('c', '-- @project: string, default x\n') }, []],
  [
    'a parameter that is not declared, of one that has a default',
    { c: '-- @n: integer, default 10\n--\nselect 1 as x limit @n', a: read('c') },
    ['a.sql:2:15: a reads c, which needs @n: add "-- @n: integer, …" to a.sql'],
  ],
  [
    'a parameter of another type',
    { c: own, a: read('c', '-- @project: array<string>, required\n') },
    [
      'a.sql:3:15: a reads c, where @project is string, not array<string>: declare the same type, or rename one of the two',
    ],
  ],
  [
    'a parameter that is missing in the middle of a chain',
    { a: read('b', project), b: read('c'), c: own },
    [
      'a.sql:1:1: b.sql, which it reads, has errors',
      'b.sql:2:15: b reads c, which needs @project: add "-- @project: string, …" to b.sql',
    ],
  ],
  [
    'a circle',
    { a: read('b'), b: read('c'), c: read('b') },
    [
      'a.sql:1:1: b.sql, which it reads, has errors',
      'b.sql:2:15: Endpoints read each other in a circle: c -> b -> c',
      'c.sql:2:15: Endpoints read each other in a circle: b -> c -> b',
    ],
  ],
  ['itself', { a: read('a') }, ['a.sql:2:15: Endpoints read each other in a circle: a -> a']],
  [
    'an inner fault',
    { a: read('b'), b: '--\nselect 1 as x,\n  y as z' },
    ['a.sql:1:1: b.sql, which it reads, has errors', 'b.sql:3:3: Unrecognized name: y'],
  ],
  [
    'an inner header with a fault',
    { a: read('b'), b: '-- redact-pii: tru\n--\nselect 1 as x' },
    [
      'a.sql:1:1: b.sql, which it reads, has errors',
      'b.sql:1:16: redact-pii must be true or false',
    ],
  ],
  [
    'an inner text that is no query',
    { a: read('b'), b: '--\nselect from' },
    [
      'a.sql:1:1: b.sql, which it reads, has errors',
      'b.sql:2:8: Syntax error: Unexpected keyword FROM',
    ],
  ],
  [
    'a name that is none',
    { a: read('c'), b: '--\nselect 1 as x' },
    ['a.sql:2:15: Table not found: c (the tables are logs.edge_logs)'],
  ],
  [
    'a fault of the outer in what it reads',
    { a: '--\nselect\n  b.nothing from b', b: '--\nselect 1 as x' },
    ['a.sql:3:5: Field name nothing does not exist in STRUCT<x INT64>'],
  ],
  [
    'a CTE of the outer, which the inner does not see',
    { a: 'with hidden as (select 1 as x) select * from b, hidden', b: '--\nselect * from hidden' },
    [
      'a.sql:1:1: b.sql, which it reads, has errors',
      'b.sql:2:15: Table not found: hidden (the tables are logs.edge_logs)',
    ],
  ],
  [
    'a CTE of the inner, which the outer does not see',
    { a: 'select * from b, hidden', b: 'with hidden as (select 1 as x) select * from hidden' },
    ['a.sql:1:18: Table not found: hidden (the tables are logs.edge_logs)'],
  ],
])('%s', (_what, texts, faults) => {
  expect(compile(texts).faults).toEqual(faults);
});

test('a CTE of the same name wins, where it can be read, and so does a source', () => {
  const { faults, columnsOf, found } = compile({
    'logs.edge_logs': '--\nselect 1 as one',
    b: '--\nselect 2 as two',
    cte: 'with b as (select 3 as three) select * from b',
    before: 'with c as (select * from b), b as (select 3 as three) select * from c',
    pipe: 'from (select 1 as one) |> with b as (select 3 as three) |> cross join b',
    source: read('logs.edge_logs'),
  });
  expect(faults).toEqual([]);
  expect(columnsOf('cte')).toEqual(['three']);
  expect(columnsOf('before')).toEqual(['two']);
  expect(columnsOf('pipe')).toEqual(['one', 'three']);
  expect(columnsOf('source')).toEqual(['id', 'project']);
  expect([found('cte').reads, found('pipe').reads, found('source').reads]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('the columns are those of the answer, and the range has the last part of the name', () => {
  const { columnsOf } = compile({
    'x.b': '--\nselect 1, 2 as n, 3 as n',
    a: 'select b.f0_, b.n, n_1 from `x.b`',
    c: 'select z.n from `x.b` as z, b where b.n = z.n_1',
    b: '--\nselect 1 as n',
  });
  expect(columnsOf('a')).toEqual(['f0_', 'n', 'n_1']);
  expect(columnsOf('c')).toEqual(['n']);
});

test('redaction is inherited, also through others', () => {
  const { found } = compile({
    a: read('b'),
    b: read('c'),
    c: '-- redact-pii: true\n--\nselect 1 as x',
    d: '--\nselect 1 as x',
  });
  expect(['a', 'b', 'c', 'd'].map((name) => found(name).redactPii)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test("a caller's query reads the outer's CTEs alone", () => {
  const texts = {
    a: '-- sandbox: true\n--\nwith mine as (select * from `b.c`) select 1 as one from mine',
    'b.c': 'with theirs as (select 2 as two) select * from theirs',
  };
  const { faults, columnsOf } = compile(texts);
  expect(faults).toEqual([]);
  expect(columnsOf('a', 'select * from mine')).toEqual(['two']);
  for (const name of ['b.c', 'theirs', 'a']) {
    const refusal = `Table not found: ${name} (the tables are mine) at [1:15]`;
    expect(() => columnsOf('a', `select * from \`${name}\``)).toThrow(refusal);
  }
});

test('only the outer limits rows', () => {
  const { found } = compile({
    a: read('b', '-- max-rows: 7\n'),
    b: '-- max-rows: 3\n--\nselect 1 as x',
  });
  expect(compiler.compile(found('a')).sql).toMatch(/LIMIT 8\b/);
  expect(compiler.compile(found('a')).sql).not.toMatch(/LIMIT 4\b/);
});

test('a fault that only the logs make names its file, once', () => {
  const other = createCompiler([{ ...source, columns: source.columns.slice(1) }]);
  const texts = { a: read('b', project), b: own };
  const { faults, columnsOf } = compile(texts, other);
  expect(faults).toEqual(['b.sql:3:8: Unrecognized name: id']);
  expect(() => columnsOf('a')).toThrow('Unrecognized name: id in b.sql at [3:8]');
});

test('a fault that is found when calls are written has its place', () => {
  const texts = {
    a: read('b'),
    b: "--\nselect 1 as x,\n  format('%d', 'x') as y",
  };
  const { faults, columnsOf } = compile(texts);
  expect(faults).toHaveLength(2);
  expect(faults[1]).toMatch(/^b\.sql:3:\d+: /);
  expect(() => columnsOf('a')).toThrow(/ in b\.sql at \[3:\d+\]$/);
});

test('for BigQuery it is written in place, with the start time of the outer', () => {
  const logs: SourceSchema = {
    name: 'edge_logs',
    columns: [
      { name: 'id', type: scalar('STRING'), stored: true },
      { name: 'timestamp', type: scalar('TIMESTAMP'), stored: true },
    ],
  };
  const target = createBigQueryTarget({ tables: 'p.d.{source}', sandbox: true });
  const over = createCompiler([logs], { target });
  const from = '-- @from: timestamp, required\n';
  const texts = {
    a: read('b', from),
    b: `${from}--\nselect id, t.timestamp from \`logs.edge_logs\` as t where t.timestamp > @from`,
  };
  const { faults, found } = compile(texts, over, [over]);
  expect(faults).toEqual([]);
  const { sql, window, types } = over.compile(found('a'));
  expect(sql).toContain('`p`.`d`.`edge_logs`');
  expect(window?.kind).toBe('bounded');
  expect(types).toEqual({ from: 'TIMESTAMP' });
});

test('a CTE of the outer with the name of what the inner reads is not what the inner reads', () => {
  const { faults, columnsOf } = compile({
    a: 'with c as (select 1 as wrong) select b.* from b cross join c',
    b: 'select * from c',
    c: 'select 2 as right_',
    d: `${project}--\nwith \`logs.edge_logs\` as (select 1 as wrong) select * from e`,
    e: own,
  });
  expect(faults).toEqual([]);
  expect(columnsOf('a')).toEqual(['right_']);
  expect(columnsOf('d')).toEqual(['id']);
});
