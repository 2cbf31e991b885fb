import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FunctionDefinition } from '../../src/compiler/functions/definition.js';
import { findFunction, functionNames } from '../../src/compiler/functions/functions.js';
import { operators } from '../../src/compiler/functions/operators.js';
import type { SourceSchema } from '../../src/types/schema.js';
import type { Field, Type } from '../../src/types/types.js';
import { callsOf } from '../support/every-call.js';
import { isFullLength, sample } from '../support/nightly.js';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';
import { typedSource } from '../support/typed-source.js';

// A later line of another project may make a STRING of an undeclared number, BOOL, list or record. Each function, operator and
// cast that took the field before takes it then, and gives the same for the rows that were there before.

/** Undeclared columns, with the values of two rows. */
const values: Readonly<Record<string, readonly [string, string]>> = {
  one_INT64: ['1', '2'],
  one_FLOAT64: ['0.5', '1.25'],
  one_NUMERIC: ['1.1', '12345678901234567.25'],
  one_BOOL: ['true', 'false'],
  array_STRING: ["['a', 'b']", "['c']"],
  array_INT64: ['[1, 2]', '[3]'],
  array_FLOAT64: ['[0.5, 1.5]', '[2.5]'],
  array_NUMERIC: ['[1.1]', '[2.25, 3]'],
  array_BOOL: ['[true, false]', '[true]'],
  records: ["[{'a': 'x', 'b': 1}, {'a': 'y', 'b': 2}]", "[{'a': 'z', 'b': 3}]"],
  folded: ["{'a': 'x', 'b': 1}", "{'a': 'z', 'b': 3}"],
};

/** Values of the columns that keep their type. */
const declared: Readonly<Record<string, string>> = {
  BIGNUMERIC: '1.5::decimal(38, 8)',
  BYTES: "'a'::blob",
  DATE: "date '2026-03-01'",
  DATETIME: "timestamp '2026-03-01 01:02:03'",
  INTERVAL: 'interval 1 day',
  JSON: `'{"a":[1]}'::json`,
  RANGEDATE: "{'start': date '2026-03-01', 'stop': date '2026-04-01'}",
  RANGEDATETIME: "{'start': timestamp '2026-03-01', 'stop': timestamp 'infinity'}",
  RANGETIMESTAMP:
    "{'start': timestamptz '-infinity', 'stop': timestamptz '2026-03-01 00:00:00+00'}",
  STRING: "'a'",
  TIME: "time '01:02:03'",
  TIMESTAMP: "timestamptz '2026-03-01 01:02:03+00'",
};

function textOf(type: Type): Type {
  const isRecord = type.kind === 'ARRAY' && type.element.kind === 'STRUCT';
  return { kind: 'STRING', ...(isRecord && { fields: type.element.fields }) };
}

function sourceOf(isOpen: boolean): SourceSchema {
  const columns = typedSource.columns
    .filter(({ name }) => name !== 'open')
    .map((field): Field => {
      if (values[field.name] === undefined) return field;
      return { ...field, type: isOpen ? textOf(field.type) : field.type, undeclared: true };
    });
  return { name: 'web', columns };
}

/** The columns of a row; those that are open are the texts of their JSON. `place` is undefined for the later line. */
function rowSql(id: string, place: 0 | 1 | undefined, isOpen: boolean): string {
  const items = sourceOf(isOpen).columns.map(({ name }) => {
    const given = values[name];
    const value = given === undefined ? declaredSql(name, id) : openSql(given, place, isOpen);
    return `${value} as "${name}"`;
  });
  return `select ${items.join(', ')}`;
}

function declaredSql(name: string, id: string): string {
  if (name === 'id') return `'${id}'`;
  const [, form, kind = 'TIMESTAMP'] = /^(one|array)_(.*)$/.exec(name) ?? [];
  const value = declared[kind] ?? 'null';
  return form === 'array' ? `[${value}]` : value;
}

function openSql(
  given: readonly [string, string],
  place: 0 | 1 | undefined,
  isOpen: boolean,
): string {
  if (place === undefined) return isOpen ? "'odd'" : 'null';
  return isOpen ? `'${given[place].replaceAll("'", '"')}'` : given[place];
}

let typed: QueryRunner;
let open: QueryRunner;

async function openRunner(isOpen: boolean): Promise<QueryRunner> {
  const rows = [
    rowSql('1', 0, isOpen),
    rowSql('2', 1, isOpen),
    rowSql('evil', undefined, isOpen),
  ].join(' union all ');
  return openQueryRunner({ source: sourceOf(isOpen), rows });
}

beforeAll(async () => {
  typed = await openRunner(false);
  open = await openRunner(true);
});
afterAll(() => Promise.all([typed.close(), open.close()]));

/** Functions that show what a text is, and an operator that joins texts as well as lists. */
const ofTexts: ReadonlySet<string> = new Set([
  ...['to_json', 'to_json_string', 'json_array', 'json_object', 'typeof', 'search', '$||'],
]);

const isOpenName = new RegExp(`\\b(?:${Object.keys(values).join('|')})\\b`);

function queryOf(call: string, kind: FunctionDefinition['kind'] = 'scalar'): string {
  const value = kind === 'window' ? `${call} over (order by t.id)` : call;
  const order = kind === 'aggregate' ? '' : ' order by t.id';
  return `select ${value} as v from \`logs.web\` as t where t.id <> 'evil'${order}`;
}

function isNested(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** Numbers as they are written by JavaScript, whether or not they are texts. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, normal(one)]));
  }
  if (typeof value === 'string' && isNested(value)) return normal(JSON.parse(value));
  const isNumber = value !== '' && value !== null && Number.isFinite(Number(value));
  return isNumber ? Number(value) : value;
}

