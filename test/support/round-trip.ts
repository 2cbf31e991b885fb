import { expect } from 'vitest';
import { printGoogleSql } from '../../src/compiler/syntax/print-googlesql.js';
import { parse } from '../../src/compiler/syntax/syntax.js';
import type { Query } from '../../src/compiler/syntax/tree.js';

/** The tree of a text; undefined if it has a syntax error. */
export function parsed(text: string): Query | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The tree without offsets. */
function shape(tree: Query): string {
  return JSON.stringify(tree, (key, value) => (key === 'at' ? undefined : value));
}

/** Expects that printing a tree and parsing the text gives the same tree, and the same text again. */
export function expectSame(tree: Query): void {
  const printed = printGoogleSql(tree);
  const again = parse(printed);
  const [before, after] = [shape(tree), shape(again)];
  // To compare texts is faster, and most trees have their keys in the same order.
  if (after !== before) expect(JSON.parse(after), printed).toEqual(JSON.parse(before));
  const reprinted = printGoogleSql(again);
  // `expect` for each of thousands of texts would take longer than the comparison.
  if (reprinted !== printed) expect(reprinted).toBe(printed);
}
