import { setTimeout as sleep } from 'node:timers/promises';

/** How long writing the newest rows may take, in milliseconds. */
const maxMs = 3_600_000;

/** Waits until a server has written the files of the newest rows. @param {string} url */
export async function settle(url) {
  // It begins a moment after the start.
  await sleep(1_000);
  const end = performance.now() + maxMs;
  for (let waiting = ''; waiting !== '0'; await sleep(200)) {
    if (performance.now() > end) throw new Error('the newest rows are not written');
    const metrics = await (await fetch(`${url}/metrics`)).text();
    waiting = /^log_endpoints_newest_waiting (\d+)$/m.exec(metrics)?.[1] ?? '';
  }
}
