import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserPath, eventually, signIn, typeQuery, violationsOf } from './browser.js';
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

const sizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 700 },
  { width: 360, height: 740 },
] as const;

const cases = sizes.flatMap((viewport) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ viewport, colorScheme })),
);

const many = 'unnest(generate_array(1, 100000))';
const endless = `select sum(a * b) as n from ${many} as a cross join ${many} as b`;
const daily =
  'select timestamp_trunc(timestamp, day) as day, count(*) as n from edge_logs group by day order by day';

describe.skipIf(browserPath === undefined)('every state of the explorer', () => {
  const { open, service } = useExplorer();

  test.each(cases)(
    'axe finds nothing wrong, nothing is wider than the page, and no control is cut: $viewport.width px, $colorScheme',
    async (options) => {
      const page = await open('', options);
      const found: string[] = [];
      for (const [state, reach] of Object.entries(statesOf(page, service().url))) {
        await reach();
        const width = await page.evaluate('document.documentElement.scrollWidth');
        if (width !== options.viewport.width) found.push(`${state}: ${width} px wide`);
        const cut = (await page.evaluate(cutControls)) as readonly string[];
        found.push(...cut.map((control) => `${state}: ${control} is cut`));
        found.push(...(await violationsOf(page)).map((violation) => `${state}: ${violation}`));
      }
      expect(found).toEqual([]);
    },
  );
});

/** The controls of menus, of the record's head and of the page's head that a box around them cuts at the side. */
const cutControls = `[...document.querySelectorAll('.panel :is(button, input), .drawer-head button, .top button')]
  .filter((control) => {
    const { left, right, width } = control.getBoundingClientRect();
    const boxes = [document.documentElement, ...document.querySelectorAll('.panel')];
    const around = boxes.filter((box) => box.contains(control)).map((box) => box.getBoundingClientRect());
    return width > 0 && around.some((box) => left < box.left - 1 || right > box.right + 1);
  })
  .map((control) => control.textContent || control.title || control.type)`;

/** The actions that bring the page into each state, from the state before. */
function statesOf(page: Page, url: string): Readonly<Record<string, () => Promise<unknown>>> {
  const menu = async (title: string) => {
    await page.keyboard.press('Escape');
    await page.getByTitle(title, { exact: true }).click();
    await page.locator('.panel').waitFor();
  };
  const isNarrow = () => page.evaluate('innerWidth < 620');
  const openMore = async () => {
    if (await isNarrow()) await page.getByTitle('More').click();
  };
  const type = async (sql: string) => {
    await typeQuery(page, 'SQL', sql);
    // Closes the list of suggestions, which lies over what is below.
    await page.keyboard.press('Escape');
  };
  const go = async (fragment: string) => {
    await page.goto(`${url}/${fragment}`);
    await waitForRows(page);
  };
  return {
    'a refused token': async () => {
      await page.getByLabel('Token').fill('not-the-token-of-anybody');
      await page.getByRole('button', { name: 'Connect' }).click();
      await eventually(() => page.getByRole('alert').textContent()).toMatch(/does not accept/);
    },
    'no project': async () => {
      await signIn(page);
      await page.getByRole('button', { name: 'Open' }).first().waitFor();
    },
    'the list of projects': () => menu('Project'),
    rows: async () => {
      await page.keyboard.press('Escape');
      await go(allLogs);
      await page.locator('.histogram').waitFor();
    },
    'the time picker': () => menu('Time'),
    'the endpoints': () => menu('Endpoint'),
    'the formats': () => menu('Download the rows'),
    'top values, and a column': async () => {
      await page.keyboard.press('Escape');
      if (await isNarrow()) await page.getByRole('button', { name: 'Sources and fields' }).click();
      await page.getByRole('button', { name: /^response\.status_code/ }).click();
      await page.getByRole('button', { name: 'Add as column' }).click();
      await page.locator('.source.fold').click();
    },
    'a record': async () => {
      if (await isNarrow()) await page.getByRole('button', { name: 'Close', exact: true }).click();
      await rowsOf(page).nth(2).click();
      await drawerOf(page).locator('.surrounding li, .drawer-tabs').first().waitFor();
    },
    'a record as JSON': () =>
      drawerOf(page).getByRole('button', { name: 'JSON', exact: true }).click(),
    'the queries that were run': async () => {
      await page.keyboard.press('Escape');
      await drawerOf(page).waitFor({ state: 'detached' });
      await openMore();
      await page.getByTitle('Queries that were run').click();
    },
    'the keys': async () => {
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Keys' }).click();
      await page.getByRole('dialog').waitFor();
    },
    'the stored query': async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /^Stored query/ }).click();
      await page.locator('.stored pre').waitFor();
    },
    'no rows': async () => {
      await page.getByRole('button', { name: /^Stored query/ }).click();
      await page.goto(`${url}/${allLogs} id:"none"`);
      await page.locator('.ways').waitFor();
    },
    faults: async () => {
      await go(allLogs);
      await type('select event_mesage, idd from edge_logs');
      await page.locator('.faults li').nth(1).waitFor();
    },
    'a run that failed': async () => {
      await type('select 1 / (count(*) - count(*)) as n from edge_logs');
      await page.locator('.faults').waitFor({ state: 'detached' });
      await run(page);
      await page.locator('.results .fault').waitFor();
    },
    'a run under way': async () => {
      await type(endless);
      await run(page);
      await page.locator('.elapsed').first().waitFor();
    },
    'a cancelled run': async () => {
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Cancelled.').waitFor();
    },
    'a chart': async () => {
      await type(daily);
      await run(page);
      await page
        .getByRole('img', { name: /Chart of the rows/ })
        .locator('canvas')
        .waitFor();
      await eventually(() => summaryOf(page).textContent()).toBe('5 rows');
      await eventually(() => hashOf(page)).toContain('timestamp_trunc');
    },
  };
}
