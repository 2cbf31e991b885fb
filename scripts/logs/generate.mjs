import { makeEvents } from './events.mjs';
import { fraction, hash } from './hash.mjs';
import { moments } from './moments.mjs';
import { createPickProject } from './projects.mjs';
import { createReorderBuffer } from './reorder-buffer.mjs';
import { createTextsOf } from './texts.mjs';

/** @typedef {import('./events.mjs').EventTemplate} EventTemplate */
/** @typedef {import('./fill.mjs').PendingRecord} PendingRecord */
/** @typedef {import('./options.mjs').Options} Options */
/** @typedef {import('./write-source.mjs').SourceWriter} SourceWriter */

/** The hash lanes for the random draws of an event; its holes use those from 8 on. */
const lanes = { template: 0, project: 1, late: 2 };

/**
 * Writes the records. There are as many moments as records: an event with n records happens at one moment
 * and skips the next n - 1, so the number of records is exact. Memory holds only the records that may
 * still be preceded by an older one.
 * @param {Options} options
 * @param {(source: string) => SourceWriter} openSource
 */
export async function generate(options, openSource) {
  const events = makeEvents(options);
  const draw = createDraw(events, options);
  const outlets = openOutlets(events, openSource);
  let count = 0;
  let skip = 0;
  let left = options.records;
  for (const at of moments({ ...options, count: options.records })) {
    skip -= 1;
    if (skip >= 0) continue;
    const records = draw(at, count).slice(0, left);
    for (const record of records) outlets.get(record.template.source)?.waiting.add(record);
    count += 1;
    left -= records.length;
    skip = records.length - 1;
    for (const outlet of outlets.values()) if (writeDue(outlet, at)) await outlet.writer.flush();
  }
  for (const outlet of outlets.values()) await finish(outlet);
}

/**
 * Creates the function that draws the records of the n-th event.
 * @param {readonly EventTemplate[]} events
 * @param {Options} options
 * @returns {(at: number, count: number) => readonly PendingRecord[]}
 */
function createDraw(events, { seed, projects, from, disorder }) {
  const pickProject = createPickProject(projects);
  const textsOf = createTextsOf(seed);
  return (at, count) => {
    const event = events[hash(seed, count, lanes.template) % events.length];
    if (event === undefined) throw new Error('no event has records of these sources');
    const project = pickProject(fraction(seed, count, lanes.project));
    const texts = textsOf(project, event.user.rank, event.user.email);
    const late = disorder === 0 ? 0 : Math.floor(fraction(seed, count, lanes.late) * disorder);
    return event.records.map((template) => {
      const due = Math.max(from, at - template.lag);
      return { template, count, texts, due, at: Math.max(from, due - late) };
    });
  };
}

/**
 * The output of one source.
 * @typedef {object} Outlet
 * @property {ReturnType<typeof createReorderBuffer<PendingRecord>>} waiting
 * @property {SourceWriter} writer
 */

/**
 * @param {readonly EventTemplate[]} events
 * @param {(source: string) => SourceWriter} openSource
 * @returns {ReadonlyMap<string, Outlet>}
 */
function openOutlets(events, openSource) {
  /** @type {Map<string, number>} */
  const lags = new Map();
  for (const { source, lag } of events.flatMap(({ records }) => records)) {
    lags.set(source, Math.max(lag, lags.get(source) ?? 0));
  }
  return new Map(
    [...lags].map(([source, lag]) => [
      source,
      { waiting: createReorderBuffer(lag), writer: openSource(source) },
    ]),
  );
}

/** Writes records that are due; returns true as soon as the writer needs a flush. @param {Outlet} outlet @param {number} now */
function writeDue({ waiting, writer }, now) {
  for (let record = waiting.next(now); record !== undefined; record = waiting.next(now)) {
    if (writer.add(record)) return true;
  }
  return false;
}

/** @param {Outlet} outlet */
async function finish(outlet) {
  while (writeDue(outlet, Number.POSITIVE_INFINITY)) await outlet.writer.flush();
  await outlet.writer.close();
}
