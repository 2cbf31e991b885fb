import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { token } from '../support/start-service.js';

const paths = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
];

/** The browser of this machine, if there is one; `CHROMIUM` may name another. */
export const browserPath = paths.find((path) => path !== undefined && existsSync(path));

if (browserPath === undefined) {
  console.warn(
    'SKIPPED: the tests of the explorer in a browser. They need Chromium: apt-get install chromium-headless-shell',
  );
}

/** A name of this machine that is no loopback address to the browser. */
export const otherHost = 'logs.example';

const patienceMs = 60_000;

/** Expects a value that comes in time, however slow the machine is. */
export function eventually<T>(read: () => T) {
  return expect.poll(read, { timeout: patienceMs });
}

/** Starts the browser. */
export function launch(): Promise<Browser> {
  // CI runs as root, where Chromium's own sandbox does not start.
  const args = ['--no-sandbox', `--host-resolver-rules=MAP ${otherHost} 127.0.0.1`];
  return chromium.launch({ executablePath: browserPath ?? '', args });
}

/** A page, and what went wrong in it. */
export interface Opened {
  readonly page: Page;
  /** Every address that was asked for. */
  readonly urls: readonly string[];
  /** Exceptions of the page, and what its content security policy stopped. */
  readonly faults: readonly string[];
}

/** Opens the explorer in a window of its own. */
export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    timezoneId: 'Europe/Berlin',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const urls: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.text().startsWith('stopped: ')) faults.push(message.text());
  });
  await page.addInitScript(reportViolations);
  await page.goto(address);
  return { page, urls, faults };
}

// Chromium itself writes style attributes while it edits a text, and the editor then removes them.
const reportViolations = `addEventListener('securitypolicyviolation', (event) => {
  const isOwn = event.violatedDirective === 'style-src-attr' && event.sourceFile === '';
  if (!isOwn) console.log('stopped: ' + event.violatedDirective + ' ' + event.blockedURI);
});`;

/** Enters the token. */
export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('heading', { level: 1, name: 'logs.all' }).waitFor();
}

/** Replaces the query in the editor by typing. */
export async function typeQuery(page: Page, language: 'SQL' | 'LQL', text: string): Promise<void> {
  await page.getByRole('tab', { name: language, exact: true }).click();
  const editor = page.getByRole('textbox', { name: `Query in ${language}` });
  await editor.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

// Rows, and the lines of lists, are alike: the first ones are checked, of which one is an error.
const alike = ['.row', '.surrounding li', '.fields > ul > li'];
const context = { exclude: alike.map((one) => [`${one}:nth-child(n+12)`]) };
const options = { resultTypes: ['violations'] };

/** The faults that axe finds for people who cannot see or use a mouse, a line each. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const call = `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)})`;
  const { violations } = (await page.evaluate(call)) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}
