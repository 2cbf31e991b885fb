import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../../support/start-service.js';
import { browserPath, eventually, launch, openPage, violationsOf } from '../browser.js';
import { rowsOf } from '../explorer.js';
import { lineOf, writeLogs } from '../web-logs.js';

const scrollTopOf = (element: { readonly scrollTop: number }) => element.scrollTop;

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
    expect(urls.filter((url) => url.includes('code='))).toEqual([]);

    const again = await openPage(browser, link);
    await eventually(() => again.page.getByRole('alert').textContent()).toContain('used before');
    await again.page.context().close();

    // The link names a project of the logs, so there are rows at once.
    await page.locator('.results .summary').waitFor();
    const filtered =
      '#endpoint=logs.all&p.project=acme&lql=f:edge_logs+m.response.status_code:>=500';
    await page.goto(`${service.url}/${filtered}`);
    await page.locator('.results[aria-busy=false] .summary').waitFor();
    const bars = page.locator('.histogram rect').first();
    await bars.waitFor();
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    const count = () => page.locator('.tail .summary').textContent();
    await eventually(count).toMatch(/^Live edge_logs m\.response\.status_code:>=500/);
    // Live goes on from the rows and their histogram.
    expect(await rowsOf(page).count()).toBeGreaterThan(10);
    expect(await bars.count()).toBe(1);
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
    await eventually(count).toContain('3 new records');
    expect(await page.getByRole('gridcell').filter({ hasText: '| 503 |' }).count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('button', { name: 'Pause' }).click();
    append('/while-paused', 500);
    await eventually(() => countOf('/while-paused')).toBe(1);
    expect(await count()).toMatch(/^Paused.*3 new records/);
    const held = page.getByRole('button', { name: 'Resume, 1 new' });
    await held.waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await eventually(count).toContain('4 new records');

    // An opened record pauses, and stays where it is.
    await page.getByRole('gridcell').filter({ hasText: '| 503 |' }).click();
    await eventually(() => page.locator('.drawer .value').allTextContents()).toContain('/followed');
    await eventually(count).toMatch(/^Paused/);
    append('/later', 500);
    await eventually(() => countOf('/later')).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('grid').focus();
    await page.keyboard.press(' ');
    await eventually(count).toContain('5 new records');

    // Scrolling an opened record does not pause.
    await page.getByRole('gridcell').filter({ hasText: '| 502 |' }).click();
    await eventually(count).toMatch(/^Paused/);
    await page.getByRole('grid').focus();
    await page.keyboard.press(' ');
    await eventually(count).toMatch(/^Live/);
    await page.locator('.drawer').getByRole('button', { name: 'JSON', exact: true }).click();
    await page.setViewportSize({ width: 1280, height: 300 });
    await page.locator('.drawer .json').hover();
    await page.mouse.wheel(0, 100);
    await eventually(() => page.locator('.drawer .json').evaluate(scrollTopOf)).toBeGreaterThan(0);
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await count()).toMatch(/^Live/);
    await page.keyboard.press('Escape');

    // New rows come on top; scrolling down pauses.
    for (let index = 0; index < 60; index++) append(`/many-${index}`, 500);
    await eventually(count).toContain('65 new records, ');
    await eventually(count).toMatch(/, \d+(\.\d)? a second$/);
    append('/newest', 500);
    await eventually(() => page.locator('#row-0').textContent()).toContain('/newest');
    await page.getByRole('grid').hover();
    await page.mouse.wheel(0, 300);
    await eventually(count).toMatch(/^Paused/);
    append('/while-scrolled', 500);
    await held.click();
    append('/after-the-scroll', 500);
    await eventually(count).toContain('68 new records');
    await eventually(() => page.locator('#row-0').textContent()).toContain('/after-the-scroll');

    // Start and stop are entries of the history; the rows stay.
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.results .times').waitFor();
    expect(await page.locator('#row-0').textContent()).toContain('/after-the-scroll');
    await eventually(() => page.locator('.histogram-head').textContent()).toMatch(/^178 matches/);
    expect(await page.locator('.tail').count()).toBe(0);
    expect(page.url()).not.toContain('live=on');
    await page.goBack();
    await eventually(count).toMatch(/^Live edge_logs.*0 new records/);
    expect(page.url()).toContain('live=on');
    await page.goBack();
    await page.locator('.results .times').waitFor();
    await page.goForward();
    await page.goForward();
    await page.locator('.results .times').waitFor();
    expect(await page.locator('.tail').count()).toBe(0);

    // Another live link is followed instead, and one without a project waits for that.
    const live = (rest: string) => `${service.url}/#endpoint=logs.all&live=on&${rest}`;
    await page.goto(live('p.project=acme&lql=f:edge_logs'));
    await eventually(count).toMatch(/^Live edge_logs/);
    await page.goto(live('p.project=acme&lql=f:auth_logs'));
    await eventually(count).toMatch(/^Live auth_logs/);
    await page.goBack();
    await eventually(count).toMatch(/^Live edge_logs/);
    await page.goto(live('lql=f:edge_logs'));
    await page.reload();
    await page.getByRole('heading', { name: 'Choose a project' }).waitFor();
    expect(await page.locator('.tail').count()).toBe(0);
    await page.locator('.ways li', { hasText: 'acme' }).getByRole('button').click();
    await eventually(count).toMatch(/^Live edge_logs/);

    // SQL of comparisons is followed as LQL; other queries are not, and the button says why.
    const sql = (text: string) =>
      page.goto(`${service.url}/#p.project=acme&endpoint=logs.all&sql=${text}`);
    await sql('select id from edge_logs where length(id) > 1');
    const button = page.getByRole('button', { name: 'Live', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    await eventually(() => page.locator('.notice').textContent()).toMatch(
      /^Live follows LQL, and SQL/,
    );
    expect(await page.locator('.tail').count()).toBe(0);
    await sql("select id from edge_logs where event_message = 'none'");
    await page.locator('.results[aria-busy=false] .summary').waitFor();
    await button.click();
    await eventually(count).toMatch(/^Live edge_logs event_message:"none"/);
    await page.goBack();
    await page.locator('.empty').waitFor();
    expect(faults).toEqual([]);
  });
});
