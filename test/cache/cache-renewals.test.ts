import { describe, expect, test } from 'vitest';
import type { CacheRequest } from '../../src/cache/cache.js';
import { createFixture, createLanding, requestFor, statement } from '../support/cache-fixture.js';
import { settle } from '../support/clock.js';

interface Warm {
  readonly room?: () => number;
  readonly maxBytes?: number;
}

/** A cache whose rows live 60 s and are renewed after 20 s; `landing` is each renewal, `room` the spare capacity. */
function createWarm({ room = () => 4, maxBytes = 1_000_000 }: Warm = {}) {
  const landing = createLanding();
  const fixture = createFixture({ maxBytes, spare: () => room() - landing.running() });
  const warming = { warmSeconds: 20, renew: landing.compute };
  const ask = async (more: Partial<CacheRequest> = {}) => {
    const {
      result,
      sent: _,
      ...facts
    } = await fixture.read(requestFor({ warming, ...more }), 'old');
    return { ...facts, text: new TextDecoder().decode(result.body) };
  };
  const askFor = (sql: string) => ask({ statement: { ...statement, sql } });
  return { ...fixture, landing, ask, askFor };
}

const old = (ageSeconds: number) => ({
  text: 'old',
  state: 'HIT',
  ageSeconds,
  secondsLeft: 60 - ageSeconds,
});
const fresh = (ageSeconds: number) => ({ ...old(ageSeconds), text: 'new' });

describe('a renewal', () => {
  test('happens after the warm interval, and the age counts from it', async () => {
    const { ask, wait, landing, runs } = createWarm();
    await ask();
    await wait(19_999);
    expect(landing.runs()).toBe(0);
    await wait(1);
    expect(landing.runs()).toBe(1);
    await wait(3000);
    expect(await ask()).toEqual(old(23));
    await landing.finish('new');
    await wait(2000);
    expect(await ask()).toEqual(fresh(2));
    await wait(18_000);
    expect(landing.runs()).toBe(2);
    expect(runs()).toBe(1);
  });

  test('repeats as long as the rows are requested within the time to live', async () => {
    const { ask, wait, landing, clock } = createWarm();
    await ask();
    for (let round = 0; round < 5; round += 1) {
      await wait(20_000);
      await landing.finish('new');
    }
    // Requested at 0: renewed at 20 and 40, not at 60.
    expect([landing.runs(), clock.planned()]).toEqual([2, 0]);
    // The rows of 40 live until 100.
    expect(await ask()).toMatchObject({ state: 'MISS' });
  });

  test('that had stopped happens at once when the rows are requested again', async () => {
    const { ask, wait, landing } = createWarm();
    await ask();
    for (const ms of [20_000, 20_000, 30_000]) {
      await wait(ms);
      await landing.finish('new');
    }
    expect(await ask()).toEqual(fresh(30));
    await wait(250);
    expect(landing.runs()).toBe(3);
    await landing.finish('newer');
    expect(await ask()).toEqual({ ...fresh(0), text: 'newer' });
  });

  test('that is late is joined once the rows have expired', async () => {
    const { ask, wait, landing, runs } = createWarm();
    await ask();
    await wait(59_999);
    expect(await ask()).toEqual(old(59));
    await wait(1);
    const waiting = ask();
    await landing.finish('new');
    expect(await waiting).toEqual(fresh(0));
    expect([landing.runs(), runs()]).toEqual([1, 1]);
  });

  test('goes on when those who joined it leave', async () => {
    const { ask, wait, landing } = createWarm();
    await ask();
    await wait(60_000);
    const caller = new AbortController();
    const waiting = ask({ signal: caller.signal });
    caller.abort();
    await expect(waiting).rejects.toThrow('abort');
    expect(landing.isStopped()).toBe(false);
    await landing.finish('new');
    expect(await ask()).toEqual(fresh(0));
  });

  test('does not happen for requests without warming', async () => {
    const { read, wait, clock, runs } = createWarm();
    await read(requestFor());
    expect(clock.planned()).toBe(0);
    await wait(59_000);
    expect(await read(requestFor())).toMatchObject({ state: 'HIT', ageSeconds: 59 });
    expect(runs()).toBe(1);
  });
});

