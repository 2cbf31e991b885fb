import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isFullLength } from '../support/nightly.js';
import { main } from '../support/paths.js';
import { line } from '../support/refresh-fixture.js';
import { makeFolders } from '../support/run-program.js';
import { token } from '../support/start-service.js';

test.runIf(isFullLength)(
  'a test program starts a server, tells it to reload, and need not stop it',
  async () => {
    const folders = makeFolders();
    writeFileSync(join(folders.data, 'db_logs.ndjson'), line(1));
    const flags = ['--data', folders.data, '--endpoints', folders.endpoints, '--port', '0'];
    const quiet = ['--quiet', '--log-level', 'silent', '--exit-with-parent', '--no-disk-cache'];
    // The shell is the parent that is killed. `wait` keeps it from becoming the server itself.
    const parent = spawn(
      'sh',
      ['-c', '"$0" "$@" & wait', process.execPath, main, 'serve', ...flags, ...quiet],
      {
        env: { PATH: process.env['PATH'], TMPDIR: folders.temporary, LOG_ENDPOINTS_TOKENS: token },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let errors = '';
    parent.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    const [banner] = await once(parent.stdout, 'data');
    const url = String(banner).trim();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const headers = { 'x-api-key': token };
    const ids = async () => (await fetch(`${url}/api/endpoints/query/ids`, { headers })).text();
    expect(await ids()).toBe('{"result":[{"id":"r1"}]}');
    writeFileSync(join(folders.data, 'db_logs.ndjson'), line(1) + line(2));
    const reload = async () => {
      const reloaded = await fetch(`${url}/-/reload`, { method: 'POST', headers });
      return `${reloaded.status} ${await reloaded.text()}`;
    };
    expect(await reload()).toBe('200 {"status":"reloaded"}');
    expect(await ids()).toBe('{"result":[{"id":"r2"},{"id":"r1"}]}');
    writeFileSync(join(folders.endpoints, 'ids.sql'), "select 'new' as id");
    expect(await reload()).toBe('200 {"status":"reloaded"}');
    expect(await ids()).toBe('{"result":[{"id":"new"}]}');
    writeFileSync(join(folders.endpoints, 'ids.sql'), 'select nothing');
    expect(await reload()).toMatch(/^503 .*the log of the server says why/);
    expect(await ids()).toBe('{"result":[{"id":"new"}]}');
    parent.kill('SIGKILL');
    // Closed by the last process that could write to it.
    await once(parent.stdout, 'close');
    expect(errors).toBe('');
    folders.remove();
  },
);

test('a server whose standard error has no reader any more ends at SIGTERM', async () => {
  const folders = makeFolders();
  const flags = ['--data', folders.data, '--port', '0', '--quiet', '--no-disk-cache'];
  const server = spawn(process.execPath, [main, 'serve', ...flags], {
    env: { TMPDIR: folders.temporary, LOG_ENDPOINTS_TOKENS: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [banner] = await once(server.stdout, 'data');
  server.stderr.destroy();
  // Each request writes a line to the log.
  expect((await fetch(`${String(banner).trim()}/api/endpoints/query/ids`)).status).toBe(401);
  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([0, null]);
  folders.remove();
});

test('a server whose standard error has no reader any more ends at an uncaught exception', async () => {
  const folders = makeFolders();
  const flags = ['--data', folders.data, '--port', '0', '--quiet', '--no-disk-cache'];
  const fail = "process.on('SIGUSR2', () => { throw new Error('provoked'); })";
  const server = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(fail)}`, main, 'serve', ...flags],
    {
      env: { TMPDIR: folders.temporary, LOG_ENDPOINTS_TOKENS: token },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  await once(server.stdout, 'data');
  server.stderr.destroy();
  await once(server.stderr, 'close');
  server.kill('SIGUSR2');
  expect(await once(server, 'exit')).toEqual([1, null]);
  folders.remove();
});
