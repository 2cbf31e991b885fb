// A compile process that does what the caller's text says. Tests of the real one stand beside.
import { existsSync, writeFileSync } from 'node:fs';
import { serialize } from 'node:v8';

/** @type {Readonly<Record<string, (rest: string) => unknown>>} */
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
  die: () => process.kill(process.pid, 'SIGKILL'),
  'die-once'(file) {
    if (existsSync(file)) return;
    writeFileSync(file, '');
    process.kill(process.pid, 'SIGKILL');
  },
  fail() {
    throw new TypeError('a bug of the compiler');
  },
  wait: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50),
};

let version = '';
process.on('disconnect', () => process.exit());
process.on('message', (/** @type {any} */ { id, task, input }) => {
  if (task === 'open') {
    version = input.version;
    process.send?.({ id, result: undefined });
    return;
  }
  const { text } = input.sandbox;
  const [work, rest] = text.split(' ');
  works[work]?.(rest);
  const query = { sql: `${version}: ${text}`, tables: [], parameters: [], columns: [] };
  process.send?.({ id, result: serialize({ query }) });
});
