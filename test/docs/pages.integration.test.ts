import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixtures, root } from '../support/paths.js';
import { isFullLength } from '../support/soak.js';
import { type Service, startService } from '../support/start-service.js';
import { generateRegions } from './generated.js';
import { findBlocks, pages } from './markdown.js';
import { runExamples } from './run-examples.js';

/** Examples that cannot run here: where one is, how it begins, and why. */
const notRun: readonly (readonly [page: string, start: string, why: string])[] = [
  ['README.md', '$ npm ci', 'it installs the packages that run this test'],
  ['README.md', '$ LOG_ENDPOINTS_TOKENS=a-token-for-my-laptop', 'it runs until it is stopped'],
  ['README.md', '$ npx log-endpoints demo', 'it runs until it is stopped'],
  ['CONTRIBUTING.md', '$ npm ci', 'it installs the packages, and then waits for changes'],
  ['docs/bigquery.md', '--engine bigquery', 'it needs a project in Google Cloud'],
  ['docs/bigquery.md', '$ log-endpoints bigquery ddl', 'only the beginning is shown'],
  ['docs/bigquery.md', '$ log-endpoints check', 'it needs a project in Google Cloud'],
  ['docs/bigquery.md', 'npm run test:bigquery', 'it needs a project in Google Cloud'],
  ['docs/demo.md', '$ npx log-endpoints demo', 'it runs until it is stopped'],
  ['docs/operations.md', 'log-endpoints serve', 'it is an overview of the verbs'],
  ['docs/operations.md', '[Service]', 'it is a unit for systemd'],
  ['docs/operations.md', '$ docker build', 'it needs Docker'],
  ['docs/testing.md', 'npm run judge', 'it downloads the reference implementation'],
];

/** The pages whose commands run in `npm test`; `npm run test:soak` runs those of every page. */
const withCommands = new Set(['README.md', 'docs/http-api.md']);

const folder = mkdtempSync(join(tmpdir(), 'log-endpoints-docs-'));
let service: Service;

beforeAll(async () => {
  service = await startService(['--data', fixtures, '--now', '2026-03-10T12:00:00Z']);
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

// `npm run docs` writes what is generated, and the answers that came, into the pages.
test.each(pages)('$path is up to date (npm run docs)', { timeout: 120_000 }, async (page) => {
  const own = mkdtempSync(join(folder, 'page-'));
  const text = await generateRegions(page);
  const runsCommands = isFullLength || withCommands.has(page.path);
  const runner = { folder: own, url: service.url, runsCommands };
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
