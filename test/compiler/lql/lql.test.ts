import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseLql } from '../../../src/compiler/lql/lql.js';
import { lqlToTree } from '../../../src/compiler/lql/lql-to-tree.js';
import { printGoogleSql } from '../../../src/compiler/syntax/print-googlesql.js';
import { parse } from '../../../src/compiler/syntax/syntax.js';
import { lineAndColumn, QueryFault } from '../../../src/errors/query-fault.js';
import { cpuMsOf } from '../../support/cpu-time.js';
import { lqlScope } from '../../support/lql-tables.js';
import { root } from '../../support/paths.js';

/** Rows of a LQL query and either the SQL that it means, on one line, or its fault. */
function readRows<T extends readonly unknown[]>(
  file: string,
): readonly (readonly [string, ...T])[] {
  return JSON.parse(readFileSync(join(root, 'test/compiler/lql', file), 'utf8'));
}

function treeOf(text: string) {
  return lqlToTree(parseLql(text), lqlScope);
}

function printed(text: string): string {
  const lines = printGoogleSql(treeOf(text)).replaceAll(/\s*\n\s*/g, ' ');
  return lines.replaceAll('( ', '(').replaceAll(' )', ')');
}

/** The text between the first WHERE and the last ORDER BY. */
function conditionOf(text: string): string | undefined {
  return / WHERE (.*) ORDER BY `logs`.`timestamp` DESC$/.exec(printed(text))?.[1];
}

describe('a filter', () => {
  test.each(readRows<[string]>('conditions.json'))('%s', (text, expected) => {
    expect(conditionOf(text)).toBe(expected);
  });
});

describe('a query', () => {
  test.each(readRows<[string]>('queries.json'))('%s', (text, expected) => {
    expect(printed(text)).toBe(expected);
  });
});

test('printed queries parse as GoogleSQL', () => {
  const rows = [...readRows<[string]>('conditions.json'), ...readRows<[string]>('queries.json')];
  expect(rows.length).toBeGreaterThan(100);
  for (const [text] of rows) expect(() => parse(printGoogleSql(treeOf(text))), text).not.toThrow();
});

function faultOf(text: string): QueryFault | undefined {
  try {
    treeOf(text);
  } catch (fault) {
    if (fault instanceof QueryFault) return fault;
    throw fault;
  }
  return undefined;
}

describe('a fault', () => {
  test.each(readRows<[number, number, string]>('faults.json'))(
    '%s',
    (text, line, column, message) => {
      const fault = faultOf(text);
      expect(fault && [lineAndColumn(text, fault.at), fault.reason, fault.message]).toEqual([
        { line, column },
        'invalidQuery',
        message,
      ]);
    },
  );
});

test('f: is required if the endpoint has no default table', () => {
  const tables = { ...lqlScope, defaultTable: undefined };
  expect(() => lqlToTree(parseLql('s:id'), tables)).toThrow('The query needs an f: clause');
  expect(printGoogleSql(lqlToTree(parseLql('f:logs s:id'), tables))).toContain('FROM `logs`');
});

const long = 64 * 1024;

test.each([
  ['dots', '.'.repeat(long)],
  ['a path of many parts', `m${'.a'.repeat(long / 2 - 2)}:x`],
  ['a path without names', `m${'.'.repeat(long - 3)}:x`],
  ['quotes', '"'.repeat(long)],
  ['backslashes in a quote', `"${'\\'.repeat(long - 1)}`],
  ['an unclosed quote of escapes', `id:"${'\\"'.repeat(long / 2 - 2)}`],
  ['colons', `a${':'.repeat(long - 1)}`],
  ['minuses', '-'.repeat(long)],
  ['digits', `m.size:${'9'.repeat(long - 7)}`],
  ['braces', `t:2026-03-${'{01..05}'.repeat(long / 8 - 2)}`],
  ['a range of dots', `t:${'..'.repeat(long / 2 - 1)}`],
  ['white space', ' '.repeat(long)],
  ['many items', 'a '.repeat(long / 2)],
  ['brackets', `c:count${'('.repeat(long - 7)}`],
  ['letters', `f:${'a'.repeat(long - 2)}`],
])('64 KiB of %s is compiled or refused quickly', (_what, text) => {
  const took = cpuMsOf(() => expect([undefined, 'invalidQuery']).toContain(faultOf(text)?.reason));
  expect(took).toBeLessThan(2_000);
});
