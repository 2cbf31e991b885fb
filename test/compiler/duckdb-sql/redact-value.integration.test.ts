import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as bound from '../../../src/compiler/bound/bound.js';
import type { DuckExpression, DuckQuery } from '../../../src/compiler/duckdb-sql/duckdb-sql.js';
import { encodeAnswerRows } from '../../../src/compiler/duckdb-sql/passes/encode.js';
import { printStatement } from '../../../src/compiler/duckdb-sql/print.js';
import { redactDuckValue } from '../../../src/compiler/duckdb-sql/redact-value.js';
import { attachMacros } from '../../../src/engine/duckdb/macro-file.js';
import type { ArrayType, Field, StructType, Type } from '../../../src/types/types.js';
import { macros } from '../../support/macros.js';
import { openScratch } from '../../support/scratch-database.js';

// The redacted value for each type, written by hand.
const { connection: database, close } = await openScratch();
beforeAll(() => attachMacros(database, macros));
afterAll(close);

const stored: DuckExpression = { kind: 'column', table: 't', name: 'x' };

/** `select value as v from (values (literal)) as t(x)`, the literal in DuckDB's words. */
function selectOf(value: DuckExpression): DuckQuery {
  const from = { kind: 'table', path: ['stored'], alias: 't' } as const;
  const items = [{ name: 'v', value }];
  return {
    kind: 'query',
    ctes: [],
    body: { kind: 'select', distinct: false, items, from, where: [] },
    orderBy: [],
  };
}

async function firstOf(literal: string, sql: string): Promise<string> {
  await database.run(`create or replace temp table stored as select ${literal} as x`);
  const reader = await database.runAndReadAll(sql);
  return String(reader.getRows()[0]?.[0]);
}

async function redacted(type: Type, literal: string): Promise<unknown> {
  const sql = printStatement(selectOf(redactDuckValue(stored, type)));
  return JSON.parse(await firstOf(literal, `select cast(to_json(v) as varchar) from (${sql})`));
}

const text: Type = { kind: 'STRING' };
const number: Type = { kind: 'INT64' };
const time: Type = { kind: 'TIMESTAMP' };

function field(name: string, type: Type, isStored = true): Field {
  return { name, type, stored: isStored };
}

function record(...fields: readonly Field[]): StructType {
  return { kind: 'STRUCT', fields };
}

function list(element: Type): ArrayType {
  return { kind: 'ARRAY', layout: 'list', element };
}

/** An array of at most one element, stored as the element. */
function one(element: StructType): ArrayType {
  return { kind: 'ARRAY', layout: 'struct', element };
}

const person = record(field('mail', text), field('age', number));
const address = "'10.0.0.1'";

/** `{f: {f: … {mail, ips: [{mail, age}]}}}`: paths so long that they become variables. */
function deep(levels: number): { readonly type: StructType; readonly literal: string } {
  const inner = { mail: text, people: list(person) };
  const fields = Object.entries(inner).map(([name, type]) => field(name, type));
  let type = record(...fields);
  let literal = "{mail: 'a@b.co', people: [{mail: 'c@d.ee', age: 1}]}";
  for (let level = 0; level < levels; level++) {
    type = record(field('f', one(type)), field('s', text));
    literal = `{f: ${literal}, s: '::1'}`;
  }
  return { type, literal };
}

/** The value under `f` of `f` of …, and its text. */
function under(levels: number, value: unknown): unknown {
  return levels === 0 ? value : { f: under(levels - 1, value), s: 'REDACTED' };
}

