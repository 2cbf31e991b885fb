import { createWriteStream, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { createTable, loadFile } from './load-shapes.mjs';
import { median } from './measure.mjs';

// Records of the shapes that cost a loader most: what loading a byte of them costs, against a byte of flat records.

/** The size of each file, in bytes. */
const fileBytes = 8_000_000;

/** @param {number} depth @returns {unknown} */
const chain = (depth) => (depth === 0 ? 1 : { a: chain(depth - 1) });

/** @param {number} depth @returns {unknown} */
const tree = (depth) => (depth === 0 ? 'leaf' : { left: tree(depth - 1), right: tree(depth - 1) });

/** @param {number} depth @returns {unknown} */
const mixed = (depth) => (depth === 0 ? 'x' : [1, 'a', null, { a: mixed(depth - 1) }, [[depth]]]);

/** @param {number} from @param {number} count */
const fields = (from, count) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`field_${from + at}`, at]));

/** The metadata of the n-th record. @type {Readonly<Record<string, (n: number) => unknown>>} */
const worst = {
  'nested 16 deep': () => ({ deep: chain(16) }),
  'nested 60 deep': () => ({ deep: chain(60) }),
  'a binary tree of depth 9': () => ({ tree: tree(9) }),
  'mixed arrays, 20 deep': () => ({ list: mixed(20) }),
  '7,520 names, 80 a record': (n) => fields((n % 94) * 80, 80),
  'new names in each record': (n) => fields(n * 20, 20),
  'broken emojis': () => ({ text: '\ud83d'.repeat(40) }),
  'numbers of 20 digits': (n) => ({ trace: 18_446_744_073_709_000_000 + 2_048 * (n % 200) }),
};

/** @param {(n: number) => unknown} metadata */
const recordMaker = (metadata) => (/** @type {number} */ n) => ({
  id: `id-${n}`,
  timestamp: 1_773_100_800_000 + n,
  event_message: 'GET 200',
  project: `project-${n % 20}`,
  metadata: metadata(n),
});

const flat = recordMaker((n) => ({
  request: { path: `/items/${n % 997}`, method: 'GET', host: 'a.example' },
}));

/**
 * A shape, with the processor time of loading it and of `create table as` over a flat file of the same size.
 * @typedef {{ readonly what: string, readonly ours: number, readonly theirs: number }} WorstShape
 */

/** @param {string} scratch @param {string} memoryLimit */
export async function measureWorstShapes(scratch, memoryLimit) {
  const folder = join(scratch, 'worst-shapes');
  const file = join(folder, 'edge_logs.ndjson');
  const fresh = () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  };
  fresh();
  await write(file, flat);
  const theirs = await medianCpuMs(() => {
    rmSync(`${file}.duckdb`, { force: true });
    return createTable(file, memoryLimit);
  });
  /** @type {WorstShape[]} */
  const measured = [];
  for (const [what, metadata] of Object.entries(worst)) {
    fresh();
    await write(file, recordMaker(metadata));
    // A file that cannot be loaded within the memory limit misses the target, like one that takes too long.
    const ours = await medianCpuMs(() => loadFile(folder, memoryLimit)).catch(() => Infinity);
    measured.push({ what, ours, theirs: (theirs * statSync(file).size) / fileBytes });
  }
  rmSync(folder, { recursive: true });
  return measured;
}

/** The number of times that each load is measured. */
const runs = 5;

/** The processor time of work in this process, a median. @param {() => Promise<unknown>} work */
async function medianCpuMs(work) {
  const measured = [];
  for (let run = 0; run < runs; run += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    measured.push((user + system) / 1_000);
  }
  return median(measured);
}

/** @param {string} file @param {(n: number) => object} record */
async function write(file, record) {
  const output = createWriteStream(file);
  let bytes = 0;
  for (let n = 0; bytes < fileBytes; n += 1) {
    const line = `${JSON.stringify(record(n))}\n`;
    bytes += line.length;
    output.write(line);
  }
  output.end();
  await finished(output);
}
