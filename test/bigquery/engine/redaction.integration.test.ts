import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMacros } from '../../../src/engine/duckdb/macro-file.js';
import { macros } from '../../support/macros.js';
import { root } from '../../support/paths.js';
import { redactionFunctions } from '../../support/redaction-functions.js';
import { openScratch } from '../../support/scratch-database.js';

test('the functions on BigQuery have the patterns of the macros', async () => {
  const { connection, close } = await openScratch();
  await createMacros(connection, macros);
  const text = await redactionFunctions(async (name) => {
    const reader = await connection.runAndReadAll(`select bq.pii_${name}_pattern()`);
    return String(reader.getRows()[0]?.[0]);
  });
  close();
  await expect(text).toMatchFileSnapshot(join(root, 'sql/googlesql/redaction.sql'));
});
