import { hasOwnColumns, withoutOwnColumns } from './other-records.mjs';

// The oracle of non-interference: worlds that differ only in other projects' records must give the same
// answer to the same request: status, body, and all headers except those that tell the time. The names of
// fields are shared by all callers, so `m.*` may list another project's field in one world, if all its values
// are NULL.

/** A request that is sent to every world. @typedef {{ readonly endpoint: string, readonly parameters: Readonly<Record<string, string>>, readonly redact?: boolean }} WorldRequest */

/** @typedef {{ readonly status: number, readonly headers: Headers, readonly text: string }} Answer */

/** Sends a request to one world; undefined if there is no answer in time. @typedef {(request: WorldRequest) => Promise<Answer | undefined>} World */

/** The id of every request: errors contain it, so it must not differ. */
export const requestId = 'non-interference';

/** Headers that tell the time. */
const timing = ['date', 'server-timing'];

/** Headers that depend on every byte of the body. */
const ofBody = ['content-encoding', 'content-length', 'etag'];

/** The number of repeated requests to each world when answers differ: `rand()` is not a leak. */
const repeats = 6;

/**
 * The outcomes of comparisons. `unstable`: one world gives different answers to the same request.
 * `unknown`: an answer depends on time or memory. Neither is a finding; too many make the oracle blind.
 * @typedef {object} Totals
 * @property {number} sent
 * @property {number} answered with a status of 200
 * @property {number} unstable
 * @property {number} unknown
 */

/** @typedef {{ readonly request: WorldRequest, readonly answers: readonly string[] }} Finding */

/**
 * Creates an oracle over some worlds; `check` returns a finding if their answers differ.
 * @param {readonly World[]} worlds
 * @returns {{ readonly check: (request: WorldRequest) => Promise<Finding | undefined>, readonly totals: Totals, readonly isBlind: () => boolean }}
 */
export function createInterferenceOracle(worlds) {
  const totals = { sent: 0, answered: 0, unstable: 0, unknown: 0 };
  const check = async (/** @type {WorldRequest} */ request) => {
    totals.sent++;
    const answers = await Promise.all(worlds.map((world) => world(request)));
    if (answers.some(isUnknown)) return count('unknown');
    if (answers[0]?.status === 200) totals.answered++;
    const printed = printAll(answers);
    if (areEqual(printed)) return undefined;
    for (const world of worlds) if (!(await isStable(world, request))) return count('unstable');
    return { request, answers: printed };
  };
  const count = (/** @type {'unstable' | 'unknown'} */ what) => {
    totals[what]++;
    return undefined;
  };
  return { check, totals, isBlind: () => isBlind(totals) };
}

/** Whether too many comparisons were without result, or too few had status 200. @param {Totals} totals */
function isBlind({ sent, answered, unstable, unknown }) {
  return unstable + unknown > 5 + sent / 20 || answered < sent / 20;
}

/** Whether a world gives the same answer each time. @param {World} world @param {WorldRequest} request */
async function isStable(world, request) {
  const answers = [];
  for (let left = repeats; left > 0; left--) answers.push(await world(request));
  return !answers.some(isUnknown) && areEqual(printAll(answers));
}

/** Whether an answer depends on the speed or memory of the machine. @param {Answer | undefined} answer */
function isUnknown(answer) {
  if (answer === undefined) return true;
  const { status, text } = answer;
  return status >= 503 || (status === 400 && /\((?:--memory-limit|--query-timeout)/.test(text));
}

/** @param {readonly string[]} texts */
function areEqual([first, ...rest]) {
  return rest.every((text) => text === first);
}

/** @param {readonly (Answer | undefined)[]} answers */
function printAll(answers) {
  const areListed = answers.some((answer) => hasOwnColumns(answer?.text ?? ''));
  const ignored = new Set(areListed ? [...timing, ...ofBody] : timing);
  return answers.map((answer) => {
    if (answer === undefined) return 'no answer';
    const { status, text } = answer;
    const headers = [...answer.headers].filter(([name]) => !ignored.has(name)).sort();
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    const shown = areListed && status === 200 ? withoutOwnColumns(text) : text;
    return [status, ...lines, '', shown].join('\n');
  });
}
