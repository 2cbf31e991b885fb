import { appendFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { tinyPartRecords } from '../../../src/logs/refresh/drop-parts.js';
import { openLogsRunner } from '../../support/query-logs.js';
import { createRefreshFixture, line, lines } from '../../support/refresh-fixture.js';

const edge = 'edge_logs/a.ndjson';
const project = 'p';
const known = {
  project,
  metadata: { own: 1.5, request: { path: '/a' }, list: [{ a: 1 }, { b: 'x' }], 'a@b.cd': 1 },
};
const fixture = createRefreshFixture(
  { [edge]: lines(0, tinyPartRecords) + line(899, known) + line(799, { project }) },
  true,
  20,
);
afterEach(() => fixture.remove());

/** A statement with a body that fails: its answer is in the kept rows, or there is none. */
const nothing = { sql: 'select', steps: [] } as const;

test('rows that were kept before a field was new are still answered if it is not declared', async () => {
  const columns = (more: string) => `select id, timestamp, project, metadata${more} from
    \`logs.edge_logs\` where project = 'p' order by timestamp desc, id limit 5`;
  const ask = async (more: string, change = {}) => {
    const runner = await openLogsRunner(fixture.logs());
    const statement = { ...runner.prepare(columns(more)), ...change };
    const { signal } = new AbortController();
    const answer = await runner.engine.run(statement, { signal }).finally(() => runner.close());
    return Buffer.from(answer.body).toString();
  };
  const expectKept = async (more: string) =>
    expect(await ask(more, nothing)).toBe(await ask(more, { newest: undefined }));
  await fixture.refresh();
  await expectKept('');
  const metadata = [
    { own: 2, extra: [{ c: 3 }], request: { extra: true } },
    { list: [{ d: 4 }], own: 3, request: [{ path: '/b' }, {}] },
  ];
  appendFileSync(fixture.path(edge), line(900, { project, metadata }));
  await fixture.refresh();
  await expectKept('');
  appendFileSync(fixture.path(edge), line(901, { project, late: 'x' }));
  await fixture.refresh();
  expect(fixture.logs().sources.flatMap(({ parts = [] }) => parts)).toHaveLength(4);
  await expectKept('');
  await expectKept(', late');
  // A declared field is shown in all records.
  appendFileSync(
    fixture.path(edge),
    line(902, { project, metadata: { request: { method: 'GET' } } }),
  );
  await fixture.refresh();
  expect(await ask('')).toContain('"method":null');
  await expect(ask('', nothing)).rejects.toThrow();
});
