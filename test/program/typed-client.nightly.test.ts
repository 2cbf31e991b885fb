import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixtures, root } from '../support/paths.js';
import { type Service, startService, token } from '../support/start-service.js';

// A client that oazapfts generates from the OpenAPI document compiles, and calls the shipped endpoints.

const folder = mkdtempSync(join(tmpdir(), 'typed-client-'));
let service: Service;

beforeAll(async () => {
  service = await startService(['--data', fixtures, '--now', '2026-03-10T12:00:00Z']);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const response = await fetch(`${service.url}/api/openapi.json`, {
    headers: { 'x-api-key': token },
  });
  writeFileSync(join(folder, 'openapi.json'), await response.text());
  run('oazapfts/dist/cli.js', join(folder, 'openapi.json'), join(folder, 'client.ts'));
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** Runs a program of a package in the folder; what it writes is part of the failure. */
function run(program: string, ...args: readonly string[]): void {
  const path = join(root, 'node_modules', program);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(status, stdout + stderr).toBe(0);
}

/** A program that a user of the client writes: the types of its rows are those of the columns. */
const program = `
import { defaults, getLogsAll, getUsageApiCounts } from './client';

export async function useClient(baseUrl: string, token: string) {
  Object.assign(defaults, { baseUrl, headers: { 'x-api-key': token } });
  const logs = await getLogsAll('quarry');
  const counts = await getUsageApiCounts('daily', 'bluefin');
  const missing = await getLogsAll('quarry', { sql: 'select nothing from edge_logs' });
  if (logs.status !== 200 || counts.status !== 200 || missing.status === 200) throw new Error();
  const messages: (string | null | undefined)[] = logs.data.result.map((row) => row.event_message);
  const requests: (number | null | undefined)[] = counts.data.result.map((row) => row.total_rest_requests);
  return { messages, requests, refusal: missing.data.error.message };
}
`;

test('a generated client compiles and calls both endpoints', async () => {
  writeFileSync(join(folder, 'use.ts'), program);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
    ...{ target: 'es2022', lib: ['es2023', 'dom'], module: 'preserve' },
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['use.ts'] }),
  );
  run('typescript/bin/tsc', '-p', folder);
  const outfile = join(folder, 'use.mjs');
  const options = { bundle: true, format: 'esm', platform: 'node', logLevel: 'error' } as const;
  await build({ ...options, entryPoints: [join(folder, 'use.ts')], outfile });
  const { useClient } = await import(pathToFileURL(outfile).href);
  const { messages, requests, refusal } = await useClient(service.url, token);
  expect(messages).toHaveLength(100);
  expect(messages[0]).toMatch(/^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \| /);
  expect(requests.every((count: unknown) => Number.isInteger(count))).toBe(true);
  expect(refusal).toContain('nothing');
});
