import { expect, test } from 'vitest';
import { createBigQueryTarget } from '../../../src/bigquery/target/target.js';
import { createCompiler } from '../../../src/compiler/compile.js';
import { webSource } from '../../support/web-source.js';

const target = createBigQueryTarget({ tables: 'logs.{source}', sandbox: true });
const compiler = createCompiler([webSource('struct')], { target });

test.each([
  ["range<date> '[2026-1-2, null)'", "RANGE<DATE> '[2026-01-02, UNBOUNDED)'"],
  [
    "range<timestamp> '[2026-01-02 00:00:00+01, 2026-01-03)'",
    "RANGE<TIMESTAMP> '[2026-01-01 23:00:00.000000+00:00, 2026-01-03 00:00:00.000000+00:00)'",
  ],
  ['range(null, date(t.timestamp))', 'RANGE(CAST(NULL AS DATE), DATE(t1.`timestamp`))'],
  ['cast(t.id as range<datetime>)', 'CAST(t1.`id` AS RANGE<DATETIME>)'],
  [
    'generate_range_array(range(t.timestamp, null), interval 1 day, false)',
    'GENERATE_RANGE_ARRAY(RANGE(t1.`timestamp`, CAST(NULL AS TIMESTAMP)), INTERVAL 1 DAY, FALSE)',
  ],
])('BigQuery gets %s', (text, printed) => {
  const sql = `select ${text} as x from \`logs.web\` as t`;
  const { sql: sent } = compiler.compile({ name: 'web', sql, maxRows: 100, parameters: [] });
  expect(sent).toContain(printed);
});
