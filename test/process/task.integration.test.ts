import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/errors/errors.js';
import type { TaskContext } from '../../src/process/messages.js';
import { type EndKind, isKill, runAgainIfKilled } from '../../src/process/process-end.js';
import { startProcess, type TaskProcess } from '../../src/process/task.js';
import { hasProc } from '../support/engines.js';

/** The tasks of the program. */
type TestTasks = {
  readonly echo: (input: unknown) => unknown;
  readonly wait: (ms: number) => Promise<number>;
  readonly priority: () => number;
  readonly environment: () => Readonly<Record<string, string>>;
  readonly count: (steps: number, context: TaskContext<number>) => number;
  readonly refuse: () => void;
  readonly fail: () => void;
  readonly untilStopped: (input: undefined, context: TaskContext) => void;
  readonly hang: () => void;
  readonly signalSelf: (signal: NodeJS.Signals) => string;
  readonly exit: () => void;
  readonly exceed: (bytes: number) => void;
};

const program = fileURLToPath(new URL('../support/task-program.mjs', import.meta.url));
const started = new Set<TaskProcess<TestTasks>>();

afterEach(async () => {
  for (const one of started) one.end();
  await Promise.all([...started].map((one) => one.ended));
  started.clear();
});

function start(options: Partial<Parameters<typeof startProcess>[0]> = {}) {
  const one = startProcess<TestTasks>({ verb: 'test', program, isQuiet: true, ...options });
  started.add(one);
  return one;
}

describe('a task', () => {
  test('returns its result; several run at once', async () => {
    const one = start();
    const ended: number[] = [];
    const waits = [400, 10].map((ms) => one.run('wait', ms).then((each) => ended.push(each)));
    const input = { bytes: new Uint8Array([1, 2]), text: 'ä', none: undefined };
    expect(await one.run('echo', input)).toEqual(input);
    await Promise.all(waits);
    expect(ended).toEqual([10, 400]);
  });

  test('reports its progress before its result', async () => {
    const seen: number[] = [];
    const counting = start().run('count', 3, { onProgress: (step) => seen.push(step) });
    expect([await counting, seen]).toEqual([3, [1, 2, 3]]);
  });

  test('fails with its own error, and the process goes on', async () => {
    const one = start();
    const refused = one.run('refuse', undefined);
    await expect(refused).rejects.toBeInstanceOf(ServiceError);
    await expect(refused).rejects.toMatchObject({
      faults: [{ reason: 'invalidQuery', message: 'a refusal', location: 'sql' }],
    });
    const error = await one.run('fail', undefined).catch((each: Error) => each);
    expect(error).toMatchObject({ message: 'a bug' });
    expect((error as Error).stack).toContain('task-program.mjs');
    expect(await one.run('echo', 1)).toBe(1);
  });

  test('stops when its signal fires, and the process goes on', async () => {
    const one = start();
    const caller = new AbortController();
    const stopped = one.run('untilStopped', undefined, { signal: caller.signal });
    await one.run('echo', 1);
    caller.abort();
    await expect(stopped).rejects.toMatchObject({ faults: [{ reason: 'timeout' }] });
    expect(await one.run('echo', 2)).toBe(2);
  });

  test('that does not stop loses its process', async () => {
    const one = start();
    await one.run('echo', 1);
    const caller = new AbortController();
    const hanging = one.run('hang', undefined, { signal: caller.signal });
    caller.abort();
    await expect(hanging).rejects.toMatchObject({ faults: [{ reason: 'timeout' }] });
    expect(one.isAlive()).toBe(false);
    expect((await one.ended).kind).toBe('ended');
  });

  test('loses its process at a time limit, with the error of that', async () => {
    const one = start();
    await one.run('echo', 1);
    const limit = { ms: 100, error: () => new Error('too slow') };
    await expect(one.run('hang', undefined, { limit })).rejects.toThrow('too slow');
    expect((await one.ended).kind).toBe('ended');
  });

  test('does not start if its signal has fired', async () => {
    const signal = AbortSignal.abort();
    const never = start().run('exit', undefined, { signal });
    await expect(never).rejects.toMatchObject({ faults: [{ reason: 'timeout' }] });
  });
});

