import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixtures } from '../support/paths.js';
import { startService } from '../support/start-service.js';
import { browserPath, eventually, launch } from './browser.js';

/** Adds up how far things move that nobody has asked to move. @see https://web.dev/articles/cls */
const watchShifts = `window.shift = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
}).observe({ type: 'layout-shift', buffered: true });`;

describe.skipIf(browserPath === undefined)('the explorer in a browser, while it loads', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test.each([
    [1440, 900],
    [1024, 700],
    [360, 740],
  ])('moves little at %d x %d, after a printed link and a reload', async (width, height) => {
    const flags = ['--data', fixtures, '--now', '2026-03-10T12:00:00Z'];
    // A code works once.
    const service = await startService(flags, { LOG_ENDPOINTS_TOKENS: '' });
    const context = await browser.newContext({ viewport: { width, height } });
    try {
      await eventually(() => service.output()).toMatch(/#code=\S+/);
      const [link = ''] = /http:\S+#code=\S+/.exec(service.output()) ?? [];
      const page = await context.newPage();
      await page.addInitScript(watchShifts);
      await page.goto(link);
      for (const reload of [false, true]) {
        if (reload) await page.reload();
        await page.locator('.histogram svg').waitFor();
        await page.locator('.results[aria-busy=false] .summary').waitFor();
        // Shifts are reported after the frame in which they happen.
        await page.evaluate('new Promise((done) => setTimeout(done, 500))');
        expect(await page.evaluate('window.shift')).toBeLessThanOrEqual(0.1);
      }
    } finally {
      await context.close();
      await service.stop();
    }
  });
});
