import { expect, test } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';
import type { Field, Type } from '../../../src/types/types.js';

// What a query only shows or prints is not made anew: the engine would need vectors for all fields below each record.

const field = (name: string, type: Type): Field => ({
  name,
  type,
  stored: true,
  undeclared: true,
});

const record = (fields: readonly Field[]): Type => {
  return { kind: 'ARRAY', layout: 'struct', element: { kind: 'STRUCT', fields } };
};

const tree = (depth: number): Type =>
  depth === 0 ? { kind: 'INT64' } : record(['a', 'b'].map((name) => field(name, tree(depth - 1))));

/** The statement of a query over a source whose `metadata` is a tree. */
function statement(query: string, depth: number): string {
  const columns: Field[] = [
    { name: 'id', type: { kind: 'STRING' }, stored: true },
    { name: 'metadata', type: tree(depth), stored: true },
  ];
  const sql = query.includes('`logs.web`') ? query : `${query} from \`logs.web\` t`;
  const endpoint = { name: 'web', sql, maxRows: 10, parameters: [] };
  return createCompiler([{ name: 'web', columns }]).compile(endpoint).sql;
}

/** The number of records of the tree that a statement makes; its variables are made by the same function. */
const madeRecords = (sql: string): number => sql.split('struct_pack("a" := ').length - 1;

test.each([
  'select to_json_string(t) as x',
  'select to_json(metadata) as x',
  'select to_json_string(array(select m from unnest(metadata) m)) as x',
  'select any_value(metadata) as x',
  'select array_agg(t) as x',
  'select max_by(t, t.id) as x',
  'select struct(metadata as m) as x',
  'select (select as struct t.*) as x',
  'select array(select m from unnest(metadata) m) as x',
  'select first_value(metadata) over (order by id) as x',
  'select x from (select t as x from `logs.web` t)',
  'select if(id = "a", metadata, null) as x',
  'select case id when "a" then t when "b" then t end as x',
  'select to_json_string(if(id = "a", t, null)) as x',
  'select format("%T %t", metadata, t) as x',
  'select metadata from `logs.web` union all select metadata from `logs.web`',
  'select search(t, "x") as x',
  'select contains_substr(metadata, "x") as x',
  'select array_length(metadata) as x',
  'select metadata[offset(0)].a as x',
  'select to_json_string(metadata[ordinal(2)].a[safe_offset(1)]) as x',
])('%s makes no record of a tree', (query) => {
  expect(madeRecords(statement(query, 7))).toBe(0);
});

test('a value that a query reads is made anew', () => {
  expect(madeRecords(statement('select ifnull(metadata, []) as x', 3))).toBeGreaterThan(0);
});

test('each subscript in a path is written once', () => {
  const path = (depth: number) => `metadata[offset(0)]${'.a[offset(0)]'.repeat(depth)}`;
  const lengths = [2, 4, 6].map(
    (depth) => statement(`select array_length(${path(depth)}.a) as x`, 8).length,
  );
  const [short = 0, middle = 0, long = 0] = lengths;
  expect(long - middle).toBeLessThan(1.2 * (middle - short));
});

test('an element that is made anew is computed once', () => {
  const first = 'metadata[safe_offset(length(id) - 5)]';
  const sql = statement(`select coalesce(${first}, metadata[safe_offset(1)]) as x`, 4);
  expect(sql.split('length("t1"."id")').length - 1).toBe(1);
});
