import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildImage, type Image } from '../support/build-image.js';
import { type Registry, startRegistry } from '../support/local-registry.js';
import { fixtures, root } from '../support/paths.js';
import { token } from '../support/start-service.js';

const run = promisify(execFile);

describe('the package, installed', () => {
  let folder = '';
  let tarball = '';
  let registry: Registry;

  beforeAll(async () => {
    folder = mkdtempSync('/tmp/package-test-');
    registry = await startRegistry();
    await npm(['run', 'package', '--', folder], root);
    tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
  });
  afterAll(() => {
    registry.close();
    rmSync(folder, { recursive: true });
  });

  function environment(): NodeJS.ProcessEnv {
    const { PATH } = process.env;
    return {
      PATH,
      HOME: folder,
      TMPDIR: folder,
      npm_config_registry: registry.url,
      npm_config_update_notifier: 'false',
      LOG_ENDPOINTS_TOKENS: token,
    };
  }

  async function npm(args: readonly string[], cwd: string): Promise<string> {
    const env = { ...environment(), npm_config_cache: join(folder, 'npm') };
    return (await run('npm', args, { cwd, env, maxBuffer: 1e8 })).stdout;
  }

  /** Starts `npx` in a new empty folder; `stop` sends what Ctrl-C sends. */
  async function npx(args: readonly string[], cwd = emptyFolder()) {
    const env = { ...environment(), npm_config_cache: join(folder, 'npm') };
    const child = spawn('npx', [...args], { cwd, env, detached: true });
    let output = '';
    const url = new Promise<string>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        output += chunk;
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
        if (address !== undefined) resolve(address);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', (code) => reject(new Error(`npx ended with ${code}: ${output}`)));
    });
    const stop = async () => {
      const exit = once(child, 'exit');
      process.kill(-(child.pid ?? 0), 'SIGTERM');
      await exit;
    };
    return { url: await url, stop, output: () => output };
  }

  function emptyFolder(): string {
    return mkdtempSync(join(folder, 'empty-'));
  }

  async function ask(url: string, parameters: Readonly<Record<string, string>>) {
    const query = new URLSearchParams(parameters);
    const answer = await fetch(`${url}/api/endpoints/query/logs.all?${query}`, {
      headers: { 'x-api-key': token },
    });
    const { result } = (await answer.json()) as {
      readonly result: readonly Record<string, number>[];
    };
    return result[0] ?? {};
  }

  test('it has what the program needs, and nothing else', async () => {
    const [{ files }] = JSON.parse(
      await npm(['pack', '--dry-run', '--ignore-scripts', '--json'], root),
    );
    const paths: readonly string[] = files.map(({ path }: { readonly path: string }) => path);
    const others = paths.filter((path) => !/^(sql|docs|schemas)\//.test(path));
    const expected = [
      /^dist\/(main|child|testing|[a-z-]+-[0-9A-Z]{8})\.js$/,
      /^dist\/explorer\/(index\.html|icon\.svg|explorer\.js|explorer-style\.css|[a-z-]+-[0-9A-Z]{8}\.js)$/,
      /^dist\/(testing\.d\.ts|LICENSES\.txt|macros-\w+\.duckdb)$/,
      /^[A-Z]+\.md$|^LICENSE$|^package\.json$/,
    ];
    expect(others.filter((path) => !expected.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  test('its package.json has what an installation needs, and no scripts', async () => {
    const { stdout } = await run('tar', ['xzOf', tarball, 'package/package.json']);
    const { scripts, devDependencies, exports: entries, ...old } = JSON.parse(stdout);
    expect({ scripts, devDependencies }).toEqual({});
    expect(Object.keys(entries)).toEqual(['.', './testing', './package.json']);
    // Without these, TypeScript finds no types where it does not read `exports` (`moduleResolution: node`).
    const own = entries['.'];
    expect([old.main, old.types]).toEqual([own.default, own.types]);
    expect(old.typesVersions).toEqual({ '*': { testing: [own.types] } });
  });

  test('npx demo, from the tarball: the first right answer, records that arrive, and nothing left behind', async () => {
    const start = performance.now();
    const demo = await npx([
      ...['--yes', `--package=${tarball}`, 'log-endpoints', 'demo'],
      ...['--port', '0', '--hours', '1'],
    ]);
    const sql = `select count(*) as n, timestamp_diff(current_timestamp(), max(timestamp), second) as age from edge_logs`;
    const first = await ask(demo.url, { project: 'bluefin', sql });
    const seconds = (performance.now() - start) / 1000;
    console.log(`npx demo: ${seconds.toFixed(1)} s to the first answer`);
    expect(first['n']).toBeGreaterThan(1_000);
    expect(first['age']).toBeLessThan(120);
    // Other work on the machine takes its share of the time.
    const busy = Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
    expect(seconds).toBeLessThan(10 * busy);
    await expect
      .poll(async () => (await ask(demo.url, { project: 'bluefin', sql }))['n'], {
        timeout: 60_000,
      })
      .toBeGreaterThan(first['n'] ?? 0);
    await demo.stop();
    const left = () => readdirSync(folder).filter((name) => name.startsWith('log-endpoints-'));
    await expect
      .poll(() => left().filter((name) => !name.endsWith('.tgz')), { timeout: 60_000 })
      .toEqual([]);
  });

  test('npx serve, installed in an empty folder', async () => {
    const cwd = emptyFolder();
    await npm(['install', '--no-audit', '--no-fund', tarball], cwd);
    cpSync(fixtures, join(cwd, 'logs'), { recursive: true });
    const flags = ['--data', 'logs', '--port', '0', '--shift-to-now', '--no-disk-cache'];
    const served = await npx(['log-endpoints', 'serve', ...flags], cwd);
    const sql = 'select count(*) as n from edge_logs';
    expect(await ask(served.url, { project: 'bluefin', sql })).toEqual({ n: 540 });
    await served.stop();
  });

  test('the image runs as another user, over files that it cannot change', async () => {
    const image = await buildImage(join(folder, 'image'));
    const { stop, url, health } = await startImage(image);
    expect(
      await ask(url, { project: 'bluefin', sql: 'select count(*) as n from edge_logs' }),
    ).toEqual({ n: 540 });
    expect(await health()).toBe(0);
    await stop();
    expect(await health()).toBe(1);
    expect(existsSync(join(image.workdir, 'src'))).toBe(false);
    expect(existsSync(join(image.workdir, 'node_modules/vitest'))).toBe(false);
  });

  /** Starts the image's command as its user would, with volumes and a temporary folder. */
  async function startImage(image: Image) {
    const port = await freePort();
    const temporary = join(folder, 'tmpfs');
    const cache = image.localPaths('/cache');
    cpSync(fixtures, image.localPaths('/data'), { recursive: true });
    mkdirSync(temporary);
    const user = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};
    if ('uid' in user) {
      chmodSync(folder, 0o755);
      for (const path of [temporary, cache]) chownSync(path, 1000, 1000);
      expect(statSync(dirname(image.workdir)).uid).toBe(0);
    }
    const { PATH } = process.env;
    const env = {
      PATH,
      TMPDIR: temporary,
      LOG_ENDPOINTS_PORT: String(port),
      LOG_ENDPOINTS_LOG_LEVEL: 'warn',
      LOG_ENDPOINTS_TOKENS: token,
    };
    const options = { cwd: image.workdir, env, ...user };
    const [program = '', ...args] = image.command.map(image.localPaths);
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'inherit'] });
    const [check = '', ...checkArgs] = image.healthCheck.map((word) =>
      word.replace('4000', String(port)),
    );
    const health = async () => {
      const [code] = await once(spawn(check, checkArgs, options), 'exit');
      return code;
    };
    for (let tries = 0; tries < 100 && (await health()) !== 0; tries += 1) await sleep(200);
    const stop = async () => {
      child.kill('SIGTERM');
      const [code] = await once(child, 'exit');
      expect(code).toBe(0);
    };
    return { url: `http://127.0.0.1:${port}`, stop, health };
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