async function outcome(runner: QueryRunner, sql: string): Promise<unknown> {
  try {
    return normal(await runner.run(sql));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const subscripts = ['$offset', '$ordinal', '$safe_offset', '$safe_ordinal', '$IN UNNEST'];
const tables = [...functionNames(), ...operators.map(({ name }) => name), ...subscripts];

/** The calls of a function that take an open field. A STRUCT that the query makes is not compared with a text. */
function callsOver(definition: FunctionDefinition): readonly string[] {
  return callsOf(definition).filter(
    (call) => isOpenName.test(call) && !call.includes('@') && !call.includes('struct('),
  );
}

/** The fault of a query over open fields; undefined if it has none, or if the query over typed fields is refused. */
async function faultOf(sql: string, isExact: boolean): Promise<string | undefined> {
  const expected = await outcome(typed, sql);
  if (typeof expected === 'string') return undefined;
  answered += 1;
  const found = await outcome(open, sql);
  if (isExact ? JSON.stringify(found) === JSON.stringify(expected) : typeof found !== 'string')
    return undefined;
  return `${sql}: ${JSON.stringify(expected)} ${JSON.stringify(found)}`;
}

let answered = 0;

test('each function and operator', async () => {
  const wrong: string[] = [];
  for (const name of tables) {
    const definition = findFunction(name);
    if (definition === undefined) throw new Error(name);
    for (const call of sample(callsOver(definition), 3)) {
      // Digits that only NUMERIC holds are read as a FLOAT64.
      const isExact = !ofTexts.has(name) && !call.includes('NUMERIC');
      const fault = await faultOf(queryOf(call, definition.kind), isExact);
      if (fault !== undefined && !/reserved character|contains no tokens/.test(fault))
        wrong.push(fault);
    }
  }
  expect(wrong).toEqual([]);
  expect(answered).toBeGreaterThan(isFullLength ? 1_000 : 300);
}, 120_000);

const casts = Object.keys(values).flatMap((name) => {
  const types = ['bool', 'int64', 'float64', 'numeric', 'bignumeric', 'array<string>'];
  return [...types, 'array<float64>'].flatMap((type) => [
    `cast(${name} as ${type})`,
    `safe_cast(${name} as ${type})`,
  ]);
});

const from = "`logs.web` as t where t.id <> 'evil'";

/** Clauses and forms that are no functions. */
const forms = [
  ...['%d', '%05d', '%x', '%+d', "%'d"].map((word) => `format("${word}", one_INT64)`),
  ...['%f', '%.1f', '%e', '%g', '%8.2f'].map((word) => `format('${word}', one_FLOAT64)`),
  "format('%*d', one_INT64, one_INT64)",
  "format('%d', one_INT64 + 1)",
  "format(concat('%', one_STRING, ''), 1)",
  "format(if(t.id = '1', '%d', '%x'), one_INT64)",
  "format(if(t.id = '1', '%f', '%e'), one_FLOAT64)",
  'mod(ifnull(one_INT64, 0), 2)',
  'timestamp_micros(coalesce(one_INT64, 0) * 2)',
  'array_INT64[safe_offset(one_INT64 - 1)]',
  '[1, 2, 3][offset(one_INT64)]',
  '[one_INT64, 7]',
  '[one_BOOL, true]',
  'struct<a int64, b bool>(one_INT64, one_BOOL)',
  'case when one_BOOL then one_INT64 else 0 end',
  'case one_INT64 when 1 then one_BOOL else false end',
  'one_BOOL is true',
  'one_BOOL is not false',
  'one_BOOL is null',
  'not one_BOOL or one_BOOL and true',
  'one_INT64 in (select 1)',
  '2 in unnest(array_INT64)',
  'one_INT64 between 0 and one_FLOAT64 * 2',
  "date_add(date '2026-01-01', interval one_INT64 day)",
  "date '2026-01-01' + one_INT64",
  "cast(one_INT64 as string format '999')",
  "cast(one_FLOAT64 as string format '99.99')",
  'extract(year from date(2020 + one_INT64, 1, one_INT64))',
  '(select sum(i) from unnest(array_INT64) as i)',
  '(select count(*) from unnest(array_BOOL) as i where i)',
  '(select max(i + 0) from unnest(array_FLOAT64) as i)',
  '(select string_agg(a, "," order by b) from unnest(records))',
  '(select as struct r.a from unnest(folded) as r)',
  'substr(one_STRING, one_INT64, one_INT64)',
  'sum(one_INT64) over (order by one_INT64 range between 1 preceding and current row)',
].map((value) => `select ${value} as v from ${from} order by t.id`);

const clauses = [
  `select t.id from ${from} and one_BOOL order by 1`,
  `select t.id from ${from} and not one_BOOL order by 1`,
  `select count(*) as n from ${from} group by one_BOOL having logical_or(one_BOOL)`,
  `select t.id from ${from} and array_length(array_INT64) > 1`,
  `select t.id from ${from} qualify lag(one_BOOL) over (order by t.id)`,
  'select t.id, u.id as other from `logs.web` as t join `logs.web` as u on t.one_BOOL and u.one_INT64 = 1 order by 1',
  'select t.id, u.id as other from `logs.web` as t join (select 2 as n) as u on t.one_INT64 = u.n order by 1',
  `select v from (select one_INT64 as v from ${from} union all select 5) order by v`,
  `select one_INT64 as v from ${from} union distinct select 1 order by 1`,
  `select countif(one_BOOL) as n, avg(one_INT64) as a from ${from}`,
];

test.each([...casts.map((call) => queryOf(call)), ...forms, ...clauses])('%s', async (sql) => {
  expect(await faultOf(sql, !sql.includes('NUMERIC') && !sql.includes('numeric'))).toBe(undefined);
});
