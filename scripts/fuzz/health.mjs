// Probes /health of a service: node scripts/fuzz/health.mjs <url>. On SIGTERM, prints the slowest answer in
// milliseconds and the longest run of slow answers as JSON.

const [url] = process.argv.slice(2);
const lateMs = 100;
const totals = { requests: 0, maxMs: 0, late: 0, maxLateInARow: 0 };
let inARow = 0;

process.on('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify(totals)}\n`, () => process.exit(0));
});

for (;;) {
  const start = performance.now();
  try {
    const response = await fetch(`${url}/health`);
    await response.text();
  } catch {
    // The service is restarting, which the fuzzer reports itself.
    await wait(200);
    continue;
  }
  count(performance.now() - start);
  await wait(50);
}

/** @param {number} ms */
function count(ms) {
  inARow = ms > lateMs ? inARow + 1 : 0;
  totals.requests++;
  totals.late += ms > lateMs ? 1 : 0;
  totals.maxMs = Math.max(totals.maxMs, Math.round(ms));
  totals.maxLateInARow = Math.max(totals.maxLateInARow, inARow);
}

/** @param {number} ms */
function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
