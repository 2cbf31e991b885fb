import { describe, expect, test } from 'vitest';
import { emulators, installEmulator } from '../../scripts/emulators/install.js';
import { runOn } from '../../scripts/emulators/run.js';

/** Cases to which every emulator gives our answer. */
const cases = [
  'uc-acme-daily',
  'tb-pooler',
  'dialect.string.009',
  'sandbox.join.006',
  'lql.select.002',
];

/** How long an installation may take, in milliseconds. */
const patienceMs = 60_000;

const options = { step: 1, redacted: 1000, all: false, cases, sql: [] } as const;

describe.each(emulators)('$name', (emulator) => {
  test('a few acceptance cases have the same answers', { timeout: 900_000 }, async ({ skip }) => {
    try {
      installEmulator(emulator, patienceMs);
    } catch {
      skip(`${emulator.name} ${emulator.version} cannot be installed here`);
    }
    const tried = await runOn(emulator.name, { ...options, only: [emulator.name] });
    const plain = tried.filter(({ isRedacted }) => !isRedacted);
    expect(plain.map(({ id, outcome }) => [id, outcome])).toEqual(cases.map((id) => [id, 'equal']));
  });
});
