// A process that performs the tasks of the tests, with the built program's half of the protocol.
import { writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';

/** @param {string} module in build/ */
const built = (module) => import(new URL(`../../build/${module}`, import.meta.url).href);
const { performTasks } = await built('process/task-child.js');
const { withinOwnMemory } = await built('process/memory.js');
const { ServiceError } = await built('errors/errors.js');

const [, , , file = ''] = process.argv;

await performTasks(
  {
    /** @param {unknown} input */
    echo: (input) => input,
    /** @param {number} ms */
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms, ms)),
    priority: () => getPriority(),
    environment: () => ({ ...process.env }),
    /** @param {number} steps @param {{ report: (step: number) => void }} context */
    count(steps, { report }) {
      for (let step = 1; step <= steps; step++) report(step);
      return steps;
    },
    refuse() {
      throw new ServiceError('invalidQuery', 'a refusal', { location: 'sql' });
    },
    fail() {
      throw new TypeError('a bug');
    },
    /** @param {unknown} _input @param {{ signal: AbortSignal }} context */
    untilStopped: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
    hang() {
      for (;;);
    },
    /** @param {NodeJS.Signals} signal */
    signalSelf(signal) {
      process.kill(process.pid, signal);
      return new Promise((resolve) => setTimeout(resolve, 200, 'alive'));
    },
    exit: () => process.exit(3),
    /** @param {number} bytes */
    exceed(bytes) {
      return withinOwnMemory(bytes, () => new Promise(() => {}));
    },
  },
  { cleanUp: () => file && writeFileSync(file, 'cleaned up') },
);
