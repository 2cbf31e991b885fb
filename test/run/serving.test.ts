import { expect, test } from 'vitest';
import type { Compiler } from '../../src/compiler/compile.js';
import { compileHere } from '../../src/compiler/compile-sandbox.js';
import { createServing } from '../../src/run/serving.js';
import { createFakeEngine } from '../support/fake-engine.js';

const compiler: Compiler = {
  projects: new Set(),
  takesQueries: true,
  compile: () => {
    throw new Error('nothing is compiled here');
  },
  explain: () => {
    throw new Error('nothing is explained here');
  },
  describe: () => ({ columns: [], tables: [] }),
  check: () => [],
};

/** A state of the logs that records whether its engine was closed. */
function createData(version: string) {
  let isClosed = false;
  const engine = {
    ...createFakeEngine(() => []),
    close: async () => {
      isClosed = true;
    },
  };
  const compile = compileHere(compiler);
  return {
    data: { compiler, compile, engine, sources: [], version },
    isClosed: () => isClosed,
  };
}

function createWork() {
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { done, finish };
}

test('work finishes with the state that it started with, which is closed afterwards', async () => {
  const [one, two] = [createData('1'), createData('2')];
  const serving = createServing(one.data);
  const [first, second] = [createWork(), createWork()];
  const seen: string[] = [];
  const begin = ({ done }: ReturnType<typeof createWork>) =>
    serving.use(async ({ version }) => {
      await done;
      seen.push(version);
    });
  const early = [begin(first), begin(second)];
  const replaced = serving.replace(two.data);
  expect(serving.version).toBe('2');
  await serving.use(async ({ version }) => seen.push(version));
  first.finish();
  await early[0];
  expect(one.isClosed()).toBe(false);
  second.finish();
  await Promise.all([...early, replaced]);
  expect(seen).toEqual(['2', '1', '1']);
  expect([one.isClosed(), two.isClosed()]).toEqual([true, false]);
});

test('a state that is not in use is closed at once', async () => {
  const [one, two] = [createData('1'), createData('2')];
  const serving = createServing(one.data);
  await serving.use(async () => {});
  await serving.replace(two.data);
  expect(one.isClosed()).toBe(true);
});

test('failing work releases the state too', async () => {
  const [one, two] = [createData('1'), createData('2')];
  const serving = createServing(one.data);
  const failing = serving.use(async () => {
    throw new Error('no');
  });
  const replaced = serving.replace(two.data);
  await expect(failing).rejects.toThrow('no');
  await replaced;
  expect(one.isClosed()).toBe(true);
});
