import { expect, test } from 'vitest';
import { isExplained } from '../../scripts/emulators/explain.js';
import { emulators } from '../../scripts/emulators/install.js';
import { reasons } from '../../scripts/emulators/reasons.js';
import { runOn, sayingOf } from '../../scripts/emulators/run.js';
import { startEmulator } from '../../scripts/emulators/start.js';
import { installTool } from '../../scripts/install-tool.js';

// Every thirtieth case of two suites, and some of these redacted, within a minute. All of them: npm run emulators.

const emulator = emulators.find(({ name }) => name === 'bqemulator');
if (emulator === undefined) throw new Error('no bqemulator');
const name = `${emulator.name} ${emulator.version}`;
/** Why it cannot be had; undefined if it is installed. */
const missing = await installTool(emulator, 120_000).then(
  () => undefined,
  (error: Error) => `skipped, ${error.message.split('\n').at(-1)}`,
);

test.skipIf(missing !== undefined)(
  `acceptance cases have the same answers on ${name}${missing ? `: ${missing}` : ''}`,
  async () => {
    const limits = { step: 30, redacted: 4, seconds: 30 };
    const suites = ['client', 'dialect'];
    const options = { ...limits, suites, only: [], all: false, cases: [], sql: [] };
    const tried = await runOn(emulator.name, options);
    const unexplained = tried.filter((one) => !isExplained(emulator.name, one));
    expect(unexplained.map(({ id, outcome, message }) => ({ id, outcome, message }))).toEqual([]);
    const equal = tried.filter(({ outcome }) => outcome.startsWith('equal'));
    expect(equal.length).toBeGreaterThan(2);
  },
);

test.skipIf(missing !== undefined)('the smallest statements show what it says', async () => {
  const { url, close } = await startEmulator(emulator);
  try {
    for (const { statement, says } of reasons[emulator.name]) {
      if (says !== undefined) expect(await sayingOf(url, statement), statement).toMatch(says);
    }
  } finally {
    close();
  }
});
