import { describe, expect, test } from 'vitest';
import { token } from '../support/start-service.js';
import { browserPath, eventually, openPage, signIn, typeQuery, violationsOf } from './browser.js';
import { rowsOf, run, summaryOf, useExplorer, waitForRows } from './explorer.js';
import { hostile } from './web-logs.js';

const daily =
  'select timestamp_trunc(timestamp, day) as day, count(*) as n from edge_logs group by day order by day';

describe.skipIf(browserPath === undefined)('the explorer in a browser', () => {
  const { browser, service, open, openSignedIn, closeWithFaults } = useExplorer();

  test('a first visit: token, endpoint, project, rows', async () => {
    const page = await open();
    await page.getByLabel('Token').fill('not-the-token-of-anybody');
    await page.getByRole('button', { name: 'Connect' }).click();
    await eventually(() => page.getByRole('alert').textContent()).toMatch(/token/i);
    await signIn(page);
    await run(page);
    await eventually(() => page.locator('#p-project-fault').textContent()).toContain('project');
    await page.getByLabel('project').fill('acme');
    await page.keyboard.press('Enter');
    await eventually(() => summaryOf(page).textContent()).toBe('100 rows');
    expect(await rowsOf(page).nth(1).textContent()).toContain('/auth/v1/token');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('a fault is underlined where it is, and mended by its hint', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', 'select event_mesage from edge_logs');
    await eventually(() => page.locator('.cm-lintRange-error').allTextContents()).toEqual([
      'event_mesage',
    ]);
    await page.getByRole('button', { name: 'Use event_message' }).first().click();
    await eventually(() => page.locator('.faults li').count()).toBe(0);
    expect(await page.locator('.cm-lintRange-error').count()).toBe(0);
    await run(page);
    await eventually(() => rowsOf(page).nth(1).textContent()).toContain('GET');
  });

  test('a record path is completed with the joins that it needs', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', 'select  from edge_logs');
    for (let left = 0; left < ' from edge_logs'.length; left++)
      await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('status_co', { delay: 20 });
    await page.getByRole('option', { name: /metadata\.response\.status_code/ }).click();
    expect(await page.locator('.cm-line').allTextContents()).toEqual([
      'select response.status_code from edge_logs',
      'cross join unnest(metadata) as m',
      'cross join unnest(m.response) as response',
    ]);
    await page.keyboard.press('Control+Enter');
    await eventually(() => summaryOf(page).textContent()).toBe('1,000+ rows');
  });

  test('a log is opened, and its value becomes a filter of SQL and of LQL', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', 'select * from edge_logs order by timestamp desc limit 20');
    await run(page);
    await rowsOf(page).nth(1).click();
    await page.getByRole('button', { name: /^Filter on metadata\.request\.path/ }).click();
    const editor = page.getByRole('textbox', { name: 'Query in SQL' });
    await eventually(() => editor.textContent()).toMatch(
      /where exists \(.*request\.path = '\/auth\/v1\/token'\)/,
    );
    await waitForRows(page);
    await page.getByRole('tab', { name: 'Stored query' }).click();
    await run(page);
    await eventually(() => summaryOf(page).textContent()).toBe('100 rows');
    await rowsOf(page).nth(2).click();
    await page.getByRole('button', { name: /^Filter on metadata\.response\.status_code/ }).click();
    const lql = page.getByRole('textbox', { name: 'Query in LQL' });
    await eventually(() => lql.textContent()).toMatch(/^m\.response\.status_code:\d+$/);
    await waitForRows(page);
    await page.getByRole('button', { name: 'Show as SQL' }).click();
    await eventually(() => editor.textContent()).toContain('status_code');
    await eventually(() => page.locator('.faults li').count()).toBe(0);
  });

  test('a row that is opened as soon as it is there stays open until the next run', async () => {
    const page = await openSignedIn();
    // An observer is called before the browser draws the change.
    await page.evaluate(`new MutationObserver((_changes, observer) => {
      const row = document.querySelector('#row-0');
      if (row === null) return;
      observer.disconnect();
      row.click();
    }).observe(document.body, { childList: true, subtree: true })`);
    await run(page);
    const opened = page.getByRole('region', { name: 'Opened row' });
    await opened.waitFor();
    await run(page);
    await opened.waitFor({ state: 'detached' });
    await eventually(() => summaryOf(page).textContent()).toBe('100 rows');
  });

  test('Escape cancels a run, which stops in the engine', async () => {
    const page = await openSignedIn();
    const many = 'unnest(generate_array(1, 100000))';
    await typeQuery(
      page,
      'SQL',
      `select sum(a * b) as n from ${many} as a cross join ${many} as b`,
    );
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    const running = async () => {
      const text = await (await fetch(`${service().url}/metrics`)).text();
      return /^log_endpoints_engine_running (\d+)$/m.exec(text)?.[1];
    };
    await eventually(running).toBe('1');
    await page.keyboard.press('Escape');
    await eventually(() => page.locator('.results').textContent()).toContain('Cancelled');
    await eventually(running).toBe('0');
  });

  test('a link shows a colleague the same query, without the token', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', daily);
    await page.getByLabel('Time', { exact: true }).selectOption('week');
    await eventually(() => page.evaluate('location.hash')).toMatch(/week.*timestamp_trunc/);
    const link = String(await page.evaluate('location.hash'));
    const other = await openPage(browser(), `${service().url}/${link}`);
    await signIn(other.page);
    await eventually(() => summaryOf(other.page).textContent()).toBe('5 rows');
    expect(await other.page.getByRole('textbox', { name: 'Query in SQL' }).textContent()).toBe(
      daily,
    );
    expect(await other.page.getByLabel('Time', { exact: true }).inputValue()).toBe('week');
    await other.page.context().close();
  });

  test('the token is kept until the tab is closed, only if the user says so', async () => {
    const page = await open('#p.project=acme');
    await page.getByLabel('Keep it until this tab is closed').check();
    await signIn(page);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'logs.all' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('who came with a link may stay signed in, too', async () => {
    const page = await openSignedIn();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'logs.all' }).waitFor();
    await page.getByRole('button', { name: 'Stay signed in', pressed: true }).click();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('a source has examples, which run', async () => {
    const page = await openSignedIn();
    await page.getByText('edge_logs', { exact: true }).click();
    await page.getByRole('button', { name: 'Records by status_code SQL' }).click();
    await eventually(() => summaryOf(page).textContent()).toBe('2 rows');
  });

  test('a function is completed with its signature and a sentence', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', 'select ');
    await page.keyboard.type('countif', { delay: 20 });
    await page.getByRole('option', { name: /^countif/ }).waitFor();
    await eventually(() => page.locator('.cm-completionInfo').textContent()).toBe(
      'The number of rows for which the condition is true.\nCOUNTIF(BOOL)',
    );
  });

  test('queries are in the history, and the request is shown as code', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', daily);
    await run(page);
    await page.getByText('History', { exact: true }).click();
    await page.getByRole('tab', { name: 'LQL' }).click();
    await page.getByRole('button', { name: /select timestamp_trunc/ }).click();
    expect(await page.getByRole('textbox', { name: 'Query in SQL' }).textContent()).toBe(daily);
    await page.getByRole('button', { name: 'Request as code' }).click();
    await eventually(() => page.locator('.request pre').textContent()).toContain(
      'X-API-KEY: $TOKEN',
    );
  });

  test('what strangers wrote into logs is shown as text', async () => {
    const page = await openSignedIn('#p.project=evil');
    await run(page);
    await eventually(() => summaryOf(page).textContent()).toBe('3 rows');
    for (const text of Object.values(hostile)) {
      const start = text.slice(0, 20);
      await page.getByRole('gridcell').filter({ hasText: start }).first().click();
      await eventually(() => page.locator('.record .value').allTextContents()).toContain(text);
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

  test('with the keyboard alone: sign in, run, open a log, filter', async () => {
    const page = await open('#p.project=acme');
    await page.locator('#token:focus').waitFor();
    await page.keyboard.type(token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'logs.all' }).waitFor();
    const focus =
      "[document.activeElement].map((e) => (e.role ?? e.tagName) + ' ' + (e.ariaLabel ?? e.textContent))[0]";
    const tabTo = async (pattern: RegExp) => {
      const seen: string[] = [];
      for (let tries = 0; tries < 90; tries++) {
        await page.keyboard.press('Tab');
        seen.push(String(await page.evaluate(focus)));
        if (pattern.test(seen.at(-1) ?? '')) return;
      }
      throw new Error(`Tab does not reach ${pattern}: ${seen.join('; ')}`);
    };
    await tabTo(/^tab Stored query/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+Enter');
    await eventually(() => summaryOf(page).textContent()).toBe('100 rows');
    await tabTo(/^grid Rows/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Opened row' }).waitFor();
    await tabTo(/Filter on metadata\.request\.path/);
    await page.keyboard.press('Enter');
    await eventually(() => page.getByRole('textbox').last().textContent()).toContain(
      'request.path = ',
    );
  });

  test.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['360 px wide', { viewport: { width: 360, height: 740 } }],
  ] as const)('axe finds nothing wrong: %s', async (_what, options) => {
    const page = await open('#p.project=acme', options);
    await page.getByLabel('Token').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await signIn(page);
    await run(page);
    await rowsOf(page).nth(1).click();
    await page.getByRole('region', { name: 'Opened row' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await typeQuery(page, 'SQL', 'select event_mesage from edge_logs');
    await page.locator('.faults li').waitFor();
    await page.getByRole('button', { name: 'Request as code' }).click();
    expect(await violationsOf(page)).toEqual([]);
    const brightness = await page.evaluate(
      'Number(/\\d+/.exec(getComputedStyle(document.documentElement).backgroundColor)[0])',
    );
    expect(Number(brightness) < 128).toBe(
      'colorScheme' in options && options.colorScheme === 'dark',
    );
    const width = options && 'viewport' in options ? 360 : 1280;
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  });
});