describe('the end of a process', () => {
  const byItself: readonly (readonly [string, EndKind, string])[] = [
    ['SIGKILL', 'killed', 'SIGKILL'],
    ['SIGSEGV', 'crashed', 'SIGSEGV'],
    ['SIGABRT', 'crashed', 'SIGABRT'],
    ['SIGBUS', 'crashed', 'SIGBUS'],
    ['SIGUSR2', 'out of memory', 'SIGUSR2'],
  ];
  test.each(byItself)('by %s is: %s', async (signal, kind, how) => {
    const one = start();
    const running = [one.run('signalSelf', signal as NodeJS.Signals), one.run('wait', 60_000)];
    for (const each of running) await expect(each).rejects.toMatchObject({ kind, how });
    expect(one.isAlive()).toBe(false);
    await expect(one.run('echo', 1)).rejects.toMatchObject({ kind });
  });

  test('by an exit is a crash', async () => {
    await expect(start().run('exit', undefined)).rejects.toMatchObject({
      kind: 'crashed',
      message: 'ended by exit code 3',
    });
  });

  test('above its memory limit is not a kill', async () => {
    const exceeding = start().run('exceed', 1);
    await expect(exceeding).rejects.toMatchObject({ kind: 'out of memory' });
  });

  test('by us fails its tasks with our error', async () => {
    const one = start();
    const [first, second] = [one.run('wait', 60_000), one.run('wait', 60_000)];
    one.end(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    await expect(second).rejects.toThrow('enough');
    expect(await one.ended).toMatchObject({ kind: 'ended', how: 'SIGKILL' });
  });

  test('before it has started is an error of its tasks', async () => {
    // Longer than the system allows.
    const one = start({ args: ['x'.repeat(10_000_000)] });
    await expect(one.run('echo', 1)).rejects.toMatchObject({ kind: 'not started' });
    expect([one.isAlive(), (await one.ended).kind]).toEqual([false, 'not started']);
  });
});

describe('a child process', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ignores %s', async (signal) => {
    const one = start();
    await one.run('echo', 1);
    process.kill(one.pid ?? 0, signal);
    expect(await one.run('wait', 100)).toBe(100);
  });

  test('has a lower priority and only the environment that it was given', async () => {
    const one = start({ env: { OWN: 'yes' } });
    expect(await one.run('priority', undefined)).toBe(Math.min(19, Math.max(5, getPriority())));
    const { NODE_CHANNEL_FD, NODE_CHANNEL_SERIALIZATION_MODE, ...rest } = await one.run(
      'environment',
      undefined,
    );
    expect(rest).toEqual({ OWN: 'yes' });
  });

  test.runIf(hasProc).each([
    ['is killed', "process.kill(process.pid, 'SIGKILL')"],
    ['ends while the child is idle', 'true'],
  ])('ends, after cleaning up, when its parent %s', async (_how, end) => {
    const cleaned = join(mkdtempSync(join(tmpdir(), 'task-')), 'cleaned');
    const module = fileURLToPath(new URL('../../build/process/task.js', import.meta.url));
    const script = `import { startProcess } from ${JSON.stringify(module)};
      const options = ${JSON.stringify({ verb: 'test', args: [cleaned], program })};
      const one = startProcess(options);
      await one.run('echo', 1);
      console.log(one.pid);
      ${end};`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let pid = '';
    parent.stdout.on('data', (chunk) => {
      pid += chunk;
    });
    await once(parent, 'close');
    await expect.poll(() => existsSync(cleaned), { timeout: 60_000 }).toBe(true);
    const isGone = () => !existsSync(`/proc/${pid.trim()}`);
    await expect.poll(isGone, { timeout: 60_000 }).toBe(true);
  });
});

describe('work whose process is killed', () => {
  /** Work in a new process each time, which ends as the list says. */
  function workOf(ends: readonly (NodeJS.Signals | 'echo')[]) {
    const again: boolean[] = [];
    const work = (isAgain: boolean) => {
      const end = ends[again.length] ?? 'echo';
      again.push(isAgain);
      return end === 'echo' ? start().run('echo', 'done') : start().run('signalSelf', end);
    };
    return { again, work };
  }

  test('runs once more in another process', async () => {
    const { again, work } = workOf(['SIGKILL', 'echo']);
    expect(await runAgainIfKilled(work)).toBe('done');
    expect(again).toEqual([false, true]);
  });

  test('fails if the second one is killed too', async () => {
    const { again, work } = workOf(['SIGKILL', 'SIGKILL', 'echo']);
    expect(isKill(await runAgainIfKilled(work).catch((error: unknown) => error))).toBe(true);
    expect(again).toEqual([false, true]);
  });

  test.each(['SIGSEGV', 'SIGABRT', 'SIGUSR2'] as const)('but not after %s', async (signal) => {
    const { again, work } = workOf([signal, 'echo']);
    await expect(runAgainIfKilled(work)).rejects.toMatchObject({ how: signal });
    expect(again).toEqual([false]);
  });
});
