// Asks a service for its health, in a process of its own: node scripts/fuzz/health.mjs <url>.
// Prints on SIGTERM, as JSON, the worst answer in milliseconds and the longest run of late ones.

const [url] = process.argv.slice(2);
const lateMs = 100;
const found = { asked: 0, worstMs: 0, late: 0, mostLateInARow: 0 };
let inARow = 0;

process.on('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify(found)}\n`, () => process.exit(0));
});

for (;;) {
  const start = performance.now();
  try {
    const response = await fetch(`${url}/health`);
    await response.text();
  } catch {
    // The service is being started again: the fuzzer tells of it.
    await wait(200);
    continue;
  }
  count(performance.now() - start);
  await wait(50);
}

/** @param {number} ms */
function count(ms) {
  inARow = ms > lateMs ? inARow + 1 : 0;
  found.asked++;
  found.late += ms > lateMs ? 1 : 0;
  found.worstMs = Math.max(found.worstMs, Math.round(ms));
  found.mostLateInARow = Math.max(found.mostLateInARow, inARow);
}

/** @param {number} ms */
function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
