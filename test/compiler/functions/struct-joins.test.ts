import { expect, test } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';

test('records that a query makes are compared field by field, so that the engine can join by hash', () => {
  const columns = ['id', 'path'].map((name) => {
    return { name, type: { kind: 'STRING' }, stored: true } as const;
  });
  const made = '(select struct(id as a, path as b) as s from `logs.web`)';
  const sql = `select 1 as x from ${made} a join ${made} b on a.s = b.s`;
  const endpoint = { name: 'web', sql, maxRows: 10, parameters: [] };
  const compiled = createCompiler([{ name: 'web', columns }]).compile(endpoint).sql;
  expect(compiled).toMatch(/JOIN/);
  expect(compiled).not.toMatch(/CASE/);
});
