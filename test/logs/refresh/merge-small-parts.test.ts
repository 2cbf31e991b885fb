import { describe, expect, test } from 'vitest';
import { partsToMerge, withMerged } from '../../../src/logs/refresh/merge-small-parts.js';
import { fileReports, type Manifest, type StoredPart } from '../../../src/logs/store/manifest.js';
import type { Field } from '../../../src/types/types.js';
import { manifest, part } from '../../support/plan.js';

const many = 50_000;

/** The manifest after merging the parts. */
function merged(before: Manifest, replaced: readonly StoredPart[]): Manifest {
  const records = replaced.reduce((sum, each) => sum + each.records, 0);
  const whole = { source: 'edge', database: 'merged.duckdb', slices: [], records };
  return withMerged(before, [{ replaced, merged: whole }]);
}

function slicesOf({ parts }: Manifest): readonly string[] {
  return parts
    .filter(({ database }) => database === 'merged.duckdb')
    .flatMap(({ slices }) => slices)
    .map(({ file, from, to, report }) => `${file} ${from.bytes}-${to.bytes}: ${report.records}`)
    .toSorted();
}

test.each([
  [
    'that follow each other become one',
    [part(many, 'edge/a:0-100'), part(many, 'edge/a:100-150'), part(many, 'edge/a:150-200')],
    ['edge/a.ndjson 0-200: 3'],
  ],
  [
    'that are out of order become one, too',
    [part(many, 'edge/a:100-150'), part(many, 'edge/a:150-200'), part(many, 'edge/a:0-100')],
    ['edge/a.ndjson 0-200: 3'],
  ],
  [
    'of several files become one for each file',
    [part(many, 'edge/a:0-100', 'edge/b:0-50'), part(many, 'edge/a:100-150', 'edge/b:50-60')],
    ['edge/a.ndjson 0-150: 2', 'edge/b.ndjson 0-60: 2'],
  ],
  [
    'with others between them stay separate',
    [part(many, 'edge/a:0-100'), part(many, 'edge/a:150-200'), part(many, 'edge/a:200-210')],
    ['edge/a.ndjson 0-100: 1', 'edge/a.ndjson 150-210: 2'],
  ],
])('slices of merged parts %s', (_what, replaced, slices) => {
  const before = manifest('edge/a:1:300 edge/b:2:60', ...replaced, part(many, 'edge/a:210-300'));
  expect(slicesOf(merged(before, replaced))).toEqual(slices);
});

test('the report of a file is the same before and after, also with partial lines', () => {
  const parts = ['0-0', '0-100', '100-150', '150-200'].map((range, index) => {
    const whole = part(many, `edge/a:${range}`);
    // Each slice except the last ended with a partial line, which was completed later.
    const partialLine = index < 3 ? { partialLine: 10 * index + 1 } : {};
    const faults = [10 * index + 1, 10 * index + 2].map((line) => ({
      file: 'a',
      line,
      message: 'no',
    }));
    const slices = whole.slices.map((slice) => {
      return { ...slice, ...partialLine, report: { ...slice.report, badLines: 2, faults } };
    });
    return { ...whole, slices };
  });
  const before = manifest('edge/a:1:200', ...parts);
  const after = merged(before, parts.slice(0, 3));
  expect(slicesOf(after)).toHaveLength(1);
  expect(fileReports(before)).toMatchObject([{ badLines: 5, faults: { length: 5 } }]);
  expect(fileReports(after)).toEqual(fileReports(before));
});

test('parts with few but long records are merged, except the one that is rebuilt anyway', () => {
  const parts = [0, 10, 20, 30, 40].map((mega) =>
    part(2, `edge/a:${mega}000000-${mega + 10}000000`),
  );
  const small = part(2, 'edge/a:50000000-50000100');
  expect(partsToMerge([small, ...parts])).toEqual(parts);
});

describe('a merge under a schema that its source has no more', () => {
  const column = (name: string, kind: 'INT64' | 'FLOAT64' = 'INT64'): Field => {
    return { name, type: { kind }, stored: true };
  };
  const replaced = [part(many, 'edge/a:0-100'), part(many, 'edge/a:100-150')];
  const whole = { source: 'edge', database: 'merged.duckdb', slices: [], records: 2 * many };
  const mergedUnder = (columns: readonly Field[], now: readonly Field[]) => {
    const schemas = [{ name: 'edge', columns: now }];
    const before = { ...manifest('edge/a:1:150', ...replaced), schemas };
    return withMerged(before, [{ replaced, merged: { ...whole, columns } }]).parts;
  };

  test('keeps its columns if others have been added', () => {
    const now = [column('id'), column('x')];
    expect(mergedUnder([column('id')], now)).toMatchObject([{ columns: [column('id')] }]);
    expect(mergedUnder(now, now).map(({ columns }) => columns)).toEqual([undefined]);
  });

  test('is ignored if one of them has another type, or is gone', () => {
    const before = [column('id'), column('x')];
    expect(mergedUnder(before, [column('id'), column('x', 'FLOAT64')])).toEqual(replaced);
    expect(mergedUnder(before, [column('id')])).toEqual(replaced);
  });
});
