import { createHash } from 'node:crypto';
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { childrenOf, hasProc } from '../support/engines.js';
import {
  type Folders,
  makeFolders,
  type ProgramOptions,
  runProgram,
  startServer,
} from '../support/run-program.js';

const folders = makeFolders();
const file = join(folders.data, 'db_logs.ndjson');
beforeAll(() => {
  const record = (n: number) => `{"timestamp":${1_770_000_000 + n},"event_message":"m${n}"}\n`;
  writeFileSync(file, [0, 1, 2].map(record).join(''));
});
afterAll(folders.remove);

async function ids(options: ProgramOptions = {}, of: Folders = folders): Promise<string> {
  const argv = ['query', 'ids', '--data', of.data, '--endpoints', of.endpoints, '--format', 'csv'];
  const { stdout, stderr } = await runProgram(of, [...argv, ...(options.flags ?? [])], options);
  expect(stdout.trim().split(/\s+/)).toEqual(['id', ...Array(3).fill(expect.any(String))]);
  return stdout + stderr;
}

const keyed = (key: string) => ({ prefix: `export LOG_ENDPOINTS_ID_KEY='${key}';` });

test('ids stay over a restart, until the key in the cache folder is removed', async () => {
  const before = await ids();
  const path = join(folders.cache, 'id.key');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await ids()).toBe(before);
  rmSync(path);
  expect(await ids()).not.toBe(before);
});

test('a key of the environment gives the same ids everywhere, and its change is noticed', async () => {
  const first = await ids(keyed('the key of two machines'));
  expect(await ids({ ...keyed('the key of two machines'), cache: join(folders.root, 'b') })).toBe(
    first,
  );
  expect(await ids(keyed('the key of another one'))).not.toBe(first);
  expect(await ids(keyed('the key of two machines'))).toBe(first);
  const flags = ['--no-disk-cache'];
  expect(await ids({ ...keyed('the key of two machines'), flags })).toBe(first);
  expect(await ids({ flags })).not.toBe(await ids({ flags }));
});

test('a short key is refused, and not quoted', async () => {
  const { code, stderr } = await runProgram(folders, ['check'], keyed('short secret'));
  expect([code, stderr]).toEqual([2, expect.stringContaining('LOG_ENDPOINTS_ID_KEY must have')]);
  expect(stderr).not.toContain('short secret');
});

test('no output shows the key', async () => {
  const key = 'a key that nobody may see';
  const forms = [key, createHash('sha256').update(key).digest('hex')];
  const { data, endpoints } = folders;
  const common = ['--data', data, '--endpoints', endpoints];
  appendFileSync(file, '{"timestamp":"never"}\n{"timestamp":1,"metadata":{"n":1e400}}\n');
  const outputs: string[] = [];
  for (const argv of [['check'], ['explain', 'ids'], ['explain', 'ids', '--stage', 'plan']]) {
    const { stdout, stderr } = await runProgram(folders, [...argv, ...common], keyed(key));
    outputs.push(stdout, stderr);
  }
  const server = await startServer(folders, { ...keyed(key), flags: ['--watch', '--log-queries'] });
  for (const path of ['/metrics', '/api/endpoints', '/api/endpoints/query/none', '/health']) {
    outputs.push(await (await server.get(path)).text());
  }
  await server.kill();
  outputs.push(server.output());
  for (const name of readdirSync(folders.cache, { recursive: true, encoding: 'utf8' })) {
    const path = join(folders.cache, name);
    outputs.push(name, statSync(path).isFile() ? readFileSync(path, 'latin1') : '');
  }
  for (const form of forms) for (const output of outputs) expect(output.includes(form)).toBe(false);
});

test.runIf(hasProc)(
  'a cache folder that is removed is there again within 5 s, and no request fails',
  async () => {
    const server = await startServer(folders);
    const before = await server.rows('ids');
    const tree = () =>
      readdirSync(folders.cache, { recursive: true, encoding: 'utf8' })
        .filter((name) => /(\.duckdb|manifest\.json|about\.json|id\.key|\.lease)$/.test(name))
        .map((name) => name.replace(/\w{16}\.lease/, '.lease'))
        .sort();
    await sleep(500);
    const files = tree();
    rmSync(folders.cache, { recursive: true });
    const start = performance.now();
    // Another value each time, so that no answer is a kept one.
    for (let n = 1; performance.now() - start < 5_000; n += 1) {
      for (const child of childrenOf(server.pid)) process.kill(child, 'SIGKILL');
      const from = new Date(n).toISOString();
      expect(await server.rows('since', `from=${from}`)).toEqual(before);
    }
    expect(tree()).toEqual(files);
    await server.kill();
    expect(server.output().split('they are there again')).toHaveLength(2);
    const next = await startServer(folders);
    expect(await next.rows('ids')).toEqual(before);
    await next.kill();
    expect(next.output()).not.toContain('damaged');
  },
);
