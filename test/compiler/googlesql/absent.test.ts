import { expect, test } from 'vitest';
import { createBigQueryTarget } from '../../../src/bigquery/target/target.js';
import { createCompiler } from '../../../src/compiler/compile.js';
import { unstored } from '../../../src/types/types.js';
import { webSource } from '../../support/web-source.js';

// A table without declared columns: arrays are empty there, and everything else is NULL.
const source = webSource('list');
const columns = source.columns.map((column) =>
  ['tags', 'items', 'project'].includes(column.name)
    ? { ...column, type: unstored(column.type), stored: false }
    : column,
);
const target = createBigQueryTarget({ tables: 'logs.{source}', sandbox: true });
const compiler = createCompiler([{ ...source, columns }], { target });

test.each([
  ['array_length(tags)', 'ARRAY_LENGTH(ARRAY<STRING>[])'],
  ['array_length(items)', 'ARRAY_LENGTH(ARRAY<STRUCT<'],
  ['project', 'CAST(NULL AS STRING)'],
])('%s', (expression, printed) => {
  const sql = `select ${expression} as x from \`logs.web\``;
  const compiled = compiler.compile({ name: 'web', sql, maxRows: 10, parameters: [] });
  expect(compiled.sql).toContain(printed);
});
