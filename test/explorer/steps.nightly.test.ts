import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startService, token } from '../support/start-service.js';
import { browserPath, eventually, openPage, signIn, typeQuery } from './browser.js';
import {
  allLogs,
  delayQueries,
  drawerOf,
  hashOf,
  rowsOf,
  run,
  summaryOf,
  useExplorer,
  waitForRows,
} from './explorer.js';
import { writeLogs } from './web-logs.js';

describe.skipIf(browserPath === undefined)('step after step in a browser', () => {
  const { browser, service, open, openSignedIn } = useExplorer();

  /** The state after a step: the number of rows, the range, the filters and the opened record. */
  const stateOf = async (page: Page) => ({
    hash: await hashOf(page),
    rows: await summaryOf(page).textContent(),
    time: await page.getByTitle('Time', { exact: true }).textContent(),
    isOpen: (await drawerOf(page).count()) === 1,
  });

  test('Back undoes a filter, a zoom, a window, a source and a record; Forward does them again', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    await eventually(() => summaryOf(page).textContent()).toBe('Newest 1,000');
    const seen = [await stateOf(page)];
    const steps: readonly (() => Promise<unknown>)[] = [
      async () => {
        await page.getByRole('button', { name: /^response\.status_code/ }).click();
        await page.getByRole('button', { name: 'Only 500', exact: true }).click();
        await eventually(() => summaryOf(page).textContent()).toBe('110 rows');
      },
      async () => {
        await page.getByRole('slider').focus();
        for (const key of ['ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft', 'Enter'])
          await page.keyboard.press(key);
        await eventually(() => hashOf(page)).toContain('iso_timestamp_start');
        await eventually(() => summaryOf(page).textContent()).toMatch(/^\d rows?$/);
      },
      async () => {
        await page.getByTitle('Time', { exact: true }).click();
        await page.getByRole('button', { name: 'Last 24 hours' }).click();
        await eventually(() => summaryOf(page).textContent()).toMatch(/^1\d rows$/);
      },
      async () => {
        await rowsOf(page).nth(2).click();
        await drawerOf(page).waitFor();
        await eventually(() => hashOf(page)).toContain('record=');
      },
    ];
    for (const step of steps) {
      await step();
      seen.push(await stateOf(page));
    }
    expect(new Set(seen.map(({ hash }) => hash)).size).toBe(5);
    for (const expected of seen.slice(0, -1).toReversed()) {
      await page.goBack();
      await eventually(() => stateOf(page)).toEqual(expected);
    }
    for (const expected of seen.slice(1)) {
      await page.goForward();
      await eventually(() => stateOf(page)).toEqual(expected);
    }
  });

  test('a run that fails says why, and the earlier rows stay', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    await page.locator('.histogram-head strong').waitFor();
    const filled = () => page.locator('.b.fill').allTextContents();
    expect(await filled()).toEqual(['Copy link']);
    await typeQuery(page, 'SQL', 'select 1 / (count(*) - count(*)) as n from edge_logs');
    await eventually(filled).toEqual(['Run']);
    await run(page);
    await eventually(() => page.locator('.results .fault').textContent()).toMatch(
      /division by zero/i,
    );
    expect(await page.locator('.results').getAttribute('aria-busy')).toBe('false');
    expect(await page.locator('.histogram-head').textContent()).toMatch(/^1,100 matches/);
    expect(await rowsOf(page).nth(1).textContent()).toContain('GET | ');
    expect(await summaryOf(page).textContent()).toContain('1,000');
    await typeQuery(page, 'SQL', 'select count(*) as n from edge_logs');
    await run(page);
    await eventually(() => page.getByRole('gridcell').first().textContent()).toBe('1100');
    expect(await page.locator('.results .fault').count()).toBe(0);
    expect(await filled()).toEqual(['Copy link']);
  });

  test('Back undoes a run that failed, although its check did not', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    await typeQuery(page, 'SQL', 'select cast(event_message as int64) as n from edge_logs');
    await run(page);
    await page.locator('.results .fault').waitFor();
    await page.goBack();
    await eventually(() => page.getByRole('tab', { selected: true }).textContent()).toBe('LQL');
    await eventually(() => summaryOf(page).textContent()).toContain('1,000');
    expect(await page.locator('.results .fault').count()).toBe(0);
  });

  test('a token that is refused later asks for another, and the link stays', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    const refuse = { status: 401, contentType: 'application/json', body: '{"error":"refused"}' };
    await page.route('**/api/endpoints/query/**', (route) => route.fulfill(refuse));
    await run(page);
    await eventually(() => page.getByRole('alert').textContent()).toMatch(/does not accept/);
    expect(await page.locator('.sign-in').textContent()).toContain('logs.all of acme');
    expect(await page.locator('.sign-in').textContent()).not.toMatch(/x-api-key/i);
    expect(await page.evaluate('document.activeElement.id')).toBe('token');
    await page.unroute('**/api/endpoints/query/**');
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await waitForRows(page);
    expect(await hashOf(page)).toContain('lql=f:edge_logs');
  });

  test('a record: both zones, its place, JSON, and a link that opens it for a colleague', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await openSignedIn(allLogs, { permissions });
    await waitForRows(page);
    await rowsOf(page).nth(3).click();
    const opened = drawerOf(page);
    const when = (await opened.locator('.when').textContent()) ?? '';
    expect(when).toMatch(/Local2026-03-10 05:33:30\.000 Europe\/Berlin/);
    expect(when).toMatch(/UTC2026-03-10 04:33:30\.000/);
    const place = () => opened.locator('.drawer-head .hint').textContent();
    expect(await place()).toBe('3 of 1,000');
    await page.getByRole('button', { name: 'Next row' }).click();
    await eventually(place).toBe('4 of 1,000');
    for (const expected of ['3', '2', '1']) {
      await page.getByRole('button', { name: 'Previous row' }).click();
      await eventually(place).toBe(`${expected} of 1,000`);
    }
    expect(await page.getByRole('button', { name: 'Previous row' }).isDisabled()).toBe(true);
    await opened.getByRole('button', { name: 'JSON', exact: true }).click();
    const shown = JSON.parse((await opened.locator('pre.json').textContent()) ?? '');
    expect(shown).toMatchObject({ event_message: 'GET | 200 | /auth/v1/token' });
    await opened.getByRole('button', { name: /^Copy link/ }).click();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(link).toContain(`record=${shown.timestamp}.${shown.id}`);
    const other = await openPage(browser(), link);
    await signIn(other.page);
    await eventually(() => drawerOf(other.page).locator('.message p').textContent()).toBe(
      shown.event_message,
    );
    await other.page.context().close();
    await opened.getByRole('button', { name: 'The minute around it' }).click();
    await eventually(() => summaryOf(page).textContent()).toBe('1 row');
  });

  test('a line around a record is opened, too, and Escape closes it', async () => {
    const page = await openSignedIn(`${allLogs} m.response.status_code:500`);
    await waitForRows(page);
    await rowsOf(page).nth(20).click();
    const lines = drawerOf(page).locator('.surrounding li');
    await eventually(() => lines.count()).toBe(41);
    const message = (await lines.nth(18).locator('span').last().textContent()) ?? '';
    await lines.nth(18).getByRole('button').click();
    await eventually(() => drawerOf(page).locator('.message p').textContent()).toBe(message);
    await page.keyboard.press('Escape');
    await drawerOf(page).waitFor({ state: 'detached', timeout: 10_000 });
    expect(await summaryOf(page).textContent()).toBe('110 rows');
  });

  test('another project is chosen from the list, or typed', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    const menu = page.getByTitle('Project', { exact: true });
    await menu.click();
    expect(await page.locator('.pick-project .item').allTextContents()).toEqual(['acme', 'evil']);
    await page.locator('.pick-project .item', { hasText: 'evil' }).click();
    await eventually(() => page.locator('.histogram-head').textContent()).toMatch(/^3 matches/);
    await menu.click();
    await page.getByLabel('Project', { exact: true }).fill('acme');
    await page.keyboard.press('Enter');
    await eventually(() => summaryOf(page).textContent()).toBe('Newest 1,000');
    await page.goBack();
    await eventually(() => summaryOf(page).textContent()).toBe('3 rows');
    expect(await menu.textContent()).toContain('evil');
  });

  test('a link without a project, pasted into an open page, asks for one; Back shows the rows', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    await page.evaluate('location.hash = "#endpoint=logs.all"');
    await eventually(() => page.locator('.empty h2').textContent()).toBe('Choose a project');
    expect(await rowsOf(page).count()).toBe(0);
    expect(await page.locator('.histogram').count()).toBe(0);
    await page.goBack();
    await eventually(() => summaryOf(page).textContent()).toBe('Newest 1,000');
  });

  test('rows that are not records say that they have no histogram', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    expect(await page.locator('.summary').textContent()).not.toContain('no histogram');
    const sql = "select * from (select id from edge_logs) pivot (count(id) for id in ('a'))";
    await typeQuery(page, 'SQL', sql);
    await run(page);
    await eventually(() => page.locator('.summary').textContent()).toContain('no histogram');
  });

  test('what is typed as a project stays while answers come', async () => {
    const page = await openSignedIn(allLogs);
    await page.locator('.histogram-head').waitFor();
    await delayQueries(page, /unix_micros/, 1500);
    await run(page);
    await page.getByTitle('Project', { exact: true }).click();
    const field = page.getByLabel('Project', { exact: true });
    await field.fill('evil');
    await page.waitForResponse((response) =>
      (response.request().postData() ?? '').includes('unix_micros'),
    );
    await page.waitForTimeout(300);
    expect(await field.inputValue()).toBe('evil');
  });

  test('the project of a bound token is shown, and fixed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'explorer-tokens-'));
    const file = join(folder, 'tokens');
    writeFileSync(file, `${token} project=evil\n`, { mode: 0o600 });
    const bound = await startService(['--data', writeLogs(), '--now', '2026-03-10T12:00:00Z'], {
      LOG_ENDPOINTS_TOKENS: '',
      LOG_ENDPOINTS_TOKENS_FILE: file,
    });
    const { page, faults } = await openPage(browser(), bound.url);
    await signIn(page);
    await eventually(() => summaryOf(page).textContent()).toBe('3 rows');
    expect(await page.locator('.bound').textContent()).toContain('evil');
    expect(await page.getByTitle('Project', { exact: true }).count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
    await bound.stop();
  });

  test('rows are sorted by a head; without rows there is nothing to copy or download', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    // At rest, the newest row is the first.
    const time = page.getByRole('columnheader', { name: /^Time/ });
    expect(await time.getAttribute('aria-sort')).toBe('descending');
    const head = page.getByRole('columnheader', { name: 'Status' });
    await head.getByRole('button').click();
    expect(await time.getAttribute('aria-sort')).toBe('none');
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    expect(await rowsOf(page).nth(1).locator('.status').textContent()).toBe('200');
    await head.getByRole('button').click();
    expect(await rowsOf(page).nth(1).locator('.status').textContent()).toBe('500');
    await page.goto(`${service().url}/${allLogs} id:"none"`);
    await page.locator('.empty').waitFor();
    expect(await page.getByTitle('Download the rows').count()).toBe(0);
    expect(await page.getByTitle('Copy the rows').count()).toBe(0);
  });

  test('a chosen theme stays after a reload', async () => {
    const page = await openSignedIn(allLogs);
    for (const theme of ['system', 'light'])
      await page.getByRole('button', { name: `Theme: ${theme}` }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  });

  test('at 360 px: the zone, a source, a record that closes by its scrim', async () => {
    const page = await openSignedIn(allLogs, { viewport: { width: 360, height: 740 } });
    await waitForRows(page);
    // Cards have no head.
    const time = () => rowsOf(page).nth(0).locator('.time').textContent();
    expect(await time()).toContain('05:44:30');
    await page.getByTitle('Time', { exact: true }).click();
    await page.getByRole('button', { name: 'UTC', exact: true }).click();
    await eventually(time).toContain('04:44:30');
    await page.keyboard.press('Escape');
    await rowsOf(page).nth(0).click();
    await drawerOf(page).getByRole('button', { name: 'Surrounding' }).click();
    await eventually(() => drawerOf(page).locator('.surrounding li').count()).toBe(21);
    await page.mouse.click(180, 20);
    await drawerOf(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Sources and fields' }).click();
    await page.locator('.source.fold').click();
    await page.locator('.source', { hasText: 'auth_logs' }).click();
    await eventually(() => hashOf(page)).toContain('f:auth_logs');
    await page.locator('.sheet').waitFor({ state: 'detached' });
  });

  test('at 360 px: cards without heads, a level, a filter of the sheet, and SQL', async () => {
    const page = await openSignedIn(allLogs, { viewport: { width: 360, height: 740 } });
    await waitForRows(page);
    // Cards have no heads, and the number of rows is not cut.
    expect(await page.locator('.grid-head').isVisible()).toBe(false);
    const cut = '[document.querySelector(".summary")].map((e) => e.scrollWidth - e.clientWidth)[0]';
    expect(await page.evaluate(cut)).toBe(0);
    await page.locator('.legend.error').click();
    await eventually(() => summaryOf(page).textContent()).toBe('110 rows');
    expect(await page.getByRole('button', { name: 'Zoom out' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Sources and fields' }).click();
    await eventually(() => page.evaluate('document.activeElement.className')).toContain('sheet');
    await page.getByRole('button', { name: /^request\.path/ }).click();
    await page.getByRole('button', { name: 'Only /rest/v1/orders' }).click();
    await page.locator('.sheet').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show as SQL' }).click();
    const editor = page.getByRole('textbox', { name: 'Query in SQL' });
    await eventually(() => editor.textContent()).toContain('BETWEEN 500 AND 599');
  });

  test('the first page shows its frame at once, and can be cancelled', async () => {
    const page = await open('#p.project=acme');
    await delayQueries(page, /union all/, 3000);
    // The link names the project, so the list is not awaited.
    await page.route('**/api/projects', () => undefined);
    await signIn(page);
    await eventually(() => page.locator('.elapsed').textContent()).toMatch(/^Reading the newest/);
    expect(await page.getByRole('tab', { name: 'LQL' }).getAttribute('aria-selected')).toBe('true');
    expect(await page.getByTitle('Time', { exact: true }).textContent()).toBe('Last hour');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled.').waitFor();
    await page.reload();
    await waitForRows(page);
    expect(await rowsOf(page).count()).toBeGreaterThan(5);
  });

  test('a column that was added to an opened record stays after Back and a reload', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    await rowsOf(page).nth(2).click();
    await drawerOf(page)
      .getByRole('button', { name: 'Add as column metadata.request.path' })
      .click();
    await page.goBack();
    await drawerOf(page).waitFor({ state: 'detached' });
    const head = page.getByRole('columnheader', { name: /^request\.path/ });
    await head.waitFor();
    await page.reload();
    await head.waitFor();
  });

  test('a list of projects that may have more says so', async () => {
    const page = await open();
    const projects = Array.from({ length: 200 }, (_, index) => `p${index}`);
    await page.route('**/api/projects', (route) => route.fulfill({ json: { projects } }));
    await signIn(page);
    await eventually(() => page.locator('.empty .hint').textContent()).toContain('At most 200');
    await page.getByTitle('Project', { exact: true }).click();
    await eventually(() => page.locator('.pick-project .hint').textContent()).toContain(
      'At most 200',
    );
    await page.unroute('**/api/projects');
    await page.reload();
    await page.getByRole('button', { name: 'Open' }).first().waitFor();
    expect(await page.locator('.empty .hint').count()).toBe(0);
  });

  test('with the keyboard alone: another language, time, source, column, project and zoom', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    const enter = async (selector: string) => {
      await page.locator(selector).first().focus();
      await page.keyboard.press('Enter');
    };
    await page.getByRole('tab', { name: 'LQL' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('textbox', { name: 'Query in SQL' }).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('tab-sql');
    await page.keyboard.press('ArrowLeft');
    await enter('[title=Time]');
    for (let tabs = 0; tabs < 5; tabs++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await eventually(() => hashOf(page)).toContain('time=day');
    await eventually(() => page.evaluate('document.activeElement.title')).toBe('Time');
    await enter('.field-name:has-text("request.path")');
    await page.locator('.value-line').first().waitFor();
    await enter('.values .link:has-text("Add as column")');
    await eventually(() => hashOf(page)).toContain('column=metadata.request.path');
    await eventually(() => page.locator('.histogram-head').textContent()).toMatch(/^183 matches/);
    await page.getByRole('slider').focus();
    for (const key of ['ArrowLeft', 'Shift+ArrowLeft', 'Enter']) await page.keyboard.press(key);
    await eventually(() => hashOf(page)).toMatch(/start=2026-03-(09|10)/);
    const head = page.locator('.histogram-head');
    await eventually(() => head.textContent()).toMatch(/^(?!183)\d+ matches/);
    await page.keyboard.press('Backspace');
    await eventually(() => hashOf(page)).not.toContain('start=');
    await eventually(() => page.locator('.results').getAttribute('aria-busy')).toBe('false');
    expect(await page.evaluate('document.activeElement.role')).toBe('slider');
    await page.keyboard.press('ArrowLeft');
    await eventually(() => page.locator('.pointed').textContent()).toMatch(/ to .*: \d+/);
    await page.keyboard.press('Escape');
    await eventually(() => page.locator('.pointed').textContent()).toBe('');
  });
});
