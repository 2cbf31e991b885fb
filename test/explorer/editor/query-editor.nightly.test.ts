import { describe, expect, test } from 'vitest';
import { browserPath, eventually, typeQuery } from '../browser.js';
import { allLogs, hashOf, rowsOf, run, useExplorer, waitForRows } from '../explorer.js';

describe.skipIf(browserPath === undefined)('the editor of the explorer in a browser', () => {
  const { openSignedIn } = useExplorer();

  test('a fault is underlined where it is, and mended by its hint; a query with faults does not run', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', 'select event_mesage, idd from edge_logs');
    await eventually(() => page.locator('.faults li').count()).toBe(2);
    await eventually(() => page.locator('.cm-lintRange-error').allTextContents()).toEqual([
      'event_mesage',
      'idd',
    ]);
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Use event_message' }).first().click();
    await page.getByRole('button', { name: 'Use id' }).first().click();
    await eventually(() => page.locator('.faults li').count()).toBe(0);
    await run(page);
    await eventually(() => rowsOf(page).nth(1).textContent()).toContain('GET');
  });

  test('errors are not hidden below the list of suggestions', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    await typeQuery(page, 'SQL', 'select idd, even');
    await page.keyboard.type('t', { delay: 20 });
    const list = page.locator('.cm-tooltip-autocomplete');
    await list.waitFor();
    await page.locator('.faults.aside li').first().waitFor();
    const [box, faults] = [await list.boundingBox(), await page.locator('.faults').boundingBox()];
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(faults?.y ?? 0);
    expect((faults?.y ?? 0) + (faults?.height ?? 0)).toBeLessThanOrEqual(900);
    await page.keyboard.press('Escape');
    await page.locator('.faults:not(.aside)').waitFor();
  });

  test('a record path is completed with the FROM and the joins that it needs', async () => {
    const page = await openSignedIn();
    await typeQuery(page, 'SQL', 'select ');
    await page.keyboard.type('s', { delay: 20 });
    await page.getByRole('option').first().waitFor();
    expect(await page.getByRole('option').first().textContent()).toMatch(/^metadata\./);
    // The fields of the source stay beside a query without FROM.
    expect(await page.locator('.fields h2').textContent()).toBe('Fields of edge_logs');
    await page.keyboard.type('tatus_co', { delay: 20 });
    await page.getByRole('option', { name: /metadata\.response\.status_code/ }).click();
    expect(await page.locator('.cm-line').allTextContents()).toEqual([
      'select response.status_code',
      'from edge_logs',
      'cross join unnest(metadata) as m',
      'cross join unnest(m.response) as response',
    ]);
    await page.keyboard.press('Control+Enter');
    await waitForRows(page);
  });

  test('the values of a field are completed in LQL and in SQL', async () => {
    const page = await openSignedIn(allLogs);
    await waitForRows(page);
    await page.keyboard.press('/');
    await page.keyboard.press('End');
    await page.keyboard.type(' m.response.status_code:', { delay: 20 });
    await eventually(() => page.getByRole('option').allTextContents()).toEqual([
      '200990',
      '500110',
    ]);
    await page.getByRole('option', { name: /500/ }).click();
    await page.keyboard.press('Enter');
    await eventually(() => hashOf(page)).toContain('m.response.status_code:500');
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
});