describe('a renewal that fails', () => {
  test('leaves the old rows until they expire, STALE and with their age', async () => {
    const { ask, wait, landing, failed } = createWarm();
    await ask();
    await wait(20_000);
    await landing.fail(new Error('no'));
    expect(failed).toEqual(['e: Error: no']);
    expect(await ask()).toEqual({ ...old(20), state: 'STALE' });
    await wait(39_999);
    expect(await ask()).toEqual({ ...old(59), state: 'STALE' });
    await landing.fail(new Error('again'));
    await wait(1);
    expect(await ask()).toEqual({ ...old(0), state: 'MISS' });
  });

  test('is retried soon, then less and less often', async () => {
    const { ask, wait, landing, clock } = createWarm();
    await ask();
    const times: number[] = [];
    for (let second = 0; second < 60; second += 1) {
      await wait(1000);
      if (landing.runs() > times.length) {
        times.push(clock.now() / 1000);
        await landing.fail(new Error('no'));
      }
    }
    // At 20, then after 2, 4, 8 and 16 seconds; at 60 the rows expire.
    expect(times).toEqual([20, 22, 26, 34, 50]);
  });

  test('leads back to HIT once the next one succeeds', async () => {
    const { ask, wait, landing, cache } = createWarm();
    await ask();
    await wait(20_000);
    await landing.fail(new Error('no'));
    await wait(2000);
    await landing.finish('new');
    await wait(1000);
    expect(await ask()).toEqual(fresh(1));
    expect(cache.stats()).toMatchObject({ renewals: 2, failedRenewals: 1 });
    await wait(19_000);
    expect(landing.runs()).toBe(3);
  });

  test('fails those who joined it, and the next request computes', async () => {
    const { ask, wait, landing } = createWarm();
    await ask();
    await wait(60_000);
    const waiting = expect(ask()).rejects.toThrow('no');
    await landing.fail(new Error('no'));
    await waiting;
    expect(await ask()).toMatchObject({ state: 'MISS' });
  });
});

describe('renewals', () => {
  test('never exceed the spare capacity; the longest overdue goes first', async () => {
    let room = 2;
    const { askFor, wait, landing } = createWarm({ room: () => room });
    for (const sql of ['a', 'b', 'c']) await askFor(sql);
    await wait(20_000);
    expect(landing.runs()).toBe(2);
    await wait(5000);
    expect(landing.runs()).toBe(2);
    room = 3;
    await wait(1000);
    expect(landing.runs()).toBe(3);
    for (const text of ['new a', 'new b', 'new c']) await landing.finish(text);
    const texts = await Promise.all(['a', 'b', 'c'].map(askFor));
    expect(texts.map(({ text }) => text)).toEqual(['new a', 'new b', 'new c']);
  });

  test('wait without spare capacity, and their rows expire on time', async () => {
    let room = 0;
    const { ask, wait, landing, clock } = createWarm({ room: () => room });
    await ask();
    await wait(59_999);
    expect([landing.runs(), await ask()]).toEqual([0, old(59)]);
    await wait(1);
    room = 4;
    await wait(5000);
    expect([landing.runs(), clock.planned()]).toEqual([0, 0]);
    expect(await ask()).toMatchObject({ state: 'MISS' });
  });

  test('start as soon as another one ends', async () => {
    const { askFor, wait, landing } = createWarm({ room: () => 1 });
    await askFor('a');
    await askFor('b');
    await wait(20_000);
    expect(landing.runs()).toBe(1);
    await landing.finish('new');
    expect(landing.runs()).toBe(2);
  });

  test('stop when their rows are evicted', async () => {
    const { askFor, wait, landing, clock } = createWarm({ maxBytes: 3500 });
    await askFor('a');
    await askFor('b');
    expect(clock.planned()).toBe(1);
    await wait(20_000);
    expect(landing.runs()).toBe(1);
    await askFor('c');
    expect(landing.isStopped()).toBe(true);
  });

  test('stop when the data changes', async () => {
    const { ask, wait, landing, cache, setVersion, clock } = createWarm();
    await ask();
    setVersion('2');
    await wait(100_000);
    expect([landing.runs(), clock.planned(), cache.stats().entries]).toEqual([0, 0, 0]);
  });

  test('that run while the data changes are not cached', async () => {
    const { ask, wait, landing, setVersion } = createWarm();
    await ask();
    await wait(20_000);
    setVersion('2');
    await landing.finish('new');
    expect(await ask({ dataVersion: '2' })).toMatchObject({ text: 'old', state: 'MISS' });
  });

  test('stop when the cache closes; reads still work', async () => {
    const { ask, askFor, wait, landing, cache, clock, failed } = createWarm();
    await ask();
    await wait(10_000);
    await askFor('b');
    await wait(10_000);
    cache.close();
    await settle();
    expect([landing.runs(), landing.isStopped()]).toEqual([1, true]);
    await landing.fail(new Error('stopped'));
    expect(await ask()).toEqual(old(20));
    await askFor('c');
    await wait(50_000);
    expect([landing.runs(), clock.planned(), failed]).toEqual([1, 0, []]);
  });
});
