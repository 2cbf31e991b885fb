import { expect, test, vi } from 'vitest';
import { unbound } from '../../../src/endpoint/scope.js';
import { noteOnProjects } from '../../../src/explorer/model/first-page.js';
import { createListProjects } from '../../../src/run/known-projects.js';
import { readRows } from '../../../src/run/read-rows.js';
import type { ServedData } from '../../../src/run/serving.js';

vi.mock('../../../src/run/read-rows.js', () => ({
  readRows: vi.fn(async () => ({ rows: [], truncated: false })),
}));

test('a list of projects may have more if it is as long as the server makes one', async () => {
  const data = {
    sources: [{ name: 'edge_logs', projectPath: ['project'] }],
    engine: { dialect: { isRemote: false } },
  } as unknown as ServedData;
  const list = createListProjects({ serving: { use: (work) => work(data) } });
  await list({ id: 'a', scope: unbound }, new AbortController().signal);
  const most = vi.mocked(readRows).mock.lastCall?.[1].maxRows ?? 0;
  const projects = Array.from({ length: most }, (_, index) => `p${index}`);
  expect(noteOnProjects(projects, 'above')).toBe(
    `At most ${most} projects are listed. The name of any other can be typed above.`,
  );
  expect(noteOnProjects(projects.slice(1), 'above')).toBeUndefined();
});
