/** @typedef {() => unknown} Work may give a promise */

/**
 * The medians of some works in milliseconds, run by turns: what slows the machine slows all.
 * @param {number} runs
 * @param {readonly Work[]} works
 */
export async function medians(runs, works) {
  // The first runs meet cold caches and code that is not compiled yet.
  for (let run = 0; run < Math.ceil(runs / 4); run += 1) {
    for (const work of works) await work();
  }
  /** @type {readonly number[][]} */
  const times = works.map(() => []);
  for (let run = 0; run < runs; run += 1) {
    for (const [place, work] of works.entries()) times[place]?.push(await time(work));
  }
  return times.map(median);
}

/** Those of two. @param {number} runs @param {Work} ours @param {Work} theirs */
export async function compare(runs, ours, theirs) {
  const [one = Number.NaN, other = Number.NaN] = await medians(runs, [ours, theirs]);
  return { ours: one, baseline: other };
}

/** Milliseconds. @param {Work} work */
export async function time(work) {
  const start = performance.now();
  const done = work();
  // To wait for what is no promise would cost more than a look into a cache.
  if (done instanceof Promise) await done;
  return performance.now() - start;
}

/** @param {readonly number[]} values */
export function median(values) {
  return (
    values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
  );
}
