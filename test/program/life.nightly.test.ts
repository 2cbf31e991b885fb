import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ask, endlessSql, endlessSqls, metricOf } from '../support/ask-service.js';
import { childrenOf, hasProc, isLeft } from '../support/engines.js';
import { fixtures, main } from '../support/paths.js';
import { childrenOf as allChildrenOf } from '../support/run-program.js';
import { type Service, startService, token } from '../support/start-service.js';

const { PATH } = process.env;
const soon = { timeout: 60_000, interval: 20 };
const small = { sql: 'select count(*) as n from edge_logs' };
const flags = [
  ...['--data', fixtures, '--memory-limit', '500MB', '--query-timeout', '20s'],
  // Reading the newest rows would be one more running statement.
  ...['--newest-rows', '0'],
];

let temporary = '';
beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), 'life-'));
});
afterAll(() => rmSync(temporary, { recursive: true }));

const services = new Set<Service>();
afterEach(async () => {
  // Left by a failed test; a process that has ended ignores the signal.
  await Promise.all([...services].map((service) => service.kill('SIGKILL')));
  services.clear();
});

async function start(environment: NodeJS.ProcessEnv, own = flags): Promise<Service> {
  const service = await startService(own, environment);
  services.add(service);
  return service;
}

/** A folder for the temporary files of one service. */
function folder(name: string): string {
  const path = join(temporary, name);
  mkdirSync(path);
  return path;
}

async function statusOf(url: string, path: string): Promise<number> {
  const response = await fetch(`${url}${path}`);
  await response.text();
  return response.status;
}

describe.runIf(hasProc).each([
  ['SIGTERM', 'a process manager'],
  ['SIGINT', 'Ctrl-C'],
  ['SIGHUP', 'a terminal that closes'],
] as const)('a service that receives %s, as from %s', (signal, _sender) => {
  test('finishes running requests, accepts no more, and leaves nothing behind', async () => {
    const TMPDIR = folder(`drain ${signal}`);
    const limits = ['--query-timeout', '6s', '--newest-rows', '0'];
    const service = await start({ TMPDIR }, ['--data', fixtures, ...limits]);
    // The printed example runs a query too.
    await expect.poll(service.output, soon).toContain('curl');
    const running = ask(service, { sql: endlessSql });
    await expect.poll(() => metricOf(service, 'engine_running'), soon).toBe(1);
    const engines = childrenOf(service.pid);
    // A terminal signals the children, too.
    for (const pid of [service.pid, ...allChildrenOf(service.pid)]) process.kill(pid, signal);
    await expect.poll(() => statusOf(service.url, '/ready'), soon).toBe(503);
    expect(await statusOf(service.url, '/health')).toBe(200);
    const late = await ask(service, small);
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
    // The query goes on to its time limit.
    expect((await running).status).toBe(504);
    expect(await service.kill()).toBe(0);
    expect(readdirSync(TMPDIR)).toEqual([]);
    expect(engines.filter(isLeft)).toEqual([]);
  });
});

describe.runIf(hasProc)('a service that is killed leaves no process', () => {
  test('while queries run', async () => {
    const service = await start({ TMPDIR: folder('killed') });
    const asked = [1, 2].map((turn) =>
      ask(service, { sql: endlessSqls(turn) }).catch(() => undefined),
    );
    await expect.poll(() => metricOf(service, 'engine_running'), soon).toBe(2);
    await expect.poll(() => childrenOf(service.pid).length, soon).toBeGreaterThan(1);
    const engines = childrenOf(service.pid);
    expect(await service.kill('SIGKILL')).toBe('SIGKILL');
    await Promise.all(asked);
    await expect.poll(() => engines.filter(isLeft), soon).toEqual([]);
  });

  // At a different moment each time: before the child listens, while it opens, while it is idle.
  test.each(['load', 'engine'] as const)('while it starts: %s', async (verb) => {
    for (const ms of [0, 30, 100, 200]) {
      const child = spawn(process.execPath, [main, 'serve', '--port', '0', ...flags], {
        env: {
          PATH,
          TMPDIR: folder(`${verb} ${ms}`),
          LOG_ENDPOINTS_TOKENS: token,
        },
        stdio: 'ignore',
      });
      const started = () => childrenOf(child.pid ?? 0, verb);
      await expect.poll(() => started().length, { ...soon, interval: 1 }).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, ms));
      const left = started();
      child.kill('SIGKILL');
      await once(child, 'exit');
      await expect.poll(() => left.filter(isLeft), soon).toEqual([]);
    }
  });
});

