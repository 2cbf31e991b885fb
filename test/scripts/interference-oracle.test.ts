import { expect, test } from 'vitest';
import { createInterferenceOracle, type World } from '../../scripts/worlds/interference.mjs';

const asked = { endpoint: 'logs.all', parameters: {} };

function world(
  answers: readonly string[],
  status = 200,
  extra: Record<string, string> = {},
): World {
  let place = 0;
  return async () => {
    const text = answers[place++ % answers.length] ?? '';
    return { status, text, headers: new Headers(extra) };
  };
}

async function verdictOf(...worlds: readonly World[]) {
  const { check, totals } = createInterferenceOracle(worlds);
  return { finding: await check(asked), totals };
}

test('equal answers are no finding, whatever time they took', async () => {
  const one = world(['x'], 200, { 'server-timing': 'engine;dur=1', date: 'Mon' });
  const { finding, totals } = await verdictOf(one, world(['x'], 200, { date: 'Tue' }));
  expect(finding).toBeUndefined();
  expect(totals).toEqual({ asked: 1, answered: 1, unstable: 0, unknown: 0 });
});

test.each([
  ['bodies', world(['x']), world(['y'])],
  ['statuses', world(['x'], 200), world(['x'], 400)],
  ['headers', world(['x'], 200, { etag: '"1"' }), world(['x'], 200, { etag: '"2"' })],
])('%s that differ are a finding', async (_what, one, two) => {
  const { finding } = await verdictOf(one, two);
  expect(finding?.answers).toHaveLength(2);
});

test('a world that disagrees with itself is counted, and is no finding', async () => {
  const { finding, totals } = await verdictOf(world(['x', 'y']), world(['z']));
  expect(finding).toBeUndefined();
  expect(totals.unstable).toBe(1);
});

test.each([
  ['no answer', async () => undefined],
  ['a timeout', world(['x'], 504)],
  ['a limit on memory', world(['more memory than its limit (--memory-limit)'], 400)],
])('%s tells nothing', async (_what, one) => {
  const { finding, totals } = await verdictOf(one, world(['x']));
  expect(finding).toBeUndefined();
  expect(totals.unknown).toBe(1);
});

test('an oracle that loses too many answers is blind', async () => {
  const { check, isBlind } = createInterferenceOracle([world(['x'], 504), world(['x'])]);
  for (let left = 20; left > 0; left--) await check(asked);
  expect(isBlind()).toBe(true);
});
