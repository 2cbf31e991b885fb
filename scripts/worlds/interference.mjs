// The oracle of non-interference: the same request, asked of worlds that differ in other projects'
// records alone, must have the same answer: status, body and every header but those of time.

/** What is asked, of any world alike. @typedef {{ readonly endpoint: string, readonly parameters: Readonly<Record<string, string>>, readonly redact?: boolean }} Asked */

/** @typedef {{ readonly status: number, readonly headers: Headers, readonly text: string }} Answer */

/** Asks one world; undefined where no answer came in time. @typedef {(asked: Asked) => Promise<Answer | undefined>} World */

/** Every request has this id, since errors quote it. */
export const requestId = 'non-interference';

/** Headers that tell the time. */
const timing = new Set(['date', 'server-timing']);

/**
 * How often each world is asked again where the answers differ: an answer of `rand()` must not pass
 * for a leak.
 */
const repeats = 6;

/**
 * What came of comparing answers. `unstable`: one world disagrees with itself. `unknown`: an answer
 * that depends on time or memory. Neither is a finding, and many of them leave the oracle blind.
 * @typedef {object} Totals
 * @property {number} asked
 * @property {number} answered with a status of 200
 * @property {number} unstable
 * @property {number} unknown
 */

/** @typedef {{ readonly asked: Asked, readonly answers: readonly string[] }} Finding */

/**
 * @param {readonly World[]} worlds
 * @returns {{ readonly check: (asked: Asked) => Promise<Finding | undefined>, readonly totals: Totals, readonly isBlind: () => boolean }}
 */
export function createInterferenceOracle(worlds) {
  const totals = { asked: 0, answered: 0, unstable: 0, unknown: 0 };
  const check = async (/** @type {Asked} */ asked) => {
    totals.asked++;
    const answers = await Promise.all(worlds.map((world) => world(asked)));
    if (answers.some(isUnknown)) return count('unknown');
    if (answers[0]?.status === 200) totals.answered++;
    const printed = answers.map(print);
    if (areEqual(printed)) return undefined;
    for (const world of worlds) if (!(await isStable(world, asked))) return count('unstable');
    return { asked, answers: printed };
  };
  const count = (/** @type {'unstable' | 'unknown'} */ what) => {
    totals[what]++;
    return undefined;
  };
  return { check, totals, isBlind: () => isBlind(totals) };
}

/** Few of the answers may be lost; of a small number, a few always are. @param {Totals} totals */
function isBlind({ asked, answered, unstable, unknown }) {
  return unstable + unknown > 5 + asked / 20 || answered < asked / 20;
}

/** @param {World} world @param {Asked} asked */
async function isStable(world, asked) {
  const answers = [];
  for (let left = repeats; left > 0; left--) answers.push(await world(asked));
  return !answers.some(isUnknown) && areEqual(answers.map(print));
}

/** Whether an answer may be another one on a slower machine. @param {Answer | undefined} answer */
function isUnknown(answer) {
  if (answer === undefined) return true;
  const { status, text } = answer;
  return status >= 503 || (status === 400 && /\((?:--memory-limit|--query-timeout)/.test(text));
}

/** @param {readonly string[]} texts */
function areEqual([first, ...rest]) {
  return rest.every((text) => text === first);
}

/** @param {Answer | undefined} answer */
function print(answer) {
  if (answer === undefined) return 'no answer';
  const headers = [...answer.headers].filter(([name]) => !timing.has(name)).sort();
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [answer.status, ...lines, '', answer.text].join('\n');
}
