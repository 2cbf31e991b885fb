import { expect, test } from 'vitest';
import { findLeaks } from '../../support/bigquery-leaks.js';
import { standInTables, startStandIn } from '../../support/bigquery-stand-in.js';

test('no message has a value of another row, but one statement is no wall: some queries fail because of other rows', async () => {
  const { values, ends } = await findLeaks(async (data) => {
    const { environment, close } = await startStandIn({ data });
    return { tables: standInTables, environment, close };
  });
  expect(values).toEqual([]);
  expect(ends.length).toBeGreaterThan(0);
});
