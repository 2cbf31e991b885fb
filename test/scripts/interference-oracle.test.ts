import { expect, test } from 'vitest';
import { createInterferenceOracle, type World } from '../../scripts/worlds/interference.mjs';

const request = { endpoint: 'logs.all', parameters: {} };

function world(
  answers: readonly string[],
  status = 200,
  extra: Record<string, string> = {},
): World {
  let calls = 0;
  return async () => {
    const text = answers[calls++ % answers.length] ?? '';
    return { status, text, headers: new Headers(extra) };
  };
}

async function verdictOf(...worlds: readonly World[]) {
  const { check, totals } = createInterferenceOracle(worlds);
  return { finding: await check(request), totals };
}

test('equal answers are not a finding, even if their timing headers differ', async () => {
  const one = world(['x'], 200, { 'server-timing': 'engine;dur=1', date: 'Mon' });
  const { finding, totals } = await verdictOf(one, world(['x'], 200, { date: 'Tue' }));
  expect(finding).toBeUndefined();
  expect(totals).toEqual({ sent: 1, answered: 1, unstable: 0, unknown: 0 });
});

test.each([
  ['bodies', world(['x']), world(['y'])],
  ['statuses', world(['x'], 200), world(['x'], 400)],
  ['headers', world(['x'], 200, { etag: '"1"' }), world(['x'], 200, { etag: '"2"' })],
])('different %s are a finding', async (_what, one, two) => {
  const { finding } = await verdictOf(one, two);
  expect(finding?.answers).toHaveLength(2);
});

test.each([
  ['first', '{"now_and_then":null,"of_other_projects_7":null,"a":1}', '{"a":1}'],
  ['last', '{"a":1,"now_and_then":null,"of_other_projects_7":null}', '{"a":1}'],
  ['between others', '{"a":1,"now_and_then":null,"b":2}', '{"a":1,"b":2}'],
])('NULL columns of fields that only other projects have may be %s', async (_, one, two) => {
  const answer = (row: string, etag: string) => world([`{"result":[${row}]}`], 200, { etag });
  const { finding } = await verdictOf(answer(one, '"1"'), answer(two, '"2"'));
  expect(finding).toBeUndefined();
});

test.each([
  ['a column', '{"a":1,"now_and_then":2}', '{"a":1}'],
  ['a record', '{"m":{"a":1,"now_and_then":null}}', '{"m":{"a":1}}'],
  ['a record beside a column', '{"now_and_then":null,"m":{"now_and_then":null}}', '{"m":{}}'],
])('%s that shows such a field is a finding', async (_, one, two) => {
  const answer = (row: string) => world([`{"result":[${row}]}`]);
  expect((await verdictOf(answer(one), answer(two))).finding).toBeDefined();
});

test('a world with unstable answers is counted but not a finding', async () => {
  const { finding, totals } = await verdictOf(world(['x', 'y']), world(['z']));
  expect(finding).toBeUndefined();
  expect(totals.unstable).toBe(1);
});

test.each([
  ['no answer', async () => undefined],
  ['a timeout', world(['x'], 504)],
  ['a limit on memory', world(['more memory than its limit (--memory-limit)'], 400)],
])('%s is counted as unknown', async (_what, one) => {
  const { finding, totals } = await verdictOf(one, world(['x']));
  expect(finding).toBeUndefined();
  expect(totals.unknown).toBe(1);
});

test('an oracle with too many unknown answers is blind', async () => {
  const { check, isBlind } = createInterferenceOracle([world(['x'], 504), world(['x'])]);
  for (let left = 20; left > 0; left--) await check(request);
  expect(isBlind()).toBe(true);
});
