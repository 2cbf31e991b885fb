import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { macroNames, makeTwins, splitStatements } from '../../../scripts/macro-twins.mjs';
import { failingMacros } from '../../../src/compiler/duckdb-sql/failing-macros.js';
import { macros } from '../../support/macros.js';
import { root } from '../../support/paths.js';

const names = macroNames(macros);

describe('twins', () => {
  test('call twins, and cast with TRY_CAST', () => {
    const text = `-- A comment with cast(x as bigint).
      create macro bq.fail_int64(message) as cast(message as bigint);
      create macro bq.safe_fail_int64(message) as cast(null as bigint);
      create macro bq.plain(x) as x + 1;
      create macro bq.checked(x) as case when x < 0 then bq.fail_int64('negative: ' || x) else cast(x as int) end;
      create macro bq.twice(x) as bq.checked(bq.plain(bq.checked(x)));`.replaceAll(/^ +/gm, '');
    const twins = splitStatements(makeTwins(text, new Set(['fail_int64', 'checked', 'twice'])));
    expect(twins.map((twin) => twin.trim())).toEqual([
      "create macro bq.safe_checked(x) as case when x < 0 then bq.safe_fail_int64('negative: ' || x) else try_cast(x as int) end;",
      'create macro bq.safe_twice(x) as bq.safe_checked(bq.plain(bq.safe_checked(x)));',
    ]);
  });

  test('exist of every macro that fails', () => {
    const alone = [...failingMacros].filter((name) => !names.has(`safe_${name}`));
    expect(failingMacros.size).toBeGreaterThan(150);
    expect(alone).toEqual([]);
  });

  test('are those that the build wrote last', () => {
    const written = readFileSync(join(root, 'sql/bigquery/twins.sql'), 'utf8');
    const others = macros.replace(written, '');
    expect(makeTwins(others, failingMacros)).toBe(written);
  });
});

test('no macro holds a TRY', () => {
  expect(splitStatements(macros).filter((statement) => /\btry\s*\(/i.test(statement))).toEqual([]);
});
