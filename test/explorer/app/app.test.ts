import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { App } from '../../../src/explorer/app/app.js';
import { canFollow, followedPage, noRun } from '../../../src/explorer/app/app-state.js';
import { emptyState } from '../../../src/explorer/model/page-state.js';
import { endpoint } from '../tables.js';

const address = { origin: 'http://localhost', pathname: '/', href: '', hash: '' };

beforeEach(() => {
  vi.useFakeTimers();
  const enter = (_state: unknown, _title: string, href: string) => {
    Object.assign(address, { href, hash: new URL(href).hash });
  };
  vi.stubGlobal('location', address);
  vi.stubGlobal('history', { pushState: enter, replaceState: enter });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** An app whose page shows an LQL query. */
function appWith(isLive: boolean): App {
  const app = new App();
  const catalog = { endpoints: [endpoint], functions: [], canTail: true };
  const values = { project: 'a' };
  const page = {
    ...emptyState,
    endpoint: endpoint.name,
    language: 'lql',
    lql: 'f:a',
    values,
  } as const;
  app.store.update({ catalog, page: { ...page, isLive } });
  vi.spyOn(app.runner, 'run').mockResolvedValue(false);
  return app;
}

test('a run does not check the query again', async () => {
  await appWith(false).run();
  expect(vi.getTimerCount()).toBe(0);
});

test('a run stops Live', async () => {
  const app = appWith(true);
  await app.run();
  expect(app.store.get().page.isLive).toBe(false);
  expect(address.hash).not.toContain('live');
});

test('Live follows the query of its rows, which is that of its entry in the history, not one that is typed later', () => {
  const app = appWith(false);
  const { page } = app.store.get();
  const result = { rows: [], isTruncated: false, note: '', cache: '', timing: '', totalMs: 0 };
  const rows = { result, columns: [], asked: page, body: {} };
  app.store.update({ run: { ...noRun, kind: 'done', rows } });
  expect(followedPage(app.store.get())).toBeUndefined();
  app.toggleLive();
  app.change({ lql: 'f:b' });
  expect(followedPage(app.store.get())).toBe(page);
  expect(app.runner.run).not.toHaveBeenCalled();
  expect(address.hash).toContain('lql=f%3Aa&live=on');
});

test('Live runs a query that was typed, and waits for its rows', () => {
  const app = appWith(false);
  app.toggleLive();
  expect(app.runner.run).toHaveBeenCalledOnce();
  expect(followedPage(app.store.get())).toBeUndefined();
});

test('Live needs the values that the endpoint requires', () => {
  const state = appWith(false).store.get();
  expect(canFollow(state, endpoint)).toBe(true);
  expect(canFollow({ ...state, page: emptyState }, endpoint)).toBe(false);
});
