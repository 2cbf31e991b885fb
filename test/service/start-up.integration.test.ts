import { expect, test } from 'vitest';
import { readCommand } from '../../src/config/config.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { openServices } from '../../src/service/start-up.js';
import { fixtures } from '../support/paths.js';

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
