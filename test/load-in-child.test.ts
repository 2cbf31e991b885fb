import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSourcesInChild } from '../src/source/load-in-child.js';
import { declared, loadFolder, makeFolder } from './support/load-logs.js';

const fixtures = '../shared/fixtures/basic';

function loadInChild(dataFolder: string, memoryLimit = '1GB') {
  const database = join(makeFolder({}), 'logs.duckdb');
  const options = { dataFolder, declared, database, memoryLimit, threads: 2, strict: false };
  return loadSourcesInChild(options);
}

test('a child gives the same report', async () => {
  const { database, rows, ...expected } = await loadFolder(fixtures);
  expect(await loadInChild(fixtures)).toEqual(expected);
});

test('faults of the setup cross to the parent', async () => {
  await expect(loadInChild('/nowhere')).rejects.toMatchObject({
    lines: ['data folder /nowhere: there is no such folder'],
  });
  await expect(loadInChild(fixtures, 'much')).rejects.toThrow('cannot be loaded');
});
