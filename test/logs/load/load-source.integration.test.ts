import { appendFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { load } from '../../../src/logs/load/load.js';
import { onlyProject } from '../../../src/logs/store/manifest.js';
import { jobsOf, makeFolder } from '../../support/load-logs.js';
import { createRefreshFixture } from '../../support/refresh-fixture.js';

const ofColumn = (...projects: readonly unknown[]) =>
  projects.map((project, id) => ({ id, timestamp: 1 + id, project, metadata: { x: 1 } }));
const ofMetadata = (...metadata: readonly unknown[]) =>
  metadata.map((each, id) => ({ id, timestamp: 1 + id, metadata: each }));

test.each<readonly [string, string, readonly object[], string | undefined]>([
  ['one project', 'edge_logs', ofColumn('mine', 'mine'), 'mine'],
  ['two', 'edge_logs', ofColumn('mine', 'yours'), undefined],
  ['two that differ in letter case', 'edge_logs', ofColumn('mine', 'Mine'), undefined],
  ['a record without a project', 'edge_logs', ofColumn('mine', null), undefined],
  ['no records', 'edge_logs', [], undefined],
  [
    'one in metadata',
    'function_logs',
    ofMetadata({ project_ref: 'a' }, [{ project_ref: 'a' }]),
    'a',
  ],
  [
    'two in metadata',
    'function_logs',
    ofMetadata({ project_ref: 'a' }, { project_ref: 'b' }),
    undefined,
  ],
  ['no metadata', 'function_logs', ofMetadata({ project_ref: 'a' }, null), undefined],
  [
    'two elements of metadata',
    'function_logs',
    ofMetadata([{ project_ref: 'a' }, { project_ref: 'a' }]),
    undefined,
  ],
])('the only project of %s', async (_name, source, records, expected) => {
  const text = records.map((record) => JSON.stringify(record)).join('\n');
  const folder = makeFolder({ [`${source}.ndjson`]: `${text}\n` });
  const sources = jobsOf(folder);
  const loaded = await load({ memoryLimit: '1GB', threads: 1, sources, database: `${folder}/x` });
  rmSync(folder, { recursive: true });
  expect(loaded.find(({ schema }) => schema.name === source)?.project).toBe(expected);
});

test('takes appended and merged records into account', async () => {
  const line = (project: string, id: number) =>
    `${JSON.stringify({ id: `${id}`, timestamp: 1_773_100_000 + id, project })}\n`;
  const fixture = createRefreshFixture({ 'edge_logs.ndjson': line('mine', 0) });
  const only = () =>
    onlyProject(fixture.manifest().parts.filter(({ source }) => source === 'edge_logs'));
  const append = async (project: string, id: number) => {
    appendFileSync(fixture.path('edge_logs.ndjson'), line(project, id));
    await fixture.refresh();
  };
  await fixture.refresh();
  expect(only()).toBe('mine');
  for (let id = 1; id < 8; id++) await append('mine', id);
  await fixture.merge();
  expect(only()).toBe('mine');
  await append('yours', 9);
  expect(only()).toBeUndefined();
  fixture.remove();
});
