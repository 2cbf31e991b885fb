import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** The share of the processors that other programs use, from 0 to 1, over three seconds. */
export async function busyShare() {
  const before = timesNow();
  await sleep(3_000);
  const after = timesNow();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function timesNow() {
  const all = cpus().map(({ times }) => times);
  const sum = all.flatMap((times) => Object.values(times)).reduce((total, ms) => total + ms, 0);
  return { idle: all.reduce((total, { idle }) => total + idle, 0), all: sum };
}
