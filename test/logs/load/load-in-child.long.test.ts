import { join } from 'node:path';
import { expect, test } from 'vitest';
import { load } from '../../../src/logs/load/load.js';
import { loadSourcesInChild } from '../../../src/logs/load/load-in-child.js';
import { jobsOf, makeFolder } from '../../support/load-logs.js';

const sources = jobsOf('test/acceptance/fixtures/basic');

function optionsOf(memoryLimit = '1GB') {
  return { sources, database: join(makeFolder({}), 'logs.duckdb'), memoryLimit, threads: 2 };
}

test('a child gives the same report', async () => {
  expect(await loadSourcesInChild(optionsOf())).toEqual(await load(optionsOf()));
});

test('the parent gets setup errors of the child', async () => {
  await expect(loadSourcesInChild(optionsOf('much'))).rejects.toThrow('cannot be loaded');
});