describe.runIf(hasProc)('a service whose database file is removed', () => {
  test('writes it again, and answers', async () => {
    const TMPDIR = folder('removed');
    const service = await start({ TMPDIR });
    expect(await statusOf(service.url, '/ready')).toBe(200);
    const [own = ''] = readdirSync(TMPDIR, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.duckdb'),
    );
    const database = join(TMPDIR, own);
    rmSync(database);
    for (const pid of childrenOf(service.pid)) process.kill(pid, 'SIGKILL');
    expect((await ask(service, small)).status).toBe(200);
    expect(existsSync(database)).toBe(true);
    await expect.poll(() => statusOf(service.url, '/ready'), soon).toBe(200);
    await expect.poll(service.output, soon).toContain('they are there again');
    expect(await service.stop()).toBe(0);
  });
});

describe('an uncaught error', () => {
  const secret = 'a secret of the data';

  /** A service with injected code that fails at a signal. */
  async function startFailing(name: string) {
    const file = join(temporary, `${name}.mjs`);
    writeFileSync(
      file,
      `process.on('SIGUSR2', () => void Promise.reject(new RangeError('${secret}')));
      process.on('SIGWINCH', () => { throw new RangeError('${secret}'); });`,
    );
    const NODE_OPTIONS = `--import ${pathToFileURL(file)}`;
    return start({ NODE_OPTIONS, TMPDIR: folder(name) });
  }

  /** The log lines of a level. */
  function linesOf(output: string, level: number) {
    const lines = output.split('\n').filter((line) => line.startsWith(`{"level":${level},`));
    return lines.map((line): unknown => JSON.parse(line));
  }

  test('in a promise is logged, and the service continues', async () => {
    const service = await startFailing('rejection');
    process.kill(service.pid, 'SIGUSR2');
    await expect
      .poll(() => linesOf(service.output(), 50), soon)
      .toEqual([
        expect.objectContaining({
          msg: 'unhandled rejection',
          err: {
            type: 'RangeError',
            stack: expect.arrayContaining([expect.stringContaining('rejection.mjs')]),
          },
        }),
      ]);
    expect((await ask(service, small)).status).toBe(200);
    expect(service.output()).not.toContain(secret);
    expect(await service.stop()).toBe(0);
  });

  test('anywhere else is logged and ends the service with exit code 1, leaving nothing behind', async () => {
    const service = await startFailing('exception');
    const engines = childrenOf(service.pid);
    expect(await service.kill('SIGWINCH')).toBe(1);
    expect(linesOf(service.output(), 60)).toMatchObject([
      { msg: 'uncaught exception', err: { type: 'RangeError' } },
    ]);
    expect(service.output()).not.toContain(secret);
    expect(readdirSync(join(temporary, 'exception'))).toEqual([]);
    await expect.poll(() => engines.filter(isLeft), soon).toEqual([]);
  });
});

describe('a full disk', () => {
  // A limit on the size of files is the closest to a full disk without mounting one.
  test('for temporary files is reported with one line and exit code 2', async () => {
    const TMPDIR = folder('full');
    const command = `ulimit -f 200; exec "${process.execPath}" "${main}" serve --port 0 --data "${fixtures}"`;
    const ended = promisify(execFile)('sh', ['-c', command], {
      env: { PATH, TMPDIR },
    });
    const { code, stderr } = await ended.then(
      () => ({ code: 0, stderr: '' }),
      (error) => error,
    );
    expect(code).toBe(2);
    // A load of more than two seconds says how far it is.
    expect(
      String(stderr)
        .split('\n')
        .filter((line) => !line.includes('loading: ')),
    ).toEqual([expect.stringMatching(/./), '']);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  test.runIf(existsSync('/dev/full'))('for the log loses only log lines', async () => {
    const command = `exec "${process.execPath}" "${main}" serve --port 0 --data "${fixtures}" 2> /dev/full`;
    const env = { PATH, TMPDIR: folder('log'), LOG_ENDPOINTS_TOKENS: token };
    const child = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const [banner] = await once(child.stdout, 'data');
    const [url = ''] = /http:\/\/[\d.:]+/.exec(String(banner)) ?? [];
    const statuses = [await ask({ url }, small), await ask({ url }, { sql: 'no sql' })];
    expect(statuses.map(({ status }) => status)).toEqual([200, 400]);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
