import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { openWebPool } from '../support/web-source.js';

const many = {
  sql: "select encode(bq.repeat('x', 100000)) as x from logs.web as t",
  tables: ['logs.web'],
  readsOwnRows: true,
  values: {},
  maxRows: 10,
};

test('an engine process keeps no result in memory after sending it', async () => {
  const pool = await openWebPool({});
  const results: WeakRef<Uint8Array>[] = [];
  for (let run = 0; run < 20; run += 1) {
    const { body: json } = await pool.run(many, { signal: new AbortController().signal });
    results.push(new WeakRef(json));
  }
  await collect();
  const kept = results.filter((result) => result.deref() !== undefined).length;
  await pool.close();
  // The results of the last statements may still be referenced from the stack.
  expect(kept).toBeLessThan(10);
});

async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let time = 0; time < 3; time += 1) {
    await sleep(20);
    gc();
  }
}
