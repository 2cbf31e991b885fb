// A compile worker that does what the caller's text says. Tests of the real one stand beside.
import { serialize } from 'node:v8';
import { parentPort } from 'node:worker_threads';

/** @type {Readonly<Record<string, () => unknown>>} */
const works = {
  hang() {
    for (;;);
  },
  eat() {
    // In small pieces: one that is larger than what is left ends the whole process.
    /** @type {unknown} */
    let text = 'x'.repeat(1000);
    for (;;) {
      text = { one: text, other: text };
      JSON.stringify(text);
    }
  },
  exit: () => process.exit(3),
  fail() {
    throw new TypeError('a bug of the compiler');
  },
  wait: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50),
};

parentPort?.on('message', (request) => {
  if (request.kind === 'open') return parentPort?.postMessage({ kind: 'open' });
  const { text } = request.query.sandbox;
  works[text.split(' ')[0]]?.();
  const query = { sql: `${request.version}: ${text}`, tables: [], parameters: [], columns: [] };
  parentPort?.postMessage({ kind: 'compiled', query: serialize(query) });
});
