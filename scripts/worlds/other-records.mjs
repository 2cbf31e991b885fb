import { fraction, hash, isoFrom } from '../fixtures/built.mjs';
import { cutEmoji, deep, deepPath, recordLine } from './source.mjs';

// The records of other projects. The two worlds differ in everything that column statistics and storage
// can depend on: minimum and maximum, dictionaries, number of distinct values, NULLs, which fields are
// set, and the order and number of records. In some small sources they have fields of their own, or lists of two
// elements, which change the schema of one world.

/** @typedef {import('./source.mjs').Field} Field */

/** In every string of other projects in world `one`, and in none of `mine`. */
export const canary = 'CANARY_7f3a9c';

/**
 * The style of other projects' records in one world.
 * @typedef {object} Style
 * @property {readonly string[]} projects
 * @property {readonly [from: string, to: string]} times
 * @property {boolean} inOrder whether the file is in order of time
 * @property {(field: Field) => boolean} has which fields records have
 * @property {(source: string, n: number) => string | null} message
 * @property {(field: Field, n: number) => unknown} value
 * @property {(n: number) => unknown} deep the value at {@link deepPath}
 * @property {readonly string[]} withOwnFields sources in which they have undeclared fields of their own
 * @property {readonly string[]} withLists sources in which they have records of two elements
 */

/** Fields that the tests' queries read; both worlds have them in every record. */
const commonFields = new Set(['asn', 'status_code', 'path', 'method', 'extra', 'level']);

/** @type {Readonly<Record<'one' | 'two', Style>>} */
const styles = {
  one: {
    projects: ['theirs', 'MINE', 'mine ', 'min%', 'mine2'],
    times: ['2026-01-05T00:00:00Z', '2026-03-20T00:00:00Z'],
    inOrder: true,
    has: ({ name, index }) => commonFields.has(name) || index % 19 === 0,
    // One large source has few distinct messages, in the other each message is unique.
    message: (source, n) =>
      source === 'function_logs'
        ? `canary s ${word(n, 0)} of ${n} ${canary}`
        : `canary s${n % 40} ${canary} ([#\\\``,
    value: ({ type, index }, n) => {
      if (type === 'BOOL') return n % 2 === 0;
      if (type === 'INT64') return n % 97 === 0 ? -17 : 1_000_000 + hash(1, n, index);
      return index % 2 === 0 ? `${canary} ${word(n, index)}` : `${canary} ${n % 60}${cutEmoji}`;
    },
    deep: (n) => deep(12 + (n % 40), [canary, { [canary]: n }]),
    withOwnFields: ['auth_logs'],
    withLists: ['rest_logs'],
  },
  two: {
    projects: ['globex'],
    times: ['2026-03-04T00:00:00Z', '2026-03-08T00:00:00Z'],
    inOrder: false,
    has: ({ name, index }) => commonFields.has(name) || index % 17 === 1,
    message: (source, n) => {
      if (n % 5 === 0) return null;
      return source === 'function_logs' ? `plain t${n % 30}` : `plain t ${word(n, 0)}`;
    },
    value: ({ type, index }, n) => {
      if (type === 'BOOL') return false;
      if (type === 'INT64') return 2 + (hash(2, n, index) % 49);
      if (n % 3 === 0) return null;
      return index % 2 === 0 ? 'plain' : `plain ${word(n, index)}`;
    },
    deep: (n) => deep(13, n % 2 === 0 ? 2 ** 60 : 'plain'),
    withOwnFields: ['realtime_logs'],
    withLists: ['pooler_logs'],
  },
};

/** A unique word. @param {number} n @param {number} lane */
function word(n, lane) {
  return hash(3, n, lane).toString(36) + n;
}

/**
 * The records of other projects in one source.
 * @param {import('./source.mjs').Source} source
 * @param {'one' | 'two'} world
 * @param {number} count
 * @returns {readonly import('./source.mjs').PositionedLine[]}
 */
export function otherRecords({ name, fields, projectPath }, world, count) {
  const style = styles[world];
  const usedFields = fields.filter(style.has);
  const [from = 0, to = 0] = style.times.map((time) => Date.parse(time) * 1000);
  const hasLists = style.withLists.includes(name);
  /** @param {number} n @param {number} lane */
  const instant = (n, lane) => from + Math.floor(fraction(4, n, lane) * (to - from));
  return Array.from({ length: count }, (_, n) => {
    /** @type {import('./source.mjs').Value[]} */
    const values = usedFields.map((field) => [field.path, fieldValue(style, field, n)]);
    values.push([projectPath, style.projects[n % style.projects.length]]);
    if (n % 50 === 7) values.push([deepPath, style.deep(n)]);
    if (style.withOwnFields.includes(name)) values.push(...ownFields(n));
    const at = instant(n, 0);
    const record = {
      ...(n % 6 !== 1 && { id: `${world}-${word(n, 1)}` }),
      timestamp: isoFrom(at),
      event_message: style.message(name, n),
      metadata: {},
    };
    return {
      position: style.inOrder ? at : instant(n, 1),
      line: recordLine(record, values, hasLists && n % 30 === 3),
    };
  });
}

/**
 * Fields of one type, of several, and with a name of many letters. Their names are shared by all callers, so no query of
 * the fuzz test may name one by accident, or come so near that a message suggests it.
 * @param {number} n
 * @returns {import('./source.mjs').Value[]}
 */
function ownFields(n) {
  return [
    [`metadata.of_other_projects_${n % 20}`, n],
    ['metadata.now_and_then', n % 2 === 0 ? n : { text: `${n}` }],
    [`metadata.${'long_'.repeat(40)}`, [n]],
  ];
}

const isOwnName = /^(?:of_other_projects_[0-9]+|now_and_then|(?:long_){40})$/;

/** Whether the rows of an answer have a column of a field that only other projects have. @param {string} text JSON */
export function hasOwnColumns(text) {
  if (!text.startsWith('{"result":[')) return false;
  const [row = {}] = JSON.parse(text).result;
  return Object.keys(row).some((name) => isOwnName.test(name));
}

/** Removes such columns from the rows of an answer if they are NULL, and keeps the records in them. @param {string} text JSON */
export function withoutOwnColumns(text) {
  const { result = [], ...more } = JSON.parse(text);
  const rows = result.map((/** @type {Record<string, unknown>} */ row) => {
    const isKept = (/** @type {string} */ name) => row[name] !== null || !isOwnName.test(name);
    return Object.fromEntries(Object.entries(row).filter(([name]) => isKept(name)));
  });
  return JSON.stringify({ ...more, result: rows });
}

/** @param {Style} style @param {Field} field @param {number} n */
function fieldValue(style, field, n) {
  const value = style.value(field, n);
  return field.isArray && value !== null ? [value] : value;
}
