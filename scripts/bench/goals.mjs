import { megabytes, ms, ratio, seconds } from './table.mjs';

/** @typedef {import('./arguments.mjs').Arguments} Arguments */
/** @typedef {import('./measure-all.mjs').Size} Size */
/** A target with its measurement. @typedef {{ readonly what: string, readonly isMet: boolean }} Goal */

/** Bytes allowed for Node itself, on top of DuckDB's memory limit. */
const nodeBytes = 150e6;

/** Every target, and whether it is met. @param {readonly Size[]} sizes @param {Arguments} options @returns {readonly Goal[]} */
export function goalsOf(sizes, { memoryLimit }) {
  const limit = bytesOf(memoryLimit) + nodeBytes;
  return [
    ...sizes.flatMap((size) => [
      ...answerGoals(size),
      ...loadGoals(size, limit),
      ...serviceGoals(size),
    ]),
    ...flatGoals(sizes),
  ];
}

/** @param {Size} size @returns {readonly Goal[]} */
function answerGoals({ records, answers }) {
  return answers.map(({ query, http, byHand }) => {
    const allowed = 1.5 * byHand + 3;
    const what = `${records}: ${query.what}: ${ms(http)} ms, allowed ${ms(allowed)} ms`;
    return { what, isMet: http <= allowed };
  });
}

/** @param {Size} size @param {number} limit bytes @returns {readonly Goal[]} */
function loadGoals({ records, loaded: { ours, theirs, secondMs } }, limit) {
  const share = ours.ms / theirs.ms;
  const peak = ours.peak.one;
  return [
    {
      what: `${records}: load: ${ratio(share)} times \`create table as\`, allowed 1.5`,
      isMet: share <= 1.5,
    },
    {
      what: `${records}: load: ${megabytes(peak)} of memory, allowed ${megabytes(limit)}`,
      isMet: peak <= limit,
    },
    {
      what: `${records}: second start: ${seconds(secondMs)} s, allowed 1 s`,
      isMet: secondMs <= 1000,
    },
  ];
}

/** @param {Size} size @returns {readonly Goal[]} */
function serviceGoals({ records, throughput: { ours, theirs }, processOverhead }) {
  const share = ours.perSecond / theirs.perSecond;
  const added = processOverhead === undefined ? 0 : processOverhead.ours - processOverhead.baseline;
  return [
    {
      what: `${records}: cached answers per second: ${ratio(share)} of a bare handler's, at least 0.80`,
      isMet: share >= 0.8,
    },
    {
      what: `${records}: an engine process adds ${ms(added)} ms, allowed 1 ms`,
      isMet: added < 1,
    },
  ];
}

/** @param {readonly Size[]} sizes @returns {readonly Goal[]} */
function flatGoals(sizes) {
  const [first] = sizes;
  const last = sizes.at(-1);
  if (first === undefined || last === undefined || first === last) return [];
  return first.answers.flatMap(({ query, http }, index) => {
    if (query.isFlat !== true) return [];
    const growth = (last.answers[index]?.http ?? Number.NaN) / http;
    const what = `${first.records} to ${last.records}: ${query.what}: takes ${ratio(growth)} times as long, allowed 1.5`;
    return [{ what, isMet: growth <= 1.5 }];
  });
}

/** @param {string} size for example 2GB */
function bytesOf(size) {
  const units = { KB: 1e3, MB: 1e6, GB: 1e9 };
  const unit = /** @type {keyof typeof units} */ (size.slice(-2));
  return Number(size.slice(0, -2)) * units[unit];
}
