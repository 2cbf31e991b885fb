import { expect, test } from 'vitest';
import { explain } from '../../src/cli/explain.js';
import { readCommand } from '../../src/config/config.js';

test('an unknown stage is refused, with the names of all stages', async () => {
  const command = readCommand(['explain', 'logs.all', '--stage', 'x'], {});
  if (!('settings' in command)) throw new Error('not a verb with settings');
  await expect(explain(command.settings, command.argument)).rejects.toThrow(
    '--stage must be one of lql, parse, confine, resolve, rewrite, split, lower, passes, print, plan',
  );
});
