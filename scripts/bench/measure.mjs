/** A function to time; may return a promise. @typedef {() => unknown} Task */

/**
 * The median time of each task in milliseconds. Runs are interleaved, so that noise on the machine
 * affects all tasks alike. Each timed run follows another one of the same task, so that none has warmer
 * processor caches than the others only because a similar task came before it.
 * @param {number} runs
 * @param {readonly Task[]} tasks
 * @param {() => void} [before] runs before each timed run and the untimed one that it follows
 */
export async function medians(runs, tasks, before = () => {}) {
  // Warm up: the first runs have cold caches and code that is not compiled yet.
  for (let run = 0; run < Math.ceil(runs / 4); run += 1) {
    for (const task of tasks) await task();
  }
  /** @type {readonly number[][]} */
  const times = tasks.map(() => []);
  for (let run = 0; run < runs; run += 1) {
    for (const [index, task] of tasks.entries()) {
      before();
      await task();
      times[index]?.push(await time(task));
    }
  }
  return times.map(median);
}

/** The medians of two tasks. @param {number} runs @param {Task} ours @param {Task} baseline */
export async function compare(runs, ours, baseline) {
  const [first = Number.NaN, second = Number.NaN] = await medians(runs, [ours, baseline]);
  return { ours: first, baseline: second };
}

/** The time of one run in milliseconds. @param {Task} task */
export async function time(task) {
  const start = performance.now();
  const result = task();
  // Awaiting a value that is not a promise would take longer than a cache lookup.
  if (result instanceof Promise) await result;
  return performance.now() - start;
}

/** The median; the upper one of an even number of values. @param {readonly number[]} values */
export function median(values) {
  return (
    values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
  );
}
