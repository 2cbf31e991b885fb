/**
 * One line of the table: medians in milliseconds.
 * @typedef {object} Measured
 * @property {string} what
 * @property {number} ours
 * @property {string} against what the baseline is
 * @property {number} baseline
 * @property {number} [target] in milliseconds
 */

/**
 * The medians of two works, run by turns so that what slows the machine slows both.
 * @param {number} runs
 * @param {() => unknown} ours may give a promise
 * @param {() => unknown} baseline may give a promise
 */
export async function compare(runs, ours, baseline) {
  // The first runs meet cold caches and code that is not compiled yet.
  for (let run = 0; run < Math.ceil(runs / 4); run += 1) {
    await ours();
    await baseline();
  }
  /** @type {{ readonly ours: number[], readonly baseline: number[] }} */
  const times = { ours: [], baseline: [] };
  for (let run = 0; run < runs; run += 1) {
    times.ours.push(await time(ours));
    times.baseline.push(await time(baseline));
  }
  return { ours: median(times.ours), baseline: median(times.baseline) };
}

/** @param {() => unknown} work */
async function time(work) {
  const start = performance.now();
  const done = work();
  // To wait for what is no promise would cost more than a look into a cache.
  if (done instanceof Promise) await done;
  return performance.now() - start;
}

/** @param {readonly number[]} values */
function median(values) {
  return (
    values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
  );
}

/** @param {readonly Measured[]} lines */
export function printTable(lines) {
  const rows = [
    ['', 'ms', 'baseline', 'ms', 'ratio', 'target ms'],
    ...lines.map(({ what, ours, against, baseline, target }) => [
      what,
      ours.toFixed(3),
      against,
      baseline.toFixed(3),
      (ours / baseline).toFixed(2),
      target === undefined ? '' : `< ${target}${ours < target ? '' : ', missed'}`,
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Numbers to the right. @param {string} cell @param {number} width */
function pad(cell, width) {
  return /^[\d.]+$|^ms$|^ratio$/.test(cell) ? cell.padStart(width) : cell.padEnd(width);
}