describe('a value of each type', () => {
  test.each<readonly [string, Type, string, unknown]>([
    ['a text', text, address, 'REDACTED'],
    ['NULL', text, 'null::varchar', null],
    ['a number', number, '10', 10],
    ['a time', time, "timestamptz '2026-03-01 00:00:00Z'", '2026-03-01 00:00:00+00'],
    [
      'an array of texts',
      list(text),
      `[${address}, null, 'x', 'a@b.co']`,
      ['REDACTED', null, 'x', 'REDACTED'],
    ],
    ['an empty array', list(text), '[]::varchar[]', []],
    ['a NULL array', list(text), 'null::varchar[]', null],
    [
      'an array of arrays in records',
      list(record(field('l', list(text)))),
      `[{l: [${address}]}, null, {l: null}]`,
      [{ l: ['REDACTED'] }, null, { l: null }],
    ],
    ['an array of numbers', list(number), '[1, 2]', [1, 2]],
    [
      'JSON, with keys and numbers unchanged',
      { kind: 'JSON' },
      `'{"1.2.3.4":["1.2.3.4",1.2,"\\u0061@b.co"],"a":{"b":"::1"}}'::json`,
      { '1.2.3.4': ['REDACTED', 1.2, 'REDACTED'], a: { b: 'REDACTED' } },
    ],
    [
      'JSON with an escape before an address',
      { kind: 'JSON' },
      `'["\\b::1","\\n@b.co","\\"a@b.co\\""]'::json`,
      ['\bREDACTED', '\n@b.co', '"REDACTED"'],
    ],
    ['JSON null', { kind: 'JSON' }, "'null'::json", null],
    ['a record', person, "{mail: 'a@b.co', age: 3}", { mail: 'REDACTED', age: 3 }],
    [
      'a record of NULLs',
      person,
      '{mail: null::varchar, age: null::bigint}',
      { mail: null, age: null },
    ],
    ['a NULL record', person, 'null::struct(mail varchar, age bigint)', null],
    [
      'a record stored as a struct',
      one(person),
      "{mail: 'a@b.co', age: 3}",
      { mail: 'REDACTED', age: 3 },
    ],
    [
      'records',
      list(person),
      "[{mail: 'a@b.co', age: 3}, null, {mail: 'x', age: null}]",
      [{ mail: 'REDACTED', age: 3 }, null, { mail: 'x', age: null }],
    ],
    ['records without texts', list(record(field('n', number))), '[{n: 1}]', [{ n: 1 }]],
    [
      'a field that is not stored',
      record(field('no', text, false), field('mail', text)),
      "{mail: 'a@b.co'}",
      { mail: 'REDACTED' },
    ],
    [
      'fields that look like addresses',
      record(field('a@b.co', text)),
      "{'a@b.co': 'a@b.co'}",
      { 'a@b.co': 'REDACTED' },
    ],
    [
      'texts in the order of their fields',
      record(
        field('a', text),
        field('r', record(field('b', text), field('n', number))),
        field('l', list(text)),
        field('c', text),
      ),
      "{a: '1', r: {b: '2', n: 2}, l: ['3'], c: '4'}",
      { a: '1', r: { b: '2', n: 2 }, l: ['3'], c: '4' },
    ],
    [
      'records in lists in records',
      list(record(field('p', list(person)), field('q', one(person)), field('t', text))),
      "[{p: [{mail: 'a@b.co', age: 1}], q: {mail: 'c@d.ee', age: 2}, t: '::1'}]",
      [{ p: [{ mail: 'REDACTED', age: 1 }], q: { mail: 'REDACTED', age: 2 }, t: 'REDACTED' }],
    ],
    ...[1, 4, 9].map(
      (levels) =>
        [
          `${levels} records in each other`,
          deep(levels).type,
          deep(levels).literal,
          under(levels, { mail: 'REDACTED', people: [{ mail: 'REDACTED', age: 1 }] }),
        ] as const,
    ),
  ])('%s', async (_title, type, literal, expected) => {
    expect(await redacted(type, literal)).toEqual(expected);
  });

  test.each([1, 7, 9])('the record at the end of a path of %i', async (levels) => {
    const { type, literal } = deep(levels);
    let of: DuckExpression = stored;
    let last: StructType = type;
    for (let level = 0; level < levels; level++) {
      of = { kind: 'field', of, name: 'f' };
      last = elementOf(last);
    }
    const sql = printStatement(selectOf(redactDuckValue(of, last)));
    const json = await firstOf(literal, `select cast(to_json(v) as varchar) from (${sql})`);
    expect(JSON.parse(json)).toEqual({ mail: 'REDACTED', people: [{ mail: 'REDACTED', age: 1 }] });
  });

  test.each([
    ["'10.0.0.1'::blob", '10.0.0.1 -> REDACTED'],
    ["'x'::blob", 'x'],
    ["'\\xFF'::blob", 'no text'],
  ])('BYTES %s', async (literal) => {
    const sql = printStatement(selectOf(redactDuckValue(stored, { kind: 'BYTES' })));
    const bytes = await firstOf(literal, `select cast(v as varchar) from (${sql})`);
    expect(bytes).toBe(literal.startsWith("'10") ? 'REDACTED' : literal.slice(1, -7));
  });
});

