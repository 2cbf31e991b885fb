import { expect, test } from 'vitest';
import { createCache } from '../../src/cache/cache.js';
import type { Result } from '../../src/engine/engine.js';
import { requestFor, resultOf, statement } from '../support/cache-fixture.js';
import { createClock, settle } from '../support/clock.js';
import { nightly } from '../support/nightly.js';
import { randomFrom } from '../support/random.js';

/** The contents of a row. */
interface Told {
  readonly key: string;
  readonly version: string;
  readonly atMs: number;
}

/** Work that runs until the test finishes it. */
interface Work {
  readonly isRenewal: boolean;
  readonly succeed: () => void;
  readonly fail: () => void;
}

const ttlSeconds = 10;

/** A cache over rows that identify themselves, and a list of everything it does wrong. */
function createWorld() {
  const clock = createClock();
  const running = new Set<Work>();
  const faults: string[] = [];
  const counts = { answers: 0, STALE: 0, HIT: 0, MISS: 0, BYPASS: 0 };
  let version = 1;
  let room = 2;
  const renewalsRunning = () => [...running].filter(({ isRenewal }) => isRenewal).length;
  const cache = createCache({
    maxKeptBytes: 0,
    maxBytes: 10_000,
    now: clock.now,
    schedule: clock.schedule,
    dataVersion: () => String(version),
    spare: () => room - running.size,
    onRenewalFailure: () => {},
  });

  function begin(key: string, isRenewal: boolean) {
    const started = String(version);
    if (isRenewal && running.size >= room) faults.push('a renewal without room');
    return (stop: AbortSignal) =>
      new Promise<Result>((resolve, reject) => {
        const end = (settleIt: () => void) => () => {
          running.delete(work);
          settleIt();
        };
        const told = () => ({ key, version: started, atMs: clock.now() });
        const succeed = end(() => resolve(resultOf(JSON.stringify(told()))));
        const work: Work = { isRenewal, succeed, fail: end(() => reject(new Error('failed'))) };
        stop.addEventListener(
          'abort',
          end(() => reject(stop.reason)),
        );
        running.add(work);
      });
  }

  async function ask(key: string, signal: AbortSignal): Promise<void> {
    const dataVersion = String(version);
    const asked = { ...requestFor({ statement: { ...statement, sql: key } }), ttlSeconds, signal };
    const renew = (stop: AbortSignal) => begin(key, true)(stop);
    const warming = { warmSeconds: 3, renew };
    const run = (stop: AbortSignal) => begin(key, false)(stop);
    const answer = await cache.read({ ...asked, dataVersion, warming }, run).catch(() => undefined);
    if (answer === undefined) return;
    counts.answers += 1;
    counts[answer.state] += 1;
    const told: Told = JSON.parse(new TextDecoder().decode(answer.result.body));
    const ageMs = clock.now() - told.atMs;
    if (told.key !== key) faults.push('another key');
    if (told.version !== dataVersion) faults.push('other data');
    if (ageMs >= ttlSeconds * 1000) faults.push('past its time');
    if (Math.floor(ageMs / 1000) !== answer.ageSeconds) faults.push('another age');
    if (answer.ageSeconds + answer.secondsLeft !== ttlSeconds) faults.push('another time left');
  }

  return {
    ...{ cache, clock, running, faults, counts, ask, renewalsRunning },
    changeData: () => {
      version += 1;
    },
    setRoom: (next: number) => {
      room = next;
    },
  };
}

test.each(Array.from({ length: nightly(200, 10) }, (_, seed) => [seed]))(
  'whatever happens, rows are what was asked for and as old as they say: %i',
  async (seed) => {
    const next = randomFrom(seed);
    const pick = <T>(of: readonly [T, ...T[]]): T => of[next() % of.length] ?? of[0];
    const world = createWorld();
    const { clock, running, ask, cache } = world;
    const callers: AbortController[] = [];
    const actions: [() => unknown, ...(() => unknown)[]] = [
      settle,
      ...Array.from({ length: 6 }, () => () => {
        const caller = new AbortController();
        callers.push(caller);
        void ask(pick(['a', 'b', 'c', 'd', 'e']), caller.signal);
      }),
      ...Array.from({ length: 4 }, () => () => [...running][0]?.succeed()),
      () => [...running].at(-1)?.fail(),
      () => callers.splice(0, 1)[0]?.abort(),
      () => clock.wait(pick([1, 500, 999, 2000, 3000])),
      () => clock.wait(pick([1, 500, 999, 2000, 9999])),
      () => pick([() => {}, world.changeData])(),
      () => world.setRoom(pick([0, 1, 2, 4])),
    ];
    for (let step = 0; step < 400; step += 1) {
      await pick(actions)();
      await settle();
    }
    cache.close();
    for (const caller of callers) caller.abort();
    await settle();
    expect(world.faults).toEqual([]);
    expect([world.renewalsRunning(), clock.planned()]).toEqual([0, 0]);
    expect(world.counts.HIT).toBeGreaterThan(0);
  },
);
