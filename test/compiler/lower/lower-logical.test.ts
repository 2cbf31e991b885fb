import { expect, test } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';

const compiler = createCompiler([
  { name: 'web', columns: [{ name: 'id', type: { kind: 'STRING' }, stored: true }] },
]);

function sizeOf(condition: string): number {
  const sql = `select ${condition} as x from \`logs.web\``;
  return compiler.compile({ name: 'web', sql, maxRows: 1, parameters: [] }).sql.length;
}

test.each(['', 'not '])('nested operators %s grow with their depth, not exponentially', (not) => {
  const nested = (depth: number): string => {
    if (depth === 0) return 'cast(id as int64) = 0';
    const operator = depth % 2 === 0 ? 'and' : 'or';
    return `${not}(${nested(depth - 1)}) ${operator} 10 / length(id) = ${depth}`;
  };
  expect(sizeOf(nested(14))).toBeLessThan(6 * sizeOf(nested(7)));
});
