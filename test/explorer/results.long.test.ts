import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { token } from '../support/start-service.js';
import { browserPath, eventually, openPage, otherHost, signIn, typeQuery } from './browser.js';
import { rowsOf, run, summaryOf, useExplorer, waitForRows } from './explorer.js';

const daily =
  'select timestamp_trunc(timestamp, day) as day, count(*) as n from edge_logs group by day order by day';

const byStatus = `select timestamp_trunc(timestamp, day) as day, response.status_code, count(*) as n
from edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as response
group by 1, 2`;

describe.skipIf(browserPath === undefined)('the results of the explorer in a browser', () => {
  const { browser, service, openSignedIn } = useExplorer();

  test('times are in the zone of the browser, or in UTC', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', 'select max(timestamp) as newest from edge_logs');
    await run(page);
    const cell = page.getByRole('gridcell').first();
    await eventually(() => cell.textContent()).toBe('2026-03-10 05:44:30.000');
    await page.getByRole('button', { name: 'Local time' }).click();
    await eventually(() => cell.textContent()).toBe('2026-03-10 04:44:30.000');
    await page.getByLabel('From, UTC').fill('2026-03-10T04:00:00');
    await page.getByRole('button', { name: 'UTC', exact: true }).click();
    expect(await page.getByLabel('From, local time').inputValue()).toBe('2026-03-10T05:00');
    await page.getByLabel('From, local time').fill('2026-03-10T05:30:00');
    await eventually(() => page.evaluate('location.hash')).toContain('2026-03-10T04%3A30%3A00Z');
  });

  test('a window of time ends at the server’s clock', async () => {
    const page = await openSignedIn();
    await page.getByLabel('Time', { exact: true }).selectOption('day');
    await typeQuery(page, 'SQL', 'select count(*) as n from edge_logs');
    await run(page);
    await eventually(() => page.getByRole('gridcell').first().textContent()).toBe('183');
  });

  test('daily counts are a chart, which says what it shows', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', daily);
    await run(page);
    const chart = page.getByRole('img', { name: /Chart of the rows/ });
    await chart.locator('canvas').waitFor();
    const label = 'From 2026-03-06 00:00 to 2026-03-10 00:00: n up to 262';
    expect(await chart.getAttribute('aria-label')).toContain(label);
  });

  test('counts by day and status are a line for each status', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', byStatus);
    await run(page);
    const chart = page.getByRole('img', { name: /Chart of the rows/ });
    await chart.locator('canvas').waitFor();
    expect(await chart.getAttribute('aria-label')).toMatch(/200 up to \d+, 500 up to \d+$/);
    expect(await chart.locator('.u-legend').textContent()).toContain('500');
  });

  test('a stretch that is marked in the histogram becomes the time that is asked for', async () => {
    const page = await openSignedIn();
    await page.getByRole('button', { name: 'Local time' }).click();
    await typeQuery(page, 'SQL', 'select timestamp, id from edge_logs order by timestamp desc');
    await run(page);
    await eventually(() => summaryOf(page).textContent()).toBe('1,000+ rows');
    const plot = page.getByRole('img', { name: /Rows over time/ }).locator('.u-over');
    const { x, y, width, height } = (await plot.boundingBox()) ?? {
      x: 0,
      y: 0,
      width: 0,
      height: 0,
    };
    await page.mouse.move(x + width * 0.25, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.5, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await eventually(() => summaryOf(page).textContent()).toMatch(/^2\d\d rows$/);
    const [from, to] = [page.getByLabel('From, UTC'), page.getByLabel('To, UTC')];
    const newest = (await page.getByRole('gridcell').first().textContent()) ?? '';
    expect(newest.replace(' ', 'T') < `${await to.inputValue()}`).toBe(true);
    expect(newest.replace(' ', 'T') > `${await from.inputValue()}`).toBe(true);
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
    await run(page);
    await waitForRows(page);
    await page.getByRole('button', { name: 'Copy JSON' }).click();
    const { result } = JSON.parse(await ask('json'));
    await eventually(copied).toBe(JSON.stringify(result, null, 2));
    await page.getByRole('button', { name: 'Copy CSV' }).click();
    await eventually(copied).toBe(await ask('csv'));
  });

  test('over plain HTTP from another host, rows are shown and copied, too', async () => {
    const address = service().url.replace('127.0.0.1', otherHost);
    const { page, faults } = await openPage(browser(), `${address}/#p.project=acme`);
    await signIn(page);
    expect(await page.evaluate('isSecureContext')).toBe(false);
    await run(page);
    await eventually(() => summaryOf(page).textContent()).toBe('100 rows');
    await page.getByRole('button', { name: 'Copy JSON' }).click();
    await eventually(() => page.locator('.notice').textContent()).toBe('Copied as JSON');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('1,000 wide rows scroll, and only those in view are drawn', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', 'select * from edge_logs order by timestamp');
    await run(page);
    await eventually(() => summaryOf(page).textContent()).toBe('1,000+ rows');
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await eventually(() => page.locator('#row-999').count()).toBe(1);
    expect(await rowsOf(page).count()).toBeLessThan(80);
  });

  test.each(['json', 'ndjson', 'csv', 'arrow', 'parquet'])(
    'the rows are downloaded as %s',
    async (format) => {
      const page = await openSignedIn();
      await run(page);
      const download = page.waitForEvent('download');
      await page.getByLabel('Download as').selectOption(format);
      const file = await download;
      expect(file.suggestedFilename()).toBe(`logs.all.${format}`);
      expect(statSync(await file.path()).size).toBeGreaterThan(1000);
    },
  );

  test('Escape closes the opened row, and the focus is in the rows again', async () => {
    const page = await openSignedIn();
    await run(page);
    await rowsOf(page).nth(1).click();
    const opened = page.getByRole('region', { name: 'Opened row' });
    await opened.getByRole('button').first().focus();
    await page.keyboard.press('Escape');
    await opened.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.role')).toBe('grid');
    await page.keyboard.press('Enter');
    await opened.waitFor();
    await page.keyboard.press('Escape');
    await opened.waitFor({ state: 'detached' });
  });
});
