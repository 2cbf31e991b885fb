import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failingMacros, macroArguments } from '../../../scripts/macro-arguments.mjs';
import { root } from '../../support/paths.js';

test('macro-arguments.ts is up to date (`npm run build`)', async () => {
  const file = join(root, 'src/compiler/duckdb-sql/passes/macro-arguments.ts');
  expect(readFileSync(file, 'utf8')).toBe(await macroArguments());
});

test('failing-macros.ts is up to date (`npm run build`)', async () => {
  const file = join(root, 'src/compiler/duckdb-sql/failing-macros.ts');
  expect(readFileSync(file, 'utf8')).toBe(await failingMacros());
});
