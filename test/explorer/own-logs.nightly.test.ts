import { describe, expect, test } from 'vitest';
import { browserPath, eventually, signIn, typeQuery } from './browser.js';
import { drawerOf, hashOf, rowsOf, run, summaryOf, useExplorer, waitForRows } from './explorer.js';
import { oddValues, writeManyLogs, writeOwnLogs } from './web-logs.js';

const ownLogs = '#endpoint=logs.all&p.project=default&time=hour&lql=f:shop';

describe.skipIf(browserPath === undefined)('logs of one’s own in a browser', () => {
  const { open, openSignedIn } = useExplorer(writeOwnLogs);

  test('come first, with the last hour; the only project is filled in and hidden', async () => {
    const page = await open();
    await signIn(page);
    await waitForRows(page);
    await eventually(() => hashOf(page)).toMatch(/time=hour.*project=default.*lql=f:shop$/);
    await eventually(() => page.locator('.source .name').allTextContents()).toEqual([
      'shop',
      'edge_logs',
    ]);
    expect(await page.locator('.source .count').allTextContents()).toEqual(['120', '300']);
    expect(await page.locator('.source[aria-current=true]').textContent()).toContain('shop');
    expect(await page.locator('.source.fold').textContent()).toMatch(/^\d+ without records$/);
    expect(await page.getByTitle('Project', { exact: true }).count()).toBe(0);
    const head = page.locator('.histogram-head');
    await eventually(() => head.textContent()).toMatch(/120 matches.*error 30.*warn 30.*info 60/);
    expect(await rowsOf(page).nth(1).textContent()).toMatch(/error.*order 119 paid/);
  });

  test.each([
    [1440, ['Endpoint', 'Queries that were run']],
    [360, ['Endpoint', 'More']],
  ])('without a list of projects, the menus at %d px are on the screen', async (width, titles) => {
    const page = await openSignedIn(ownLogs, { viewport: { width, height: 740 } });
    await waitForRows(page);
    for (const title of titles) {
      await page.getByTitle(title, { exact: true }).click();
      const { x = -1, width: wide = width } = (await page.locator('.panel').boundingBox()) ?? {};
      expect([title, x >= 0 && x + wide <= width]).toEqual([title, true]);
      await page.keyboard.press('Escape');
    }
  });

  test.each([
    ['user-id', /^user-id/, oddValues.map((value) => `${value}30`).toSorted(), '30 rows'],
    ['order.select', /^order\.select/, ['040', '140', '240'], '40 rows'],
    ['order.tags', /^order\.tags/, ['paid120', 'new60'], '120 rows'],
  ])('the field %s is counted, filtered for and out', async (_field, name, counts, rows) => {
    const page = await openSignedIn(ownLogs);
    await waitForRows(page);
    await page.getByRole('button', { name }).click();
    const values = page.locator('.value-line');
    await eventually(async () => (await values.allTextContents()).toSorted()).toEqual(
      counts.toSorted(),
    );
    const first = (await values.first().locator('.v').textContent()) ?? '';
    await page.getByRole('button', { name: `Only ${first}`, exact: true }).click();
    await eventually(() => summaryOf(page).textContent()).toBe(rows);
    expect(await page.locator('.faults li').count()).toBe(0);
    await page.goBack();
    await eventually(() => summaryOf(page).textContent()).toBe('120 rows');
    await page.getByRole('button', { name: `Without ${first}`, exact: true }).click();
    await eventually(() => hashOf(page)).toContain('-m.');
    await eventually(() => summaryOf(page).textContent()).toBe(
      `${120 - Number(/\d+/.exec(rows))} rows`,
    );
  });

  test.each(['LQL', 'SQL'] as const)(
    'every odd value of a record filters in %s',
    async (language) => {
      const page = await openSignedIn(ownLogs);
      await waitForRows(page);
      for (const value of oddValues) {
        await typeQuery(
          page,
          language,
          language === 'LQL' ? 'f:shop' : 'select * from shop order by timestamp',
        );
        await run(page);
        await eventually(() => summaryOf(page).textContent()).toBe('120 rows');
        await rowsOf(page)
          .nth(1 + [...oddValues].indexOf(value))
          .click();
        await page.getByRole('button', { name: /^Only metadata\.user-id/ }).click();
        await eventually(() => summaryOf(page).textContent()).toBe('30 rows');
        await rowsOf(page).nth(1).click();
        await page.getByRole('button', { name: /^Without metadata\.order\.select/ }).click();
        await eventually(() => summaryOf(page).textContent()).toBe('20 rows');
        await drawerOf(page).waitFor({ state: 'detached' });
      }
    },
  );
});

describe.skipIf(browserPath === undefined)('many logs in a browser', () => {
  const { open } = useExplorer(writeManyLogs);

  test('fifty sources are counted; the others are listed after a click, with their number', async () => {
    const page = await open();
    await signIn(page);
    await waitForRows(page);
    const fold = page.locator('.source.fold').filter({ hasText: ' more' });
    await eventually(() => fold.textContent()).toMatch(/^\d+ more$/);
    const sources = page.locator('.source:not(.fold)');
    const [shown, more] = [
      await sources.count(),
      Number.parseInt((await fold.textContent()) ?? '', 10),
    ];
    expect(more).toBeGreaterThanOrEqual(10);
    await fold.click();
    expect(await sources.count()).toBe(shown + more);
    await sources.last().click();
    await eventually(() => page.locator('.source[aria-current=true]').count()).toBe(1);
  });
});
