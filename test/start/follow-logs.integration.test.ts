import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import { compileHere } from '../../src/compiler/compile-sandbox.js';
import { createServing, type ServedData } from '../../src/run/serving.js';
import { createFollower } from '../../src/start/follow-logs.js';
import type { LoadedLogs, Logs } from '../../src/start/logs.js';
import { createFakeEngine } from '../support/fake-engine.js';
import { isFullLength } from '../support/nightly.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'follow-test-'));
});
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  rmSync(folder, { recursive: true, force: true });
});

const patience = { timeout: 60_000, interval: 20 };

/** A version of the logs. */
function state(version: string, released: string[] = []): LoadedLogs {
  const counts = { records: 1, badLines: 0, badFields: 0, faults: [], readable: true };
  const files = [{ source: 'edge_logs', file: `${version}.ndjson`, ...counts }];
  const release = () => released.push(version);
  return {
    databaseFile: version,
    sources: [],
    files,
    warnings: [],
    inputs: [],
    unreadable: [],
    declared: [],
    version,
    release,
  };
}

function data(version: string): ServedData {
  const compiler = createCompiler([]);
  const engine = createFakeEngine(() => []);
  return { version, sources: [], compiler, compile: compileHere(compiler), engine };
}

/** A follower of fake logs: each function performs its next step, then none. */
function follow(steps: {
  readonly refresh?: readonly (LoadedLogs | Error)[];
  readonly reload?: readonly (LoadedLogs | Error)[];
  readonly merge?: readonly (LoadedLogs | Error)[];
  readonly open?: readonly (Error | undefined)[];
  readonly isSound?: boolean;
  /** Instead of `refresh`: loads of sources that change all the time; `replaced` if a merge was applied first. */
  readonly sources?: Readonly<Record<string, () => Promise<LoadedLogs | 'replaced'>>>;
  readonly onLoad?: (source: string) => void;
  readonly onLoaded?: (served: LoadedLogs) => Promise<void>;
}) {
  const left = { refresh: [], reload: [], merge: [], open: [], ...steps };
  const calls = { refresh: 0, reload: 0, merge: 0, open: 0 };
  const next = async (what: keyof typeof calls): Promise<LoadedLogs | undefined> => {
    const step = left[what][calls[what]];
    calls[what] += 1;
    if (step instanceof Error) throw step;
    return step;
  };
  const first = state('first');
  let looks = 0;
  const logs: Logs = {
    first,
    refresh: () => next('refresh'),
    changed: () => {
      looks += 1;
      return Object.keys(
        steps.sources ?? (calls.refresh < left.refresh.length ? { edge_logs: 1 } : {}),
      );
    },
    refreshSource: async (name, onReplaced) => {
      steps.onLoad?.(name);
      const loaded = await (steps.sources?.[name]?.() ?? next('refresh'));
      return async () => (loaded === 'replaced' ? void onReplaced() : loaded);
    },
    reload: () => next('reload'),
    merge: async () => {
      const merged = await next('merge');
      return async () => merged;
    },
    restore: async () => false,
    verify: async () => steps.isSound ?? true,
    restart: async () => first,
    readSources: () => {},
    ignored: () => [],
  };
  const openData = async ({ version }: LoadedLogs) => {
    await next('open');
    return data(version);
  };
  const told: { readonly msg: string; readonly problem?: string; readonly line?: string }[] = [];
  const log = pino({}, { write: (line: string) => void told.push(JSON.parse(line)) });
  const serving = createServing(data('first'));
  const { onLoaded = async () => {} } = steps;
  const follower = createFollower({ logs, first, serving, openData, log, onLoaded });
  ends.push(follower.close);
  return {
    follower,
    calls,
    /** The number of looks at the files. */
    looks: () => looks,
    served: () => `${follower.current().version} ${serving.version}`,
    problems: () => told.flatMap(({ problem }) => problem ?? []),
    messages: () => told.map(({ msg }) => msg),
    lines: () => told.flatMap(({ line }) => line ?? []),
  };
}

test('the log says once when a file cannot be read, and once when it can be read again or is gone', async () => {
  const line = 'a.ndjson: cannot be read now (EACCES); its records stay';
  const unreadable = (version: string) => {
    return { ...state(version), warnings: [line], unreadable: ['a.ndjson'] };
  };
  const files = state('a').files;
  const { follower, lines } = follow({
    refresh: [
      unreadable('1'),
      unreadable('2'),
      { ...state('3'), files },
      unreadable('4'),
      state('5'),
    ],
  });
  for (let round = 0; round < 5; round += 1) await follower.refresh();
  expect(lines()).toEqual([line, 'a.ndjson: can be read again', line, 'a.ndjson: is gone']);
});

describe('a refresh on demand', () => {
  test('ends once the new version is served; calls that wait share it', async () => {
    const { follower, calls, served } = follow({ refresh: [state('second')] });
    await Promise.all([follower.refresh(), follower.refresh()]);
    expect([served(), calls.refresh]).toEqual(['second second', 1]);
    await follower.refresh();
    expect(calls.refresh).toBe(2);
  });

  test('rejects if the files cannot be loaded', async () => {
    const { follower, served } = follow({ refresh: [new Error('the disk is full')] });
    await expect(follower.refresh()).rejects.toThrow('the disk is full');
    expect(served()).toBe('first first');
  });

  test('takes up other files, too, in the end, and rejects with their faults', async () => {
    const loaded: string[] = [];
    const onLoaded = async ({ version }: LoadedLogs) => {
      loaded.push(version);
      throw new Error('a fault');
    };
    const steps = { refresh: [new Error('the disk is full'), state('second')], onLoaded };
    const { follower, served } = follow(steps);
    await expect(follower.refresh()).rejects.toThrow('the disk is full');
    await expect(follower.refresh()).rejects.toThrow('a fault');
    expect([served(), loaded]).toEqual(['second second', ['first', 'second']]);
  });
});

