import { describe, expect, test } from 'vitest';
import { findLeaks } from '../../support/bigquery-leaks.js';
import { createTables, testDataset } from '../../support/bigquery-project.js';

describe.skipIf(testDataset() === undefined)('on a real project', () => {
  test("no caller's query tells anything about rows of another project", async () => {
    expect(await findLeaks(createTables)).toEqual({ values: [], ends: [] });
  }, 1_800_000);
});
