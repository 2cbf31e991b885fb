import { join } from 'node:path';
import { makeData } from './data.mjs';
import { median, time } from './measure.mjs';
import { queries } from './queries.mjs';
import { nextInstant, startService, warmClient } from './service.mjs';
import { ms, printTable, ratio, seconds } from './table.mjs';

/** @typedef {import('./arguments.mjs').Arguments} Arguments */
/** @typedef {import('./queries.mjs').Query} Query */
/** @typedef {import('./service.mjs').Service} Service */
/** Milliseconds of a request: the median time over HTTP, and the processor time of all processes. @typedef {{ readonly http: number, readonly cpu: number }} Cost */
/** The same question to the other build and to this one. @template T @typedef {readonly [other: T, own: T]} Pair */

const rounds = 5;

/** Limits of a round: the requests of a query that each build answers, and the milliseconds. */
const roundRequests = 400;
const roundMs = 4_000;

/** Compares this build with another one at each size, as a page of Markdown. @param {Arguments} options @param {{ readonly scratch: string, readonly against: string }} places */
export async function compareBuilds({ sizes, data, memoryLimit }, { scratch, against }) {
  await warmClient();
  const sections = [];
  for (const records of sizes) {
    const { logs } = makeData(data ?? join(scratch, 'data'), records);
    const start = (/** @type {string} */ name, /** @type {string | undefined} */ main) =>
      startService(logs, {
        ...{ memoryLimit, main },
        flags: ['--query-cache', '0', '--cache-dir', join(scratch, `${name}-${records}`)],
      });
    const other = await start('other', join(against, 'dist/main.js'));
    const otherCpuMs = await other.untilQuiet();
    const own = await start('own', undefined);
    const ownCpuMs = await own.untilQuiet();
    const starts = `First starts: the other build ${printStart(other, otherCpuMs)}, this build ${printStart(own, ownCpuMs)}`;
    const table = printTable([head, ...(await compareQueries([other, own]))]);
    await Promise.all([other.stop(), own.stop()]);
    sections.push(`## ${records.toLocaleString('en')} records\n\n${starts}.\n\n${table}`);
  }
  return `# This build against ${against}\n\n${guide}\n\n${sections.join('\n\n')}\n`;
}

const guide = `Milliseconds of a request that no cache answers: the time over HTTP, and the processor time of all processes, with the work
in the background that it causes. The builds answer in turn. Medians of ${rounds} rounds; ratios are this build's by the other's, with
the least and the greatest of a round. A difference within them counts as nothing.`;

const head = ['', 'HTTP, other', 'HTTP, this', 'ratio', 'CPU, other', 'CPU, this', 'ratio'];

/** @param {Service} service @param {number} cpuMs */
function printStart({ startMs }, cpuMs) {
  return `${seconds(startMs)} s, with ${seconds(cpuMs)} processor seconds until it is quiet`;
}

/** A line of the table for each query. @param {Pair<Service>} services */
async function compareQueries(services) {
  const lines = [];
  for (const query of queries) {
    await checkSame(query, services);
    // The first round compiles code.
    await measureRound(query, services);
    /** @type {Pair<Cost>[]} */
    const costs = [];
    while (costs.length < rounds) costs.push(await measureRound(query, services));
    lines.push([query.what, ...cells(costs, 'http'), ...cells(costs, 'cpu')]);
  }
  return lines;
}

/** @param {Query} query @param {Pair<Service>} services */
async function checkSame(query, [other, own]) {
  const [theirs, ours] = [await other.ask(query), await own.ask(query)];
  if (!ours.body.equals(theirs.body)) throw new Error(`${query.what}: the answers differ`);
}

/** @param {Query} query @param {Pair<Service>} services @returns {Promise<Pair<Cost>>} */
async function measureRound(query, [other, own]) {
  const before = [other.cpuMs(), own.cpuMs()];
  /** @type {Pair<number[]>} */
  const times = [[], []];
  const start = performance.now();
  while (times[0].length < roundRequests && performance.now() - start < roundMs) {
    times[0].push(await time(() => other.ask(query, nextInstant())));
    times[1].push(await time(() => own.ask(query, nextInstant())));
  }
  const [after, ownAfter] = await Promise.all([other.untilQuiet(), own.untilQuiet()]);
  const cost = (/** @type {0 | 1} */ build, /** @type {number} */ cpuMs) => ({
    http: median(times[build]),
    cpu: (cpuMs - (before[build] ?? 0)) / times[build].length,
  });
  return [cost(0, after), cost(1, ownAfter)];
}

/** The medians of both builds and their ratio. @param {readonly Pair<Cost>[]} costs @param {keyof Cost} name */
function cells(costs, name) {
  const ratios = costs.map(([other, own]) => own[name] / other[name]);
  const spread = `${ratio(Math.min(...ratios))} to ${ratio(Math.max(...ratios))}`;
  return [
    ms(median(costs.map(([other]) => other[name]))),
    ms(median(costs.map(([, own]) => own[name]))),
    `${ratio(median(ratios))} (${spread})`,
  ];
}
