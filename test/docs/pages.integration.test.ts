import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFullLength } from '../support/nightly.js';
import { fixtures, main, root } from '../support/paths.js';
import { type Service, startService } from '../support/start-service.js';
import { generateRegions } from './generated.js';
import { findBlocks, pages } from './markdown.js';
import { runExamples } from './run-examples.js';

/** Examples that cannot run here: where one is, how it begins, and why. */
const notRun: readonly (readonly [page: string, start: string, why: string])[] = [
  ['README.md', '$ npm ci', 'it installs the packages that run this test'],
  ['CONTRIBUTING.md', '$ npm ci', 'it installs the packages, and then waits for changes'],
  ['docs/bigquery.md', '--engine bigquery', 'it needs a project in Google Cloud'],
  ['docs/bigquery.md', '$ log-endpoints bigquery ddl', 'only the beginning is shown'],
  ['docs/bigquery.md', '$ log-endpoints check', 'it needs a project in Google Cloud'],
  ['docs/bigquery.md', 'npm run test:bigquery', 'it needs a project in Google Cloud'],
  ['docs/install.md', '$ npm ci', 'it installs the packages that run this test'],
  ['docs/install.md', '$ npm install --global', 'test/program/package.nightly.test.ts does it'],
  ['docs/install.md', '$ docker build', 'it needs Docker'],
  ['docs/operations.md', '[Service]', 'it is a unit for systemd'],
  ['docs/operations.md', '$ docker build', 'it needs Docker'],
  ['docs/testing.md', 'npm run judge', 'it downloads the reference implementation'],
];

/** The pages whose commands run in `npm test`; `npm run test:nightly` runs those of every page. */
const withCommands = new Set([
  'README.md',
  ...['http-api', 'tutorial', 'cookbook', 'coming-from', 'install', 'ci'].map(
    (name) => `docs/${name}.md`,
  ),
]);

/** The pages whose queries are about the logs of the demo. */
const overDemo = new Set(['docs/cookbook.md', 'docs/coming-from.md']);

const folder = mkdtempSync(join(tmpdir(), 'log-endpoints-docs-'));
let service: Service;
let demo: Service;

beforeAll(async () => {
  const clock = ['--now', '2026-03-10T12:00:00Z'];
  service = await startService(['--data', fixtures, ...clock]);
  const out = join(folder, 'demo');
  await generateDemo(out);
  demo = await startService(['--data', out, ...clock]);
});
afterAll(async () => {
  await Promise.all([service.stop(), demo.stop()]);
  rmSync(folder, { recursive: true });
});

/** The logs that the cookbook says how to make. */
async function generateDemo(out: string): Promise<void> {
  const flags = ['--incidents', '--to', '2026-03-10T12:00:00Z', '--hours', '48'];
  await promisify(execFile)(process.execPath, [main, 'generate', '--out', out, ...flags]);
}

// `npm run docs` writes what is generated, and the answers that came, into the pages.
test.each(pages)('$path is up to date (npm run docs)', { timeout: 120_000 }, async (page) => {
  const own = mkdtempSync(join(folder, 'page-'));
  const text = await generateRegions(page);
  const runsCommands = isFullLength || withCommands.has(page.path);
  const { url } = overDemo.has(page.path) ? demo : service;
  const runner = { folder: own, url, runsCommands };
  const after = await runExamples({ ...page, text }, runner);
  await expect(after).toMatchFileSnapshot(join(root, page.path));
});

test('the examples that are not run are those of the list', () => {
  const marked = pages.flatMap(({ path, text }) =>
    findBlocks(text)
      .filter(({ options }) => options.has('not-run'))
      .map(({ body }) => [path, body] as const),
  );
  expect(marked.map(([path]) => path)).toEqual(notRun.map(([path]) => path));
  for (const [index, [, body]] of marked.entries()) expect(body).toContain(notRun[index]?.[1]);
});
