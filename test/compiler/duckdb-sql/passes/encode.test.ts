import { expect, test } from 'vitest';
import { createCompiler } from '../../../../src/compiler/compile.js';
import type { Field } from '../../../../src/types/types.js';
import { webSource } from '../../../support/web-source.js';

// `request` is encoded as it is stored, without naming its fields, even if the record around it has a field
// that no file has. A record that is a list in the answer is wrapped in one.
test.each([
  ['metadata', `"request" := CASE WHEN (struct_extract("result"."c1", 'request') IS NULL)`],
  ['metadata', `THEN NULL ELSE [struct_extract("result"."c1", 'request')] END`],
  ['items', `CASE WHEN (len("result"."c1") > 0) THEN "result"."c1" ELSE NULL END`],
])('%s is encoded as %s', (column, written) => {
  const sql = `select t.${column} from \`logs.web\` as t`;
  const endpoint = { name: 'one', sql, maxRows: 1, parameters: [] };
  const statement = createCompiler([webSource('struct')]).compile(endpoint).sql;
  expect(statement).toContain(written);
  expect(statement).not.toContain("'absent'");
});

test.each([
  ['', 1],
  ['limit 11', 1],
  ['limit 10', 1],
  ['limit 10 offset 5', 1],
])('of a query that ends in "%s", an answer of at most 10 rows has %i LIMIT', (limit, count) => {
  const sql = `select t.id from \`logs.web\` as t order by 1 ${limit}`;
  const endpoint = { name: 'one', sql, maxRows: 10, parameters: [] };
  const statement = createCompiler([webSource('struct')]).compile(endpoint).sql;
  expect(statement.match(/\bLIMIT\b/g)).toHaveLength(count);
});

test('a column without a name is no field of a struct, whose names are not empty', () => {
  const extra: Field = { name: 'x', type: { kind: 'STRING' }, stored: true, undeclared: true };
  const source = { name: 'web', columns: [...webSource('struct').columns, extra] };
  const sql = 'with w as (select * from `logs.web`) select * from w';
  const endpoint = { name: 'one', sql, maxRows: 10, parameters: [] };
  const caller = { language: 'sql', text: 'select w, upper(w.id) from w' } as const;
  const query = createCompiler([source]).compile(endpoint, caller);
  expect(query.sql).toContain('\'"":\'');
  expect(query.sql).not.toContain('"" :=');
});
