import { parseTree, printTree } from '../values/json-tree.js';
import { sliceJson } from '../values/slice-json.js';

/** Prints the rows of a JSON array in canonical form: `[{"b": 1.0, "a": 2}]` -> `['{"a":2,"b":1}']`. */
export function printRows(json: string): readonly string[] {
  return sliceJson(json).map(({ raw }) => printTree(parseTree(raw), printScalar));
}

/** An integer keeps all its digits. */
function printScalar(raw: string): string {
  return /^-?\d+$/.test(raw) ? raw : JSON.stringify(JSON.parse(raw));
}

/** Lists the differences, a line each: `-` for an expected row that is missing, `+` for an unexpected one. */
export function compareRows(
  expected: readonly string[],
  actual: readonly string[],
): readonly string[] {
  const lines: string[] = [];
  let next = 0;
  for (const row of [...expected, undefined]) {
    const found = row === undefined ? actual.length : actual.indexOf(row, next);
    if (found < 0) lines.push(`  - ${row}`);
    else {
      lines.push(...actual.slice(next, found).map((added) => `  + ${added}`));
      next = found + 1;
    }
  }
  return lines;
}
