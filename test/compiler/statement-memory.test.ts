import { expect, test } from 'vitest';
import { createCompiler, type SandboxQuery, type StoredQuery } from '../../src/compiler/compile.js';
import { type Compile, compileHere } from '../../src/compiler/compile-sandbox.js';
import { createStatementMemory } from '../../src/compiler/statement-memory.js';
import type { SourceSchema } from '../../src/types/schema.js';
import { webSource } from '../support/web-source.js';

const endpoint: StoredQuery = {
  name: 'web',
  sql: 'with web as (select * from `logs.web`) select id from web',
  maxRows: 10,
  parameters: [],
};
const source = webSource('struct');
const own: SandboxQuery = { language: 'sql', text: 'select id from web' };
const plain = { redact: false, signal: new AbortController().signal, caller: 'one' };

type Asked = Parameters<Compile>;

function createFixture() {
  const memory = createStatementMemory();
  let runs = 0;
  const over = (...sources: readonly SourceSchema[]): Compile => {
    const compile = compileHere(createCompiler(sources));
    return memory.over(sources, (...asked) => {
      runs += 1;
      return compile(...asked);
    });
  };
  return { over, runs: () => runs };
}

test.each([
  ['a stored text', undefined],
  ["a caller's text", own],
])('%s is compiled once, also for another caller of the scope', async (_what, sandbox) => {
  const { over, runs } = createFixture();
  const compile = over(source);
  const first = await compile(endpoint, sandbox, plain);
  const again = await compile(endpoint, sandbox, { ...plain, caller: 'two' });
  expect(again).toEqual({ query: first.query, compileMs: 0, waitMs: 0 });
  expect(runs()).toBe(1);
});

test.each<[string, Partial<Record<0 | 1 | 2, object | undefined>>]>([
  ['another text', { 1: { ...own, text: 'select id from web ' } }],
  ['another language', { 1: { language: 'lql', text: 's:id' } }],
  ["the endpoint's own text", { 1: undefined }],
  ['another endpoint', { 0: { ...endpoint, name: 'other' } }],
  ['another text of the endpoint', { 0: { ...endpoint, sql: `${endpoint.sql} limit 1` } }],
  ['another limit', { 0: { ...endpoint, maxRows: 11 } }],
  ['all sources', { 0: { ...endpoint, allSources: true } }],
  ['another text of what it reads', { 0: { ...endpoint, reads: [endpoint] } }],
  ['redaction', { 2: { ...plain, redact: true } }],
  ['another scope', { 2: { ...plain, scope: 'other' } }],
  ['another known value', { 2: { ...plain, known: new Map([['x', { isNull: true }]]) } }],
])('%s is compiled for itself', async (_what, changed) => {
  const { over, runs } = createFixture();
  const compile = over(source);
  const asked = Object.assign([endpoint, own, plain], changed) as Asked;
  await compile(endpoint, own, plain);
  await compile(...asked);
  await compile(...asked);
  expect(runs()).toBe(2);
});

test('a statement outlives a refresh of the logs, unless their columns or parts have changed', async () => {
  const { over, runs } = createFixture();
  const runsOver = async (next: SourceSchema) => {
    await over(next)(endpoint, own, plain);
    return runs();
  };
  expect(await runsOver(source)).toBe(1);
  expect(await runsOver(structuredClone(source))).toBe(1);
  const { columns } = source;
  const more = { name: 'more', type: { kind: 'STRING' }, stored: true } as const;
  expect(await runsOver({ ...source, columns: [...columns, more] })).toBe(2);
  expect(await runsOver({ ...source, onlyProject: 'acme' })).toBe(3);
  expect(await runsOver(source)).toBe(3);
});

test('faults and explanations are not remembered', async () => {
  const { over, runs } = createFixture();
  const compile = over(source);
  for (const text of ['select', 'select', 'select nothing from web']) {
    await expect(compile(endpoint, { ...own, text }, plain)).rejects.toThrow();
  }
  expect(runs()).toBe(3);
  for (const _ of [1, 2]) {
    const { stages } = await compile(endpoint, own, { ...plain, explains: true });
    expect(stages?.length).toBeGreaterThan(0);
  }
  expect(runs()).toBe(5);
});
