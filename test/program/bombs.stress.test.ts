import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Bomb, bounded, stopped } from '../support/bombs.js';
import { isFullLength, nightly, sample } from '../support/nightly.js';
import { fixtures } from '../support/paths.js';
import { type Resident, watchResident } from '../support/resident.js';
import { type Ended, send, watchHealth } from '../support/send-bomb.js';
import { type Service, startService } from '../support/start-service.js';
import { lists } from './bombs/lists.js';
import { patterns } from './bombs/patterns.js';
import { planning } from './bombs/planning.js';
import { manyRows } from './bombs/rows.js';
import { scalars } from './bombs/scalars.js';

const limitMs = 1_000;
const memoryMib = 400;
/** Queries at one time. */
const pool = 2;

/** The time that a statement may run beyond its limit: half a second of grace, and time for a busy machine. */
const graceMs = 1_000;
/** The time that a bomb may wait for the next engine process, on a slow machine. */
const startMs = 10_000;

/** The HTTP status of each outcome, if it is not 400. */
const statuses: Readonly<Record<string, number>> = { answers: 200, timeout: 504, tooLarge: 413 };

const flags = ['--query-timeout', `${limitMs}ms`, '--memory-limit', `${memoryMib}MB`];
// On a busy machine a query could exceed the default time for compiling before it reaches the tested limit.
const more = [
  ...['--max-concurrent-queries', String(pool), '--now', '2026-03-10T12:00:00Z'],
  ...['--compile-timeout', '10s', '--max-body', '1MB'],
  // Memory that stays in use.
  ...['--query-cache', '0', '--newest-rows', '0'],
];

const classes = [...scalars, ...lists, ...planning, ...manyRows, ...patterns];
const all = classes.flatMap((one) => one.bombs.map((bomb) => ({ ...bomb, class: one.class })));
const bombs = sample(all, 36);

const ordinary = { sql: 'select count(*) as n, max(timestamp) as t from edge_logs' };

const ask = () => send(service, ordinary);
const answered = (ended: Ended) => (ended.status === 200 ? ended : undefined);

let service: Service;
let resident: Resident;
let usual: Ended;
let idleMib: number;
let health: readonly number[];
const outcomes = new Map<Bomb, Ended>();

beforeAll(async () => {
  service = await startService(['--data', fixtures, ...flags, ...more]);
  resident = watchResident(service.pid);
  // The first engine process may start too slowly for the time limit.
  usual = await vi.waitUntil(async () => answered(await ask()), { timeout: 30_000 });
  idleMib = resident.now();
  const stop = watchHealth(service);
  for (const bomb of bombs) outcomes.set(bomb, await send(service, bomb));
  health = await stop();
});
afterAll(async () => {
  resident.stop();
  await service.stop();
});

test('there are at least sixty bombs, with different names', () => {
  expect(all.length).toBeGreaterThanOrEqual(60);
  expect(new Set(all.map((bomb) => `${bomb.class}: ${bomb.name}`)).size).toBe(all.length);
});

test.each(bombs)('$class: $name', (bomb) => {
  const outcome = outcomes.get(bomb);
  expect(bomb.ends, outcome?.body.slice(0, 300)).toContain(outcome?.end);
  expect(outcome?.status).toBe(statuses[outcome?.end ?? ''] ?? 400);
  if (isFullLength) expect(outcome?.ms).toBeLessThan(limitMs + graceMs + startMs);
});

describe('meanwhile', () => {
  test('memory stays within the limit of the pool', () => {
    if (isFullLength) expect(resident.peak()).toBeGreaterThan(memoryMib);
    expect(resident.peak()).toBeLessThan(memoryMib * pool + 512);
  });

  test.runIf(isFullLength)('most bombs end within a second after the limit', () => {
    const times = [...outcomes.values()].map(({ ms }) => ms).toSorted((a, b) => a - b);
    expect(times.at(Math.floor(times.length * 0.5))).toBeLessThan(limitMs + graceMs);
  });

  test('/health answers quickly', () => {
    const sorted = health.toSorted((a, b) => a - b);
    expect(sorted.length).toBeGreaterThan(nightly(100, 10));
    if (isFullLength) expect(sorted.at(Math.floor(sorted.length * 0.95))).toBeLessThan(250);
  });
});

test.runIf(isFullLength)(
  'two concurrent bombs delay another query for no longer than their limit',
  async () => {
    const [first, second] = all.filter(({ name }) =>
      ['three by ten thousand', 'the second occurrence of half a text in the whole'].includes(name),
    );
    for (let round = 0; round < nightly(5, 1); round++) {
      const both = [first, second].map((bomb) => send(service, bomb ?? ordinary));
      await new Promise((resolve) => setTimeout(resolve, 100));
      const answer = await send(service, ordinary);
      expect(answer.body).toBe(usual.body);
      expect(answer.ms).toBeLessThan(limitMs + graceMs + startMs);
      for (const { end } of await Promise.all(both)) expect(stopped).toContain(end);
    }
  },
);

test('large results, one after another, cause no internal error', async () => {
  for (let size = 12_000; size < 28_000; size += nightly(2_000, 8_000)) {
    const sql = `select repeat('a', ${size}) as s from unnest(generate_array(1, 1000)) as x`;
    const { end } = await send(service, { sql });
    expect(bounded).toContain(end);
  }
});

test('afterwards an ordinary query is answered as before, and the memory is released', async () => {
  expect(usual.status).toBe(200);
  await expect.poll(ask, { timeout: 60_000 }).toMatchObject({ body: usual.body });
  // A process that has grown is replaced once it was idle for 30 to 40 s.
  await expect.poll(() => resident.now(), { timeout: 60_000 }).toBeLessThan(idleMib + 256);
});

test('the service ends with exit code 0, and leaves no process behind', async () => {
  expect(await service.stop()).toBe(0);
  await expect.poll(() => resident.living()).toEqual([]);
});
