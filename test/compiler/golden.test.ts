import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type * as bound from '../../src/compiler/bound/bound.js';
import { printStatement } from '../../src/compiler/duckdb-sql/print.js';
import { lower } from '../../src/compiler/lower/lower.js';
import { resolve } from '../../src/compiler/resolve/resolve.js';
import { noKnownValues } from '../../src/compiler/rewrite/fold-constants.js';
import { rewrite } from '../../src/compiler/rewrite/rewrite.js';
import { parse } from '../../src/compiler/syntax/syntax.js';
import { root } from '../support/paths.js';
import { webSource } from '../support/web-source.js';

const folder = join(root, 'test/compiler/golden');

/** The pairs of a file: a title, BigQuery's text and DuckDB's, each text up to a line with `;` alone. */
function readPairs(file: string) {
  const text = readFileSync(join(folder, file), 'utf8');
  const pairs = /^-- (.*)\n([\s\S]*?)\n;\n([\s\S]*?)\n;$/gm;
  const body = text.slice(text.indexOf('\n\n'));
  return [...body.matchAll(pairs)].map(([, title = '', bigQuery = '', duck = '']) => ({
    title,
    bigQuery,
    duck,
  }));
}

describe.each(readdirSync(folder))('%s', (file) => {
  const pairs = readPairs(file);

  test('has pairs with unique titles', () => {
    expect(new Set(pairs.map(({ title }) => title)).size).toBe(pairs.length);
    expect(pairs.length).toBeGreaterThan(0);
  });

  test.each(pairs)('$title', ({ bigQuery, duck }) => {
    const { query } = resolve(parse(bigQuery), {
      sources: new Map([['web', webSource('struct')]]),
      parameters: new Map([['now_', { kind: 'TIMESTAMP' }]]),
      ctes: [],
    });
    expect(printed(query)).toBe(duck);
  });
});

function printed(query: bound.Query): string {
  const plan = { steps: [], answer: rewrite(query, noKnownValues) };
  return printStatement(lower(plan, { redactSteps: false, redactAnswer: false }).answer.query);
}
