import { existsSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { load } from '../../../src/logs/load/load.js';
import { createLoadApart } from '../../../src/logs/load/load-in-child.js';
import { childrenOf, hasProc } from '../../support/engines.js';
import { jobsOf, makeFolder } from '../../support/load-logs.js';

/** Loads in a child process that ends with the load. */
const loadApart = createLoadApart(0);

const sources = jobsOf('test/acceptance/fixtures/basic');

function optionsOf(memoryLimit = '1GB') {
  return { sources, database: join(makeFolder({}), 'logs.duckdb'), memoryLimit, threads: 2 };
}

test('a child gives the same report', async () => {
  expect(await loadApart(optionsOf())).toEqual(await load(optionsOf()));
});

test('the parent gets setup errors of the child', async () => {
  await expect(loadApart(optionsOf('much'))).rejects.toThrow('cannot be loaded');
});

test.runIf(hasProc)('only the first load has the priority of this process', async () => {
  const loadNext = createLoadApart(60_000);
  await loadNext(optionsOf());
  const [pid = 0] = childrenOf(process.pid, 'load');
  expect(getPriority(pid)).toBe(getPriority());
  await loadNext(optionsOf());
  expect(getPriority(pid)).toBe(5);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => childrenOf(process.pid, 'load')).toEqual([]);
  const loading = loadNext(optionsOf());
  await expect
    .poll(() => childrenOf(process.pid, 'load').map((child) => getPriority(child)))
    .toEqual([5]);
  await loading;
  for (const other of childrenOf(process.pid, 'load')) process.kill(other, 'SIGKILL');
});

/** Sends a signal to the next loading processes, one after the other. */
async function signalNext(signal: NodeJS.Signals, count: number): Promise<void> {
  const known = new Set<number>();
  while (known.size < count) {
    const next = childrenOf(process.pid, 'load').find((pid) => !known.has(pid));
    if (next === undefined) await sleep(1);
    else {
      process.kill(next, signal);
      known.add(next);
    }
  }
}

describe.runIf(hasProc)('a loading process that another program kills', () => {
  test('costs no load', async () => {
    const options = optionsOf();
    const loading = loadApart(options);
    await signalNext('SIGKILL', 1);
    expect(await loading).toEqual(await load(optionsOf()));
    expect(existsSync(options.database)).toBe(true);
  });

  test('twice fails the load, and leaves no files', async () => {
    const options = optionsOf();
    const loading = loadApart(options);
    const failed = expect(loading).rejects.toThrow('the loading process ended by SIGKILL');
    await signalNext('SIGKILL', 2);
    await failed;
    expect([options.database, `${options.database}.spill`].filter(existsSync)).toEqual([]);
  });
});

test.runIf(hasProc)('a loading process that crashes fails the load', async () => {
  const loading = loadApart(optionsOf());
  const failed = expect(loading).rejects.toThrow('the loading process ended by SIGSEGV');
  await signalNext('SIGSEGV', 1);
  await failed;
});
