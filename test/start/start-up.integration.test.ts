import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import { compileHere } from '../../src/compiler/compile-sandbox.js';
import { readCommand } from '../../src/config/config.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { openServices, singleRun } from '../../src/start/start-up.js';
import { makeFolder } from '../support/load-logs.js';
import { fixtures } from '../support/paths.js';
import { line, lines } from '../support/refresh-fixture.js';

test.each([
  [[], 1],
  [['--threads', '3'], 3],
])(
  'an engine over small data has one thread, or those of the settings: %j',
  async (flags, expected) => {
    const command = readCommand(['serve', '--data', fixtures, '--no-disk-cache', ...flags], {});
    if (!('settings' in command)) throw new Error('serve has no settings');
    const seen: (number | undefined)[] = [];
    const opened = await openServices(command.settings, (options) => {
      seen.push(options.threads);
      return openDuckDbEngine(options);
    });
    await opened.serving.close();
    expect(seen).toEqual([expected]);
  },
);

test('a compiler stays while only records change, and not if fields do', async () => {
  const folder = makeFolder({ 'edge_logs.ndjson': lines(0, 3) });
  const flags = ['--data', folder, '--no-disk-cache', '--threads', '1'];
  const command = readCommand(['serve', ...flags], {});
  if (!('settings' in command)) throw new Error('serve has no settings');
  let opened = 0;
  const { openData, allLogs, compiler, engine } = await openServices(
    command.settings,
    openDuckDbEngine,
    {
      ...singleRun,
      openCompile: () => {
        opened += 1;
        return compileHere(createCompiler([]));
      },
    },
  );
  const follow = async (text: string) => {
    appendFileSync(join(folder, 'edge_logs.ndjson'), text);
    const next = await allLogs.refresh();
    if (next === undefined) throw new Error('the line is not loaded');
    const data = await openData(next);
    await data.engine.close();
    return [data.compiler === compiler, opened];
  };
  expect(await follow(line(3))).toEqual([true, 1]);
  expect(await follow(line(4))).toEqual([true, 1]);
  expect(await follow(line(5, { metadata: { another: 1 } }))).toEqual([false, 2]);
  await engine.close();
  rmSync(folder, { recursive: true });
});
