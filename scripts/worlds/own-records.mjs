import { createRandom } from '../fixtures/random.mjs';
import { isoFrom } from '../fixtures/record.mjs';
import { lineOf } from './source.mjs';

/** @typedef {import('../fixtures/random.mjs').Random} Random */
/** @typedef {import('./source.mjs').Field} Field */

/** The project's own records lie between these instants, unix microseconds. */
const from = Date.parse('2026-03-02T00:00:00Z') * 1000;
const to = Date.parse('2026-03-10T13:59:00Z') * 1000;
/** A third of them in the last hour. */
const clusterFrom = Date.parse('2026-03-10T13:02:00Z') * 1000;

/** What a field of this name holds, so that queries written for real logs find something. */
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
 * The records of `mine` in one source: the same in every world. The first has every field, so that
 * the schema is the same too, and no two share an instant, so that the newest first is one order.
 * Every message is `1`: the failing expressions of the tests fail on any other.
 * @param {import('./source.mjs').Source} source
 * @param {{ count: number, seed: number, lists: boolean }} options
 * @returns {readonly import('./source.mjs').Placed[]}
 */
export function ownRecords({ fields, projectPath }, { count, seed, lists }) {
  const random = createRandom(seed);
  return instants(random, count).map((at, n) => {
    const given = fields.filter(() => n < 2 || !random.chance(0.12));
    /** @type {import('./source.mjs').Value[]} */
    const values = given.map((field) => [field.path, fieldValue(field, n, random)]);
    const record = { id: `own-${n}`, timestamp: isoFrom(at), event_message: '1', metadata: {} };
    return {
      place: at,
      line: lineOf(record, [...values, [projectPath, 'mine']], lists && n === 1),
    };
  });
}

/** Different instants in order. @param {Random} random @param {number} count */
function instants(random, count) {
  const all = new Set(
    Array.from({ length: count }, (_, n) => random.integer(n % 3 === 0 ? clusterFrom : from, to)),
  );
  while (all.size < count) all.add(random.integer(from, to));
  return [...all].sort((a, b) => a - b);
}

/** @param {Field} field @param {number} n @param {Random} random */
function fieldValue(field, n, random) {
  const value = scalarOf(field, n, random);
  return field.isArray ? [value, scalarOf(field, n + 1, random)] : value;
}

/** @param {Field} field @param {number} n @param {Random} random */
function scalarOf({ name, type, index }, n, random) {
  if (type === 'BOOL') return random.chance(0.5);
  if (type === 'INT64') {
    const known = Object.entries(numbers).find(([of]) => of === name)?.[1];
    return known === undefined ? random.integer(1, 999) : random.any(known);
  }
  if (name === 'url') return `https://mine-ref.example.com/rest/v1/items?id=${n}`;
  const known = Object.entries(texts).find(([of]) => of === name)?.[1];
  if (known !== undefined) return random.any(known);
  // Few different texts in one field, a text of its own for each record in the next.
  return index % 2 === 0 ? `own ${n % 7}` : `own ${random.hex(10)}`;
}
