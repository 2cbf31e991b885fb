import { expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import { cpuMsOf } from '../support/cpu-time.js';
import { webSource } from '../support/web-source.js';

// Each CTE reads the one before it on both sides of a join: 2^50 paths lead to the first one.
const compiler = createCompiler([webSource('struct')]);
const ctes = Array.from(
  { length: 50 },
  (_, n) => `, c${n + 1} as (select a.x from c${n} a join c${n} b on true)`,
).join('');

test.each([
  ['CTEs', `with c0 as (select 1 as x)${ctes} select x from c50`],
  ['CTEs of records', `with c0 as (select id as x from \`logs.web\`)${ctes} select x from c50`],
  ['CTEs of a subquery', `select x from (with c0 as (select 1 as x)${ctes} select x from c50)`],
])('the time to compile chained joins of %s is not exponential', (_what, sql) => {
  const endpoint = { name: 'web', sql, maxRows: 10, parameters: [] };
  const cpuMs = cpuMsOf(() => compiler.compile(endpoint));
  expect(cpuMs).toBeLessThan(5_000);
});

test('nor is that to find the table that LQL reads', () => {
  const sql = `with web as (select id from \`logs.web\`) select x from (with c0 as (select 1 as x)${ctes} select x from c50), web`;
  const endpoint = { name: 'web', sql, maxRows: 10, parameters: [] };
  const cpuMs = cpuMsOf(() => compiler.compile(endpoint, { language: 'lql', text: 's:id' }));
  expect(cpuMs).toBeLessThan(5_000);
});
