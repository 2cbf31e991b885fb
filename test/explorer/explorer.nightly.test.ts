import { describe, expect, test } from 'vitest';
import { token } from '../support/start-service.js';
import { browserPath, eventually, openPage, signIn, typeQuery } from './browser.js';
import {
  allLogs,
  drawerOf,
  hashOf,
  rowsOf,
  run,
  summaryOf,
  useExplorer,
  waitForRows,
} from './explorer.js';
import { hostile } from './web-logs.js';

const daily =
  'select timestamp_trunc(timestamp, day) as day, count(*) as n from edge_logs group by day order by day';

describe.skipIf(browserPath === undefined)('the explorer in a browser', () => {
  const { browser, service, open, openSignedIn, closeWithFaults } = useExplorer();

  test('a first visit: token, project, rows of the newest hour', async () => {
    const page = await open();
    await page.getByLabel('Token').fill('not-the-token-of-anybody');
    await page.getByRole('button', { name: 'Connect' }).click();
    await eventually(() => page.getByRole('alert').textContent()).toMatch(/does not accept/);
    await signIn(page);
    await page.getByRole('button', { name: 'Open' }).first().click();
    await waitForRows(page);
    await eventually(() => hashOf(page)).toMatch(/project=acme.*lql=f:edge_logs/);
    await eventually(() => page.locator('.notice').textContent()).toContain(
      'last hour has no records',
    );
    // The notice goes, but the reason stays beside the rows.
    expect(await page.locator('.summary').textContent()).toContain('last hour has no records');
    expect(await rowsOf(page).nth(1).textContent()).toContain('GET | 200');
    await eventually(() => page.locator('.source[aria-current=true]').textContent()).toBe(
      'edge_logs11',
    );
  });

  test.each([
    [1440, 900, 25],
    [1024, 700, 12],
    [360, 740, 5],
  ])('at %d x %d, %d rows are visible at first sight', async (width, height, least) => {
    const page = await openSignedIn(allLogs, { viewport: { width, height } });
    await waitForRows(page);
    const visible = `[...document.querySelectorAll('.row')].filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      const head = document.querySelector('.grid').getBoundingClientRect().top;
      return top >= head && bottom <= innerHeight;
    }).length`;
    await eventually(() => page.evaluate(visible)).toBeGreaterThanOrEqual(least);
    expect(await page.locator('.grid.cards').count()).toBe(width < 620 ? 1 : 0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  });

  test('errors and statuses have their colours, and the message takes the rest', async () => {
    const page = await openSignedIn(`${allLogs} m.response.status_code:500`);
    await waitForRows(page);
    expect(await page.locator('.row.error .status.bad').first().textContent()).toBe('500');
    // If all rows are errors, none is tinted.
    expect(await page.locator('.grid.calm').count()).toBe(1);
    await page.goto(`${service().url}/${allLogs}`);
    await waitForRows(page);
    expect(await page.locator('.grid.calm').count()).toBe(0);
    const rightOf = (selector: string) =>
      page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().right`);
    const right = Number(await rightOf('.grid'));
    expect(Number(await rightOf('.row .cell.message'))).toBeGreaterThan(right - 20);
    const overflow =
      '[document.querySelector(".grid")].map((e) => e.scrollWidth - e.clientWidth)[0]';
    expect(await page.evaluate(overflow)).toBe(0);
  });

  test('values are filtered for and out, in LQL and in SQL', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    await rowsOf(page).nth(1).click();
    await page.getByRole('button', { name: 'Without this message' }).click();
    await eventually(() => hashOf(page)).toContain('-event_message:"GET');
    await page.goBack();
    await drawerOf(page).waitFor();
    await page.getByRole('button', { name: /^Only metadata\.request\.path/ }).click();
    await eventually(() => hashOf(page)).toMatch(/m\.request\.path:"\/auth\/v1\/token"$/);
    await rowsOf(page).nth(1).click();
    await page.getByRole('button', { name: /^Without metadata\.response\.status_code/ }).click();
    await eventually(() => hashOf(page)).toMatch(/ -m\.response\.status_code:200$/);
    await page.getByRole('button', { name: 'Show as SQL' }).click();
    const editor = page.getByRole('textbox', { name: 'Query in SQL' });
    await eventually(() => editor.textContent()).toContain('SELECT id, timestamp');
    await run(page);
    await waitForRows(page);
    await rowsOf(page).nth(1).click();
    await page.getByRole('button', { name: /^Only metadata\.request\.method/ }).click();
    await eventually(() => editor.textContent()).toMatch(/request\.method = 'GET'/);
    await waitForRows(page);
  });

  test('Escape cancels a run, which stops in the engine; the earlier rows stay', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    const many = 'unnest(generate_array(1, 100000))';
    await typeQuery(
      page,
      'SQL',
      `select sum(a * b) as n from ${many} as a cross join ${many} as b`,
    );
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    await eventually(() => page.locator('.elapsed').first().textContent()).toMatch(
      /Running, \d+\.\d s/,
    );
    const running = async () => {
      const text = await (await fetch(`${service().url}/metrics`)).text();
      return /^log_endpoints_engine_running (\d+)$/m.exec(text)?.[1];
    };
    await eventually(running).toBe('1');
    await page.keyboard.press('Escape');
    await eventually(() => page.locator('.results').textContent()).toContain('the query before');
    await eventually(running).toBe('0');
    expect(await rowsOf(page).nth(1).textContent()).toContain('GET');
  });

  test('Back and Forward undo and redo each step', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    await page.locator('.source.fold').click();
    await page.locator('.source', { hasText: 'auth_logs' }).click();
    await eventually(() => hashOf(page)).toContain('f:auth_logs');
    await page.goBack();
    await eventually(() => hashOf(page)).toContain('f:edge_logs');
    await eventually(() => page.locator('.results').textContent()).toContain('GET | 200');
    await rowsOf(page).nth(2).click();
    await eventually(() => hashOf(page)).toContain('record=');
    const opened = await hashOf(page);
    await page.keyboard.press('j');
    await eventually(() => hashOf(page)).not.toBe(opened);
    await page.goBack();
    await drawerOf(page).waitFor({ state: 'detached' });
    await page.goForward();
    await drawerOf(page).waitFor();
    await page.keyboard.press('Escape');
    await drawerOf(page).waitFor({ state: 'detached' });
    await eventually(() => hashOf(page)).not.toContain('record=');
  });

  test('a link shows a colleague the same query, without the token', async () => {
    const page = await openSignedIn();
    await page.getByTitle('Time', { exact: true }).click();
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    await typeQuery(page, 'SQL', daily);
    await run(page);
    await eventually(() => hashOf(page)).toMatch(/week.*timestamp_trunc/);
    const link = String(await page.evaluate('location.hash'));
    const other = await openPage(browser(), `${service().url}/${link}`);
    await signIn(other.page);
    await eventually(() => summaryOf(other.page).textContent()).toBe('5 rows');
    const editor = other.page.getByRole('textbox', { name: 'Query in SQL' });
    expect(await editor.textContent()).toBe(daily);
    expect(await other.page.getByTitle('Time', { exact: true }).textContent()).toBe('Last 7 days');
    await other.page.context().close();
  });

  test('a link to a record opens it, also where it is not among the rows', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await rowsOf(page).nth(3).click();
    await eventually(() => hashOf(page)).toContain('record=');
    const key = /record=(\S+)/.exec(await hashOf(page))?.[1] ?? '';
    const message = await drawerOf(page).locator('.message p').textContent();
    const elsewhere = `${allLogs} nothing-like-it&record=${key}`;
    await page.goto(`${service().url}/${elsewhere}`);
    await eventually(() => drawerOf(page).locator('.message p').textContent()).toBe(message);
    await page.goto(`${service().url}/${allLogs}&record=1.none`);
    await eventually(() => page.locator('.notice').textContent()).toContain('not among the logs');
  });

  test('a reload keeps the session of the tab, and Sign out ends it', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    await page.reload();
    await waitForRows(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(await page.locator('.sign-in').textContent()).toContain('logs.all of acme');
  });

  test('the lines around a record, whatever the filters, become the rows', async () => {
    const page = await openSignedIn(`${allLogs} m.response.status_code:500`);
    await waitForRows(page);
    await rowsOf(page).nth(20).click();
    const lines = drawerOf(page).locator('.surrounding li');
    await eventually(() => lines.count()).toBe(41);
    expect(await lines.nth(20).getAttribute('aria-current')).toBe('true');
    expect(await lines.nth(19).textContent()).toContain('| 200 |');
    await page.getByRole('button', { name: '50', exact: true }).click();
    await eventually(() => lines.count()).toBe(101);
    await page.getByRole('button', { name: 'In the table' }).click();
    await eventually(() => summaryOf(page).textContent()).toBe('101 rows');
    await drawerOf(page).waitFor();
  });

  test('top values of a field filter, and add a column, which the link has', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    await page.getByRole('button', { name: /^response\.status_code/ }).click();
    await eventually(() => page.locator('.value-line').allTextContents()).toEqual([
      '200990',
      '500110',
    ]);
    await page.getByRole('button', { name: 'Add as column' }).click();
    await page.getByLabel('Find a field').fill('path');
    await page.getByRole('button', { name: /^request\.path/ }).click();
    await page.getByRole('button', { name: 'Add as column' }).click();
    const heads = () => page.getByRole('columnheader').locator('.sort').allTextContents();
    const added = ['response.status_code', 'request.path'];
    await eventually(heads).toEqual(['Time, 2026', 'Status', ...added, 'Message']);
    await page.locator('.sort', { hasText: 'request.path' }).focus();
    await page.keyboard.press('Alt+ArrowLeft');
    await eventually(heads).toEqual(['Time, 2026', 'Status', ...added.toReversed(), 'Message']);
    await page.reload();
    await eventually(heads).toEqual(['Time, 2026', 'Status', ...added.toReversed(), 'Message']);
    await page.getByRole('button', { name: 'Remove the column request.path' }).click();
    await eventually(heads).toEqual(['Time, 2026', 'Status', 'response.status_code', 'Message']);
    await page.getByLabel('Find a field').fill('status');
    await page.locator('.field-name', { hasText: 'response.status_code' }).click();
    await page.getByRole('button', { name: 'Without 200' }).click();
    await eventually(() => summaryOf(page).textContent()).toBe('110 rows');
  });

  test('no rows: what was asked, and ways to some', async () => {
    const page = await openSignedIn(
      '#endpoint=logs.all&p.project=acme&time=hour&lql=f:edge_logs m.response.status_code:500',
    );
    await eventually(() => page.locator('.empty').textContent()).toMatch(
      /Last hour.*status_code:500/s,
    );
    const ways = page.getByRole('list', { name: 'Ways to rows' });
    await eventually(() => ways.textContent()).toContain('The same filters in all time110');
    await ways.getByRole('button', { name: 'Show' }).last().click();
    await eventually(() => summaryOf(page).textContent()).toBe('110 rows');
  });

  test('queries are in the history, and the request is shown as code', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', daily);
    await run(page);
    await waitForRows(page);
    await page.getByRole('tab', { name: 'LQL' }).click();
    await page.getByTitle('Queries that were run').click();
    const past = page.getByRole('button', { name: /select timestamp_trunc/ });
    expect(await past.textContent()).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d$/);
    await past.click();
    expect(await page.getByRole('textbox', { name: 'Query in SQL' }).textContent()).toBe(daily);
    await page.getByRole('button', { name: 'Request as code' }).click();
    await eventually(() => page.locator('.request pre').textContent()).toContain(
      'X-API-KEY: $TOKEN',
    );
  });

  test('the stored query is folded, has no header, and runs', async () => {
    const page = await openSignedIn();
    await page.getByRole('button', { name: /^Stored query/ }).click();
    expect(await page.locator('.stored pre').textContent()).toMatch(/^with/i);
    await page.getByRole('tab', { name: 'Stored' }).click();
    await page.getByTitle('Time', { exact: true }).click();
    await page.getByRole('button', { name: 'All time' }).click();
    await eventually(() => summaryOf(page).textContent()).toBe('Newest 100');
  });

  test('the theme is the system’s until the user chooses; a button shows the keys', async () => {
    const page = await openSignedIn();
    const brightness = async () =>
      Number(
        await page.evaluate(
          'Number(/\\d+/.exec(getComputedStyle(document.documentElement).backgroundColor)[0])',
        ),
      );
    await page.emulateMedia({ colorScheme: 'dark' });
    await eventually(brightness).toBeLessThan(128);
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await eventually(brightness).toBeGreaterThan(128);
    await page.getByRole('button', { name: 'Keys' }).click();
    await eventually(() => page.getByRole('dialog').textContent()).toContain(
      'next and previous row',
    );
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('`?` shows the keys', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ timeout: 10_000 });
  });

  test('what strangers wrote into logs is shown as text', async () => {
    const page = await openSignedIn('#p.project=evil');
    await eventually(() => summaryOf(page).textContent()).toBe('3 rows');
    for (const text of Object.values(hostile)) {
      const start = text.slice(0, 20);
      await page.getByRole('gridcell').filter({ hasText: start }).first().click();
      await eventually(() => page.locator('.drawer .message p').textContent()).toBe(text);
      await page.getByRole('button', { name: 'Close the row' }).click();
    }
    expect(await page.evaluate('window.wasRun')).toBeUndefined();
    expect(await page.locator('#root script, #root img').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280);
  });

  test('a script that gets into the page is stopped by its policy', async () => {
    const page = await openSignedIn();
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(hostile.script)})`,
    );
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.wasRun = true' }))",
    );
    await page.waitForTimeout(200);
    expect(await page.evaluate('window.wasRun')).toBeUndefined();
    expect((await closeWithFaults()).length).toBeGreaterThan(0);
  });

  test('with the keyboard alone: sign in, open a log, filter', async () => {
    const page = await open(allLogs);
    await page.locator('#token:focus').waitFor();
    await page.keyboard.type(token);
    await page.keyboard.press('Enter');
    await waitForRows(page);
    const focus =
      "[document.activeElement].map((e) => (e.role ?? e.tagName) + ' ' + (e.ariaLabel ?? e.textContent))[0]";
    const tabTo = async (pattern: RegExp) => {
      const seen: string[] = [];
      for (let tries = 0; tries < 150; tries++) {
        await page.keyboard.press('Tab');
        seen.push(String(await page.evaluate(focus)));
        if (pattern.test(seen.at(-1) ?? '')) return;
      }
      throw new Error(`Tab does not reach ${pattern}: ${seen.join('; ')}`);
    };
    await tabTo(/^grid Rows/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await drawerOf(page).waitFor();
    await tabTo(/Only metadata\.request\.path/);
    await page.keyboard.press('Enter');
    await eventually(() => hashOf(page)).toContain('m.request.path:');
  });
});