test('changes that follow each other are gathered', async () => {
  const { follower, looks } = follow({});
  follower.watch(folder);
  await expect.poll(looks, patience).toBeGreaterThan(0);
  const [before, start] = [looks(), performance.now()];
  for (let written = 0; performance.now() - start < 1_000; written += 1) {
    writeFileSync(join(folder, `${written % 50}.ndjson`), `${written}`);
    await sleep(5);
  }
  const most = Math.ceil((performance.now() - start) / 200) + 1;
  expect(looks() - before).toBeGreaterThan(0);
  expect(looks() - before).toBeLessThanOrEqual(most);
});

describe('sources', () => {
  test('the next load begins some time after the last one ended', async () => {
    let loads = 0;
    const { follower } = follow({
      sources: { edge_logs: () => sleep(150).then(() => state(`${loads}`)) },
      onLoad: () => {
        loads += 1;
      },
    });
    follower.watch(folder);
    await expect.poll(() => loads, patience).toBeGreaterThan(0);
    const [before, start] = [loads, performance.now()];
    for (let written = 0; performance.now() - start < 1_500; written += 1) {
      writeFileSync(join(folder, `${written % 50}.ndjson`), `${written}`);
      await sleep(5);
    }
    const most = Math.ceil((performance.now() - start) / 350) + 1;
    expect(loads - before).toBeGreaterThan(0);
    expect(loads - before).toBeLessThanOrEqual(most);
  });

  test('a slow one delays no other, and is loaded once at a time', async () => {
    let loadSlow = (_: LoadedLogs) => {};
    const slow = new Promise<LoadedLogs>((resolve) => {
      loadSlow = resolve;
    });
    const loads: string[] = [];
    const { follower, served } = follow({
      sources: {
        slow: () => slow,
        quick: () => {
          const count = loads.filter((name) => name === 'quick').length;
          return count > 2 ? new Promise(() => {}) : Promise.resolve(state(`${count}`));
        },
      },
      onLoad: (name) => loads.push(name),
    });
    follower.watch(folder);
    const writeAndLook = () => {
      appendFileSync(join(folder, 'quick.ndjson'), 'a line\n');
      return served();
    };
    await expect.poll(writeAndLook, patience).toBe('2 2');
    expect(loads.filter((name) => name === 'slow')).toEqual(['slow']);
    loadSlow(state('all'));
    await expect.poll(served, patience).toBe('all all');
  });

  test('a source that a merge replaced is loaded again, although no file changes after that', async () => {
    const loads: string[] = [];
    const { follower, served } = follow({
      sources: {
        merged: () => {
          if (loads.length > 2) return new Promise(() => {});
          return Promise.resolve(loads.length === 1 ? 'replaced' : state('again'));
        },
      },
      onLoad: (name) => loads.push(name),
    });
    follower.watch(folder);
    // Sooner than a change would be assumed.
    await expect.poll(served, { timeout: 8_000, interval: 20 }).toBe('again again');
    expect(loads.slice(0, 2)).toEqual(['merged', 'merged']);
  });
});

describe('a failure does not affect the version that is served', () => {
  const disk = new Error('the disk is full');

  test.runIf(isFullLength)('a refresh that fails twice is logged once, and retried', async () => {
    const { follower, calls, ...seen } = follow({ refresh: [disk, disk, state('second')] });
    follower.watch(folder);
    await expect.poll(seen.problems, patience).toEqual(['the disk is full']);
    expect(seen.served()).toBe('first first');
    await expect.poll(seen.served, patience).toBe('second second');
    expect(seen.problems()).toEqual(['the disk is full']);
    expect(seen.messages()).toContain('data can be read again');
    expect(calls.refresh).toBeGreaterThanOrEqual(3);
  });

  test.runIf(isFullLength)('after damage everything is reloaded, until that succeeds', async () => {
    const { follower, calls, ...seen } = follow({
      isSound: false,
      reload: [disk, disk, state('anew')],
    });
    await follower.verify();
    expect(seen.problems()).toEqual([
      'the disk cache is damaged; everything is reloaded',
      'the disk is full',
    ]);
    expect(seen.served()).toBe('first first');
    await expect.poll(seen.served, patience).toBe('anew anew');
    // Until then, no refresh is tried: it would add to damaged files.
    expect([calls.reload, calls.refresh]).toEqual([3, 0]);
  });

  test.runIf(isFullLength)(
    'a failed merge is logged, and the files are still followed',
    async () => {
      const { follower, calls, ...seen } = follow({
        refresh: [state('second'), state('third')],
        merge: [disk, state('merged')],
      });
      follower.watch(folder);
      await expect.poll(seen.problems, patience).toEqual(['the disk is full']);
      let written = 0;
      const writeAndLook = () => {
        writeFileSync(join(folder, `${written++}.ndjson`), '');
        return seen.served();
      };
      await expect.poll(writeAndLook, patience).toBe('merged merged');
      // While merging is paused, new lines are still loaded.
      expect(calls.refresh).toBeGreaterThanOrEqual(2);
      expect(seen.messages()).toContain('parts can be merged again');
    },
  );

  test('a version that cannot be opened is opened later, and never partially', async () => {
    const { follower, ...seen } = follow({
      refresh: [state('second')],
      open: [new Error('no memory')],
    });
    follower.watch(folder);
    await expect.poll(seen.problems, patience).toEqual(['no memory']);
    expect(seen.served()).toBe('first first');
    await expect.poll(seen.served, patience).toBe('second second');
  });
});
