import { empty } from './queries.mjs';
import { megabytes, ms, ratio, seconds } from './table.mjs';

/** @typedef {import('./arguments.mjs').Arguments} Arguments */
/** @typedef {import('./measure-all.mjs').Size} Size */
/** @typedef {import('./load-shapes.mjs').LoadedShape} LoadedShape */
/** A target with its measurement. @typedef {{ readonly what: string, readonly isMet: boolean }} Goal */

/** Bytes allowed for Node itself, on top of DuckDB's memory limit. */
const nodeBytes = 150e6;

/** Every target, and whether it is met. @param {readonly Size[]} sizes @param {Arguments} options @returns {readonly Goal[]} */
export function allGoals(sizes, { memoryLimit }) {
  const limit = sizeInBytes(memoryLimit) + nodeBytes;
  return [
    ...sizes.flatMap((size) => [
      ...answerGoals(size),
      ...loadGoals(size, limit),
      ...serviceGoals(size),
    ]),
    ...flatGoals(sizes),
  ];
}

/** @typedef {import('./answers.mjs').Answer} Answer */

/** The most rows of an answer to which a limit of a few milliseconds applies. */
const fewRows = 100;

/** The newest rows may take this many times as long at the largest size as at the smallest. */
export const allowedGrowth = 1.5;

/** Whether an answer has a few of the newest rows, which take the same time at any size. @param {Pick<Answer, 'query' | 'rows'>} answer */
export function isFewNewest({ query, rows }) {
  return query.isNewest === true && rows <= fewRows;
}

/** The time that an answer may take. @param {Answer} answer @param {readonly Answer[]} answers all of its run */
export function allowedMs(answer, answers) {
  const { byHand, postgres } = answer;
  const withoutRows = answers.find((each) => each.query === empty)?.http ?? Number.NaN;
  return isFewNewest(answer) ? Math.max(withoutRows + 1.5, 3 * (postgres ?? 0)) : 1.3 * byHand + 2;
}

/** @param {Size} size @returns {readonly Goal[]} */
function answerGoals({ records, answers }) {
  return answers.flatMap((answer) => {
    const { query, http, again, rows } = answer;
    const allowed = allowedMs(answer, answers);
    const what = `${records}: ${query.what}: ${ms(http)} ms, allowed ${ms(allowed)} ms`;
    const first = { what, isMet: http <= allowed };
    if (rows > fewRows) return [first];
    const more = `${records}: ${query.what}, again: ${ms(again)} ms, allowed 1.5 ms`;
    return [first, { what: more, isMet: again <= 1.5 }];
  });
}

/** The time that loading a shape may take. @param {LoadedShape} shape */
export function allowedLoadMs({ theirs }) {
  return 1.5 * theirs + 1_000;
}

/** @param {readonly LoadedShape[]} shapes @returns {readonly Goal[]} */
export function shapeGoals(shapes) {
  return shapes.map((shape) => {
    const { what, ours } = shape;
    const allowed = allowedLoadMs(shape);
    const text = `load of ${what}: ${seconds(ours)} s, allowed ${seconds(allowed)} s`;
    return { what: text, isMet: ours <= allowed };
  });
}

/** The least speed of loading text, against NDJSON of the same size. */
const minTextSpeed = 0.4;

/** @typedef {import('./text-shapes.mjs').TextShape} TextShape */

/** The speed of a load against that of NDJSON, which comes first. @param {TextShape} text @param {readonly TextShape[]} all */
export function textSpeed({ ms }, [ndjson]) {
  return (ndjson?.ms ?? Number.NaN) / ms;
}

/** @param {readonly TextShape[]} all @returns {readonly Goal[]} */
export function textGoals(all) {
  return all.slice(1).map((text) => ({
    what: `load of ${text.what}: ${ratio(textSpeed(text, all))} of the speed of NDJSON, at least ${minTextSpeed}`,
    isMet: textSpeed(text, all) >= minTextSpeed,
  }));
}

/** A byte of badly shaped records may take this many times the processor time of a byte of flat records. */
const maxWorst = 5;

/** @param {readonly import('./worst-shapes.mjs').WorstShape[]} worst @returns {readonly Goal[]} */
export function worstGoals(worst) {
  return worst.map(({ what, ours, theirs }) => ({
    what: `load of ${what}: ${ratio(ours / theirs)} times the processor time of flat records, allowed ${maxWorst}`,
    isMet: ours <= maxWorst * theirs,
  }));
}

/** @param {readonly import('./follow.mjs').Followed[]} followed @returns {readonly Goal[]} */
export function followGoals(followed) {
  return followed.map(({ what, unit, value, target }) => ({
    what: `following: ${what}: ${value.toFixed(3)} ${unit}, allowed ${target}`,
    isMet: value <= target,
  }));
}

/** @param {Size} size @param {number} limit bytes @returns {readonly Goal[]} */
function loadGoals({ records, bytesWithoutNewest, loaded }, limit) {
  const { ours, theirs, empty, secondMs, bytes } = loaded;
  const share = (ours.ms - empty.ms) / theirs.ms;
  const work = (ours.cpuMs - empty.cpuMs) / theirs.cpuMs;
  const size = bytes / bytesWithoutNewest;
  const peak = ours.peak.one;
  return [
    {
      what: `${records}: load: ${ratio(share)} times \`create table as\`, allowed 1.5`,
      isMet: share <= 1.5,
    },
    {
      what: `${records}: load: ${ratio(work)} times the processor time of \`create table as\`, allowed 1.6`,
      isMet: work <= 1.6,
    },
    {
      what: `${records}: load: ${megabytes(peak)} of memory, allowed ${megabytes(limit)}`,
      isMet: peak <= limit,
    },
    {
      what: `${records}: files: ${ratio(size)} times as large as without the newest rows, allowed 1.2`,
      isMet: size <= 1.2,
    },
    {
      what: `${records}: second start: ${seconds(secondMs)} s, allowed 0.6 s`,
      isMet: secondMs <= 600,
    },
  ];
}

/** @param {Size} size @returns {readonly Goal[]} */
function serviceGoals({ records, throughput: { ours }, processOverhead }) {
  const added = processOverhead === undefined ? 0 : processOverhead.ours - processOverhead.baseline;
  return [
    {
      what: `${records}: cached answers per second: ${Math.round(ours.perSecond)}, at least 10,000`,
      isMet: ours.perSecond >= 10_000,
    },
    {
      what: `${records}: an engine process adds ${ms(added)} ms, allowed 0.7 ms`,
      isMet: added < 0.7,
    },
  ];
}

/** @param {readonly Size[]} sizes @returns {readonly Goal[]} */
function flatGoals(sizes) {
  const [first] = sizes;
  const last = sizes.at(-1);
  if (first === undefined || last === undefined || first === last) return [];
  return first.answers.flatMap((answer, index) => {
    if (!isFewNewest(answer)) return [];
    const { query, http } = answer;
    const growth = (last.answers[index]?.http ?? Number.NaN) / http;
    const what = `${first.records} to ${last.records}: ${query.what}: takes ${ratio(growth)} times as long, allowed ${allowedGrowth}`;
    return [{ what, isMet: growth <= allowedGrowth }];
  });
}

/** @param {string} size for example 2GB */
function sizeInBytes(size) {
  const units = { KB: 1e3, MB: 1e6, GB: 1e9 };
  const unit = /** @type {keyof typeof units} */ (size.slice(-2));
  return Number(size.slice(0, -2)) * units[unit];
}
