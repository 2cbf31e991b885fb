import { statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { token } from '../../support/start-service.js';
import { browserPath, eventually, openPage, otherHost, signIn, typeQuery } from '../browser.js';
import {
  allLogs,
  delayQueries,
  drawerOf,
  hashOf,
  rowsOf,
  summaryOf,
  useExplorer,
  waitForRows,
} from '../explorer.js';

const daily =
  'select timestamp_trunc(timestamp, day) as day, count(*) as n from edge_logs group by day order by day';

const byStatus = `select timestamp_trunc(timestamp, day) as day, response.status_code, count(*) as n
from edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as response
group by 1, 2`;

const copyAs = async (page: Page, format: string) => {
  await page.getByTitle('Copy the rows').click();
  await page.getByRole('button', { name: format, exact: true }).click();
};

describe.skipIf(browserPath === undefined)('the results of the explorer in a browser', () => {
  const { browser, service, openSignedIn } = useExplorer();

  const pickTime = async (page: Page, name: string) => {
    await page.getByTitle('Time', { exact: true }).click();
    await page.locator('.pick-time').getByRole('button', { name, exact: true }).click();
  };

  test('times are in the zone of the browser, or in UTC', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', 'select max(timestamp) as newest from edge_logs');
    await pickTime(page, 'All time');
    await waitForRows(page);
    const cell = page.getByRole('gridcell').first();
    await eventually(() => cell.textContent()).toBe('2026-03-10 05:44:30');
    await pickTime(page, 'UTC');
    await eventually(() => cell.textContent()).toBe('2026-03-10 04:44:30');
    await page.getByLabel('From', { exact: true }).fill('2026-03-10T04:00:00');
    await page.getByLabel('To', { exact: true }).fill('2026-03-10T03:00:00');
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
    await page.getByLabel('To', { exact: true }).fill('2026-03-10T04:30:00');
    await page.getByRole('button', { name: 'Apply' }).click();
    await eventually(() => hashOf(page)).toContain('start=2026-03-10T04:00:00Z');
    await eventually(() => cell.textContent()).toBe('2026-03-10 04:28:00');
    expect(await page.getByTitle('Time', { exact: true }).textContent()).toContain('04:00 – 04:30');
  });

  test('a window of time ends at the server’s clock', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', 'select count(*) as n from edge_logs');
    await pickTime(page, 'Last 24 hours');
    await eventually(() => page.getByRole('gridcell').first().textContent()).toBe('183');
  });

  test('daily counts are a chart, which says what it shows', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', daily);
    await pickTime(page, 'All time');
    const chart = page.getByRole('img', { name: /Chart of the rows/ });
    await chart.locator('canvas').waitFor();
    const label = 'From 2026-03-06 00:00 to 2026-03-10 00:00: n up to 262';
    expect(await chart.getAttribute('aria-label')).toContain(label);
  });

  test('counts by day and status are a line for each status', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', byStatus);
    await pickTime(page, 'All time');
    const chart = page.getByRole('img', { name: /Chart of the rows/ });
    await chart.locator('canvas').waitFor();
    expect(await chart.getAttribute('aria-label')).toMatch(/200 up to \d+, 500 up to \d+$/);
    expect(await chart.locator('.u-legend').textContent()).toContain('500');
  });

  test('the histogram counts all matches, and zooms by drag and by keyboard', async () => {
    const page = await openSignedIn(`${allLogs}`);
    await eventually(() => summaryOf(page).textContent()).toBe('Newest 1,000');
    const head = page.locator('.histogram-head');
    await eventually(() => head.textContent()).toMatch(/^1,100 matches.*error 110.*info 990/);
    expect(await page.locator('.axis .cover').count()).toBe(1);
    const plot = page.getByRole('slider');
    const { x, y, width } = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await page.mouse.move(x + width * 0.25, y + 20);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.5, y + 20, { steps: 4 });
    await page.mouse.up();
    await eventually(() => summaryOf(page).textContent()).toMatch(/^[23]\d\d rows$/);
    const zoomed = await hashOf(page);
    expect(zoomed).toMatch(/start=2026-03-0\d/);
    await eventually(() => head.textContent()).toMatch(/^[23]\d\d matches/);
    await plot.focus();
    for (const key of ['ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft'])
      await page.keyboard.press(key);
    await eventually(() => page.locator('.pointed').textContent()).toMatch(/ to .*: \d+/);
    await page.keyboard.press('Enter');
    await eventually(() => hashOf(page)).not.toBe(zoomed);
    const total = () => page.locator('.histogram-head strong').textContent();
    await eventually(total).toMatch(/^\d\d$/);
    await page.goBack();
    await eventually(() => hashOf(page)).toBe(zoomed);
    await eventually(total).toMatch(/^[23]\d\d$/);
    const zoomOut = page.getByRole('button', { name: 'Zoom out' });
    await zoomOut.click();
    await eventually(() => summaryOf(page).textContent()).toBe('Newest 1,000');
    expect(await zoomOut.count()).toBe(0);
    await page.goBack();
    await page.reload();
    await zoomOut.click();
    await eventually(() => summaryOf(page).textContent()).toBe('Newest 1,000');
  });

  test('a level in the legend is a filter, and all others with Alt', async () => {
    const page = await openSignedIn(allLogs);
    const legend = page.locator('.legend.error');
    await eventually(() => legend.textContent()).toBe('error 110');
    await legend.click();
    await eventually(() => summaryOf(page).textContent()).toBe('110 rows');
    expect(await hashOf(page)).toContain('f:edge_logs m.response.status_code:500..599');
    await page.goBack();
    await eventually(() => page.locator('.legend.info').textContent()).toBe('info 990');
    await legend.click({ modifiers: ['Alt'] });
    await eventually(() => summaryOf(page).textContent()).toBe('990 rows');
  });

  test('zoom out leads back also before the bars are counted', async () => {
    const page = await openSignedIn(allLogs);
    await eventually(() => page.locator('.histogram-head').textContent()).toMatch(/^1,100 matches/);
    await delayQueries(page, /unix_micros/, 3000);
    await page.getByRole('slider').focus();
    for (const key of ['ArrowLeft', 'Shift+ArrowLeft', 'Enter']) await page.keyboard.press(key);
    await eventually(() => summaryOf(page).textContent()).toMatch(/^\d\d? rows$/);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await eventually(() => hashOf(page)).not.toContain('start=');
  });

  test('older rows are a click away', async () => {
    const page = await openSignedIn(allLogs);
    await page.getByRole('button', { name: 'Older 1,000' }).click();
    await eventually(() => summaryOf(page).textContent()).toBe('101 rows');
  });

  test('the rows are copied as JSON, and as the CSV that the server gives', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await openSignedIn('#p.project=acme', { permissions });
    const sql =
      'select timestamp, event_message, metadata from edge_logs order by timestamp limit 3';
    const ask = async (format: string) => {
      const query = new URLSearchParams({ project: 'acme', sql, format });
      const url = `${service().url}/api/endpoints/query/logs.all?${query}`;
      return (await fetch(url, { headers: { 'x-api-key': token } })).text();
    };
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await typeQuery(page, 'SQL', sql);
    await pickTime(page, 'All time');
    await waitForRows(page);
    await eventually(() => summaryOf(page).textContent()).toBe('3 rows');
    await copyAs(page, 'JSON');
    const { result } = JSON.parse(await ask('json'));
    await eventually(copied).toBe(JSON.stringify(result, null, 2));
    await copyAs(page, 'CSV');
    await eventually(copied).toBe(await ask('csv'));
  });

  test('over plain HTTP from another host, rows are shown and copied, too', async () => {
    const address = service().url.replace('127.0.0.1', otherHost);
    const { page, faults } = await openPage(browser(), `${address}/${allLogs}`);
    await signIn(page);
    expect(await page.evaluate('isSecureContext')).toBe(false);
    await eventually(() => summaryOf(page).textContent()).toBe('Newest 1,000');
    await copyAs(page, 'JSON');
    await eventually(() => page.locator('.notice').textContent()).toBe('Copied as JSON');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('1,000 wide rows scroll, and only those in view are drawn', async () => {
    const page = await openSignedIn(allLogs);
    await eventually(() => summaryOf(page).textContent()).toBe('Newest 1,000');
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await eventually(() => page.locator('#row-999').count()).toBe(1);
    expect(await rowsOf(page).count()).toBeLessThan(80);
  });

  test.each(['json', 'ndjson', 'csv', 'arrow', 'parquet'])(
    'the rows are downloaded as %s',
    async (format) => {
      const page = await openSignedIn(allLogs);
      await waitForRows(page);
      const download = page.waitForEvent('download');
      await page.getByTitle('Download the rows').click();
      await page.getByRole('button', { name: format.toUpperCase(), exact: true }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe(`logs.all.${format}`);
      expect(statSync(await file.path()).size).toBeGreaterThan(1000);
    },
  );

  test('J and K step through the rows, and Escape gives the focus back to them', async () => {
    const page = await openSignedIn(allLogs);
    await rowsOf(page).nth(1).click();
    const opened = drawerOf(page);
    await eventually(() => opened.locator('.drawer-head').textContent()).toContain('1 of 1,000');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await eventually(() => opened.locator('.drawer-head').textContent()).toContain('2 of 1,000');
    await page.keyboard.press('Escape');
    await opened.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.role')).toBe('grid');
    await page.keyboard.press('Enter');
    await opened.waitFor();
  });
});
