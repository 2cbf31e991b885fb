import { expect, test, vi } from 'vitest';
import { canFollow, noteOnProjects } from '../../../src/explorer/app/app-state.js';
import { emptyState } from '../../../src/explorer/model/page-state.js';
import { createListProjects } from '../../../src/run/known-projects.js';
import { readRows } from '../../../src/run/read-rows.js';
import type { ServedData } from '../../../src/run/serving.js';
import { endpoint } from '../tables.js';

vi.mock('../../../src/run/read-rows.js', () => ({
  readRows: vi.fn(async () => ({ rows: [], truncated: false })),
}));

test('a list of projects may have more if it is as long as the server makes one', async () => {
  const data = {
    sources: [{ name: 'edge_logs', projectPath: ['project'] }],
    engine: { dialect: { isRemote: false } },
  } as unknown as ServedData;
  const list = createListProjects({ serving: { use: (work) => work(data) } });
  await list({ id: 'a', scope: {} }, new AbortController().signal);
  const most = vi.mocked(readRows).mock.lastCall?.[1].maxRows ?? 0;
  const projects = Array.from({ length: most }, (_, index) => `p${index}`);
  expect(noteOnProjects({ projects }, 'above')).toBe(
    `At most ${most} projects are listed. The name of any other can be typed above.`,
  );
  expect(noteOnProjects({ projects: projects.slice(1) }, 'above')).toBeUndefined();
});

test('Live waits for the values that the endpoint requires', () => {
  const catalog = { endpoints: [endpoint], functions: [], canTail: true };
  const live = { ...emptyState, isLive: true };
  const typed = { ...live, values: { project: 'a' } };
  expect(canFollow({ catalog, page: typed, followed: live }, endpoint)).toBe(false);
  expect(canFollow({ catalog, page: live, followed: typed }, endpoint)).toBe(true);
  expect(canFollow({ catalog, page: emptyState, followed: typed }, endpoint)).toBe(false);
});
