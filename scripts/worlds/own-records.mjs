import { createRandom, isoFrom } from '../fixtures/built.mjs';
import { cutEmoji, deep, deepPath, recordLine } from './source.mjs';

/** @typedef {import('../fixtures/built.mjs').Random} Random */
/** @typedef {import('./source.mjs').Field} Field */

/** The time range of the project's own records, in unix microseconds. */
const from = Date.parse('2026-03-02T00:00:00Z') * 1000;
const to = Date.parse('2026-03-10T13:59:00Z') * 1000;
/** A third of them is in the last hour. */
const clusterFrom = Date.parse('2026-03-10T13:02:00Z') * 1000;

/** Values of fields by name, so that queries written for real logs find matches. */
const texts = {
  method: ['GET', 'POST', 'PATCH'],
  path: ['/rest/v1/items', '/auth/v1/token', '/storage/v1/object', '/realtime/v1'],
  level: ['info', 'warning', 'error'],
  country: ['DE', 'US', 'NL'],
  error_severity: ['LOG', 'ERROR', 'FATAL'],
  search: ['?id=eq.1', '?mail=jane.doe@example.com', ''],
  user_email: ['jane.doe@example.com', 'bo@example.org'],
  cf_connecting_ip: ['192.0.2.17', '2001:db8::5'],
  remote_addr: ['198.51.100.4:5432', '192.0.2.17'],
};

const numbers = { status_code: [200, 201, 304, 404, 500], asn: [64_496, 64_500], line: [12, 88] };

/**
 * The records of `mine` in one source, the same in every world. The first ones have every field, and one is deeper than
 * records have types, so that the schema is the same, too, unless others have a field of their own. Some have no id, some
 * share their instant in fours, and some texts end in the middle of an emoji. Every message is `1`: the tests' failing
 * expressions fail on any other message.
 * @param {import('./source.mjs').Source} source
 * @param {{ count: number, seed: number, lists: boolean }} options
 * @returns {readonly import('./source.mjs').PositionedLine[]}
 */
export function ownRecords({ fields, projectPath }, { count, seed, lists }) {
  const random = createRandom(seed);
  return instants(random, count).map((at, n) => {
    const usedFields = fields.filter(() => n < 2 || !random.chance(0.12));
    /** @type {import('./source.mjs').Value[]} */
    const values = usedFields.map((field) => [field.path, fieldValue(field, n, random)]);
    values.push([projectPath, 'mine']);
    if (n % 40 === 5) values.push([deepPath, deep(14, `own ${n}`)]);
    const id = n > 1 && n % 7 === 5 ? {} : { id: `own-${n}` };
    const record = { ...id, timestamp: isoFrom(at), event_message: '1', metadata: {} };
    return { position: at, line: recordLine(record, values, lists && n === 1) };
  });
}

/** Instants in ascending order: every tenth is that of four records. @param {Random} random @param {number} count */
function instants(random, count) {
  const all = Array.from({ length: count }, (_, n) =>
    random.integer(n % 3 === 0 ? clusterFrom : from, to),
  ).sort((a, b) => a - b);
  return all.map((at, n) => (n % 40 < 4 ? (all[n - (n % 40)] ?? at) : at));
}

/** @param {Field} field @param {number} n @param {Random} random */
function fieldValue(field, n, random) {
  const value = makeScalar(field, n, random);
  return field.isArray ? [value, makeScalar(field, n + 1, random)] : value;
}

/** @param {Field} field @param {number} n @param {Random} random */
function makeScalar({ name, type, index }, n, random) {
  if (type === 'BOOL') return random.chance(0.5);
  if (type === 'INT64') {
    const choices = Object.entries(numbers).find(([field]) => field === name)?.[1];
    return choices === undefined ? random.integer(1, 999) : random.any(choices);
  }
  if (name === 'url') return `https://mine-ref.example.com/rest/v1/items?id=${n}`;
  const choices = Object.entries(texts).find(([field]) => field === name)?.[1];
  if (choices !== undefined) return random.any(choices);
  // Fields alternate between few distinct values and unique ones.
  return index % 2 === 0 ? `own ${n % 7}${n % 9 === 4 ? cutEmoji : ''}` : `own ${random.hex(10)}`;
}
