import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/start-service.js';
import { browserPath, eventually, launch, openPage, violationsOf } from './browser.js';
import { lineOf, writeLogs } from './web-logs.js';

describe.skipIf(browserPath === undefined)('the explorer in a browser, with a printed link', () => {
  const folder = writeLogs();
  let browser: Browser;
  let service: Service;

  beforeAll(async () => {
    [browser, service] = await Promise.all([
      launch(),
      startService(['--data', folder, '--watch'], { LOG_ENDPOINTS_TOKENS: '' }),
    ]);
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  test('the code of the link is exchanged once, and is not in the address; new records are followed', async () => {
    await eventually(() => service.output()).toMatch(/#code=\S+/);
    const [link = ''] = /http:\S+#code=\S+/.exec(service.output()) ?? [];
    const { page, urls, faults } = await openPage(browser, link);
    await page.getByRole('heading', { level: 1, name: 'logs.all' }).waitFor();
    expect(page.url()).not.toContain('code');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(urls.filter((url) => url.includes('code='))).toEqual([]);

    const again = await openPage(browser, link);
    await eventually(() => again.page.getByRole('alert').textContent()).toContain('used before');
    await again.page.context().close();

    // The link names a project of the logs, so there are rows at once.
    expect(await page.getByLabel('project').inputValue()).toMatch(/^(?:acme|evil)$/);
    await page.locator('.results .summary').waitFor();
    await page.getByLabel('project').fill('acme');
    await page.getByRole('button', { name: 'Live tail' }).click();
    await page.getByLabel('Filter in LQL').fill('m.response.status_code:>=500');
    await page.getByRole('button', { name: 'Follow' }).click();
    await eventually(() => page.locator('.tail-status').textContent()).toContain('Following');
    const append = (path: string, status: number) => {
      const line = lineOf({ path, status, timestamp: new Date().toISOString() });
      appendFileSync(join(folder, 'edge_logs.ndjson'), line);
    };
    for (const status of [500, 200, 502, 503]) append('/followed', status);
    const countOf = async (path: string) => {
      const [, token = ''] = /made for this run: (\S+)/.exec(service.output()) ?? [];
      const sql = `select count(*) as n from edge_logs where event_message like '%${path}'`;
      const query = new URLSearchParams({ project: 'acme', sql });
      const url = `${service.url}/api/endpoints/query/logs.all?${query}`;
      const response = await fetch(url, { headers: { 'x-api-key': token } });
      return ((await response.json()) as { result: { n: number }[] }).result[0]?.n;
    };
    const count = () => page.locator('.tail-status').textContent();
    await eventually(count).toContain('3 new records');
    expect(await page.getByRole('gridcell').filter({ hasText: '| 503 |' }).count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('button', { name: 'Pause' }).click();
    append('/while-paused', 500);
    await eventually(() => countOf('/while-paused')).toBe(1);
    expect(await count()).toContain('Paused 3 new records');
    await page.getByRole('button', { name: 'Resume' }).click();
    await eventually(count).toContain('4 new records');

    // Choosing another source changes nothing until the tail starts again, which closes the opened row.
    await page.getByRole('gridcell').filter({ hasText: '| 503 |' }).click();
    const source = page.getByLabel('Source');
    await source.selectOption('auth_logs');
    await eventually(() => page.locator('.record .value').allTextContents()).toContain('/followed');
    await source.selectOption('edge_logs');
    await page.getByRole('button', { name: 'Start again' }).click();
    await eventually(count).toContain('Following 0 new records');
    append('/again', 500);
    await eventually(count).toContain('1 new record');
    expect(await page.getByRole('region', { name: 'Opened row' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.results .summary').waitFor();
    expect(await page.locator('.tail-status').count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
