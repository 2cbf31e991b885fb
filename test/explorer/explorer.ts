import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Service, startService, token } from '../support/start-service.js';
import { launch, type Opened, openPage, signIn } from './browser.js';
import { now, writeLogs } from './web-logs.js';

/** A browser and a service over {@link writeLogs}'s records, for the tests of a file. */
export interface Explorer {
  readonly browser: () => Browser;
  readonly service: () => Service;
  /** Opens the page; after the test, it must have had no fault and kept the token to itself. */
  readonly open: (fragment?: string, options?: BrowserContextOptions) => Promise<Page>;
  /** The same with the token entered. */
  readonly openSignedIn: (fragment?: string, options?: BrowserContextOptions) => Promise<Page>;
  /** Closes the page of a test that means to break its rules; gives the faults. */
  readonly closeWithFaults: () => Promise<readonly string[]>;
}

/** Starts the browser, and the service over the logs that are written, before the tests. */
export function useExplorer(write: () => string = writeLogs): Explorer {
  let browser: Browser;
  let service: Service;
  let opened: Opened | undefined;

  beforeAll(async () => {
    [browser, service] = await Promise.all([
      launch(),
      startService(['--data', write(), '--now', now]),
    ]);
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  afterEach(async () => {
    const last = opened;
    opened = undefined;
    if (last === undefined) return;
    const kept = await last.page.evaluate(
      'JSON.stringify([localStorage, location.href, document.referrer])',
    );
    await last.page.context().close();
    expect(last.faults).toEqual([]);
    expect(last.urls.filter((url) => url.includes(token))).toEqual([]);
    expect(last.urls.filter((url) => !/^(blob:)?http:\/\/127\.0\.0\.1:/.test(url))).toEqual([]);
    expect(String(kept)).not.toContain(token);
  });

  const open: Explorer['open'] = async (fragment = '', options = {}) => {
    opened = await openPage(browser, `${service.url}/${fragment}`, options);
    return opened.page;
  };
  const openSignedIn: Explorer['openSignedIn'] = async (fragment = '#p.project=acme', options) => {
    const page = await open(fragment, options);
    await signIn(page);
    return page;
  };
  const closeWithFaults = async () => {
    const faults = opened?.faults ?? [];
    await opened?.page.context().close();
    opened = undefined;
    return faults;
  };
  return { browser: () => browser, service: () => service, open, openSignedIn, closeWithFaults };
}

/** A link to all edge logs of the project. */
export const allLogs = '#endpoint=logs.all&p.project=acme&lql=f:edge_logs';

/** Runs the query with the button. */
export const run = (page: Page) => page.getByRole('button', { name: /^Run( again)?$/ }).click();

/** The rows of the result; the first is the head. */
export const rowsOf = (page: Page) => page.getByRole('grid').getByRole('row');

/** The number of rows as the page shows it, such as `100 rows`, or `Newest 1,000`. */
export const summaryOf = (page: Page) => page.locator('.summary strong');

/** The opened record. */
export const drawerOf = (page: Page) => page.getByRole('complementary', { name: 'Opened row' });

/** The part of the address that holds the page's state. */
export const hashOf = async (page: Page) =>
  decodeURIComponent(String(await page.evaluate('location.hash'))).replaceAll('+', ' ');

/** Waits until the last run has given rows. */
export const waitForRows = (page: Page) =>
  page.locator('.results[aria-busy=false] .summary').waitFor();

/** Holds back the queries whose text is like a pattern. */
export const delayQueries = (page: Page, like: RegExp, ms: number) =>
  page.route('**/api/endpoints/query/**', async (route) => {
    const isLike = like.test(route.request().postData() ?? '');
    if (isLike) await new Promise((resolve) => setTimeout(resolve, ms));
    // The page may have given up meanwhile.
    await route.continue().catch(() => undefined);
  });