function elementOf({ fields }: StructType): StructType {
  const [first] = fields;
  if (first?.type.kind !== 'ARRAY' || first.type.element.kind !== 'STRUCT') throw new Error('none');
  return first.type.element;
}

describe('a row of the answer', () => {
  const at = (name: string, type: Type): bound.Column => ({ name, type }) as bound.Column;

  test.each<readonly [string, bound.Column, string, unknown]>([
    ['a newline before a text that is not an address', at('x', text), "E'\\n@b.co'", '\n@b.co'],
    [
      'a backspace and a form feed',
      at('x', text),
      "E'\\b::1 \\f::1 \\fdead::1'",
      '\bREDACTED \fREDACTED \fREDACTED',
    ],
    [
      'a text after a backspace that is not an address',
      at('x', text),
      "E'\\b:1:2:3:4:5:6:7'",
      '\b:1:2:3:4:5:6:7',
    ],
    [
      'control characters',
      at('x', text),
      "chr(1) || '1.2.3.4' || chr(31) || '::1'",
      '\u0001REDACTED\u001fREDACTED',
    ],
    [
      'a backslash before an address',
      at('x', text),
      "'\\10.0.0.1 \\\\10.0.0.1 \\dead::1 \\'",
      '\\REDACTED \\\\REDACTED \\REDACTED \\',
    ],
    ['quotes', at('x', text), `'"a@b.co","1.2.3.4"'`, '"REDACTED","REDACTED"'],
    [
      'JSON text',
      at('x', text),
      `'{"a":"b\\n1.2.3.4","c":"\\"::1\\""}'`,
      '{"a":"b\\nREDACTED","c":"\\"REDACTED\\""}',
    ],
    ['a name that is an address', at('1.2.3.4', text), address, 'REDACTED'],
    ['a name with a colon', at('a::', text), "'b'", 'b'],
    ['a name that is an address, escaped', at('jane%40b%2Eco', text), address, 'REDACTED'],
    [
      'a name that is an address, escaped in JSON',
      at('jane\\u0040b\\u002eco', text),
      address,
      'REDACTED',
    ],
    [
      'escaped addresses',
      at('x', text),
      "'jane%40b.co 1%2E2.3.4 %3A%3A1'",
      'REDACTED REDACTED REDACTED',
    ],
    ['quotes and @', at('x', text), `'@b.co'`, '@b.co'],
    ['a quoted local part', at('x', text), `'"jane doe"@b.co'`, 'REDACTED'],
    [
      'a text that ends in a quote',
      at('x', list(text)),
      `['a"', '@b.co', '"c']`,
      ['a"', '@b.co', '"c'],
    ],
    ['a name with quotes and backslashes', at('a"\\', text), "E'\\n::1'", '\nREDACTED'],
    ['numbers', at('n', list(number)), '[1, 2, 3, 4]', [1, 2, 3, 4]],
    [
      'records',
      at('r', list(person)),
      "[{mail: E'\\ta@b.co', age: 1}]",
      [{ mail: '\tREDACTED', age: 1 }],
    ],
  ])('%s', async (_title, column, literal, expected) => {
    const query = encodeAnswerRows(selectOf(stored), [column], { maxRows: 1, redact: true });
    const row = await firstOf(literal, `select decode(row) from (${printStatement(query)})`);
    expect(JSON.parse(row)).toEqual({ [column.name]: expected });
  });

  test('without texts it is not redacted', () => {
    const columns = [at('n', number), at('time', time), at('ages', list(number))];
    const query = encodeAnswerRows(selectOf(stored), columns, { maxRows: 1, redact: true });
    expect(printStatement(query)).not.toContain('redact');
  });
});
