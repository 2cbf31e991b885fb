// A compile worker that does what the caller's text says. Tests of the real one stand beside.
import { serialize } from 'node:v8';

/** @type {Readonly<Record<string, () => unknown>>} */
const works = {
  hang() {
    for (;;);
  },
  // In a worker thread these two end the whole process.
  'eat-numbers'() {
    const numbers = [];
    for (;;) numbers.push(numbers.length + 0.5);
  },
  'eat-once': () => new Array(30_000_000).fill(1.5),
  exit: () => process.exit(3),
  fail() {
    throw new TypeError('a bug of the compiler');
  },
  wait: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50),
};

process.on('disconnect', () => process.exit());
process.on('message', (/** @type {any} */ request) => {
  if (request.kind === 'open') {
    process.send?.({ kind: 'open' });
    return;
  }
  const { text } = request.query.sandbox;
  works[text.split(' ')[0]]?.();
  const query = { sql: `${request.version}: ${text}`, tables: [], parameters: [], columns: [] };
  process.send?.({ kind: 'compiled', query: serialize({ query }) });
});
