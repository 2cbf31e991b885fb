import { expect, test } from 'vitest';
import { installTool } from '../../scripts/install-tool.js';
import { runTester, testers } from '../../scripts/testers/testers.js';

const { tool } = testers.schemathesis;
const name = `${tool.name} ${tool.version}`;
/** Why it cannot be had; undefined if it is installed. */
const missing = await installTool(tool, 120_000).then(
  () => undefined,
  (error: Error) => `skipped, ${error.message.split('\n').at(-1)}`,
);

test.skipIf(missing !== undefined)(
  `${name} finds no 5xx, and no answer outside its schema${missing ? `: ${missing}` : ''}`,
  async () => {
    const options = { only: [], seconds: 40, seed: 1 };
    const { faults } = await runTester('schemathesis', options);
    expect(faults).toEqual([]);
  },
);
