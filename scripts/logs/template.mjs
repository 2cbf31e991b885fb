import { isoFrom } from '../fixtures/record.mjs';
import { nowMicros } from '../fixtures/world.mjs';
import { holePattern } from './tokens.mjs';

/** @typedef {import('../fixtures/random.mjs').Random} Random */
/** @typedef {import('../fixtures/record.mjs').LogRecord} LogRecord */

/**
 * The place in a template where a value of the event is inserted.
 * @typedef {object} Hole
 * @property {'project' | 'id' | 'email' | 'address' | 'uuid' | 'hex' | 'capitals' | 'time' | 'micros'} kind
 * @property {number} digits of a hexadecimal number, or of the fraction of a second
 * @property {number} lane which draw of the event
 * @property {number} separator the byte between date and time
 */

/**
 * A line of NDJSON with holes.
 * @typedef {object} Template
 * @property {string} source
 * @property {number} lag microseconds by which the record precedes its event
 * @property {readonly Uint8Array[]} pieces the bytes around the holes: one more than there are holes
 * @property {readonly Hole[]} holes
 * @property {unknown} record the object that was printed
 */

const kinds = /** @type {const} */ ({
  p: 'project',
  i: 'id',
  e: 'email',
  a: 'address',
  u: 'uuid',
  h: 'hex',
  H: 'capitals',
});

/**
 * Makes a template of a record. As in real files, a few records have their metadata as an array of one
 * element, and a few their timestamp as unix microseconds, unless they are plain.
 * @param {Random} random draws tokens
 * @param {LogRecord} record of an event at the `now` of the sample logs
 * @param {boolean} plain
 * @returns {Template}
 */
export function makeTemplate(random, { source, at, message, project, metadata }, plain) {
  const wrap = random.chance(0.03) && !plain;
  const asNumber = random.chance(0.02) && !plain;
  const record = {
    id: random.uuid(),
    timestamp: asNumber ? at : isoFrom(at),
    event_message: message,
    ...(project === undefined ? {} : { project }),
    metadata: wrap ? [metadata] : metadata,
  };
  return {
    source,
    lag: nowMicros - at,
    record,
    ...splitAtHoles(`${JSON.stringify(record)}\n`, at),
  };
}

/** Splits a text at its holes. @param {string} text @param {number} at timestamp of the record, a hole if it is written as a number */
function splitAtHoles(text, at) {
  /** @type {Uint8Array[]} */
  const pieces = [];
  /** @type {Hole[]} */
  const holes = [];
  const pattern = new RegExp(`${holePattern.source}|(?<micros>${at})`, 'g');
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    pieces.push(Buffer.from(text.slice(from, match.index)));
    holes.push(holeOf(match.groups ?? {}));
    from = match.index + match[0].length;
  }
  pieces.push(Buffer.from(text.slice(from)));
  return { pieces, holes };
}

/** @param {Record<string, string | undefined>} groups @returns {Hole} */
function holeOf(groups) {
  const { word, capital, separator, fraction = '' } = groups;
  const { digits, length, lane, number } = groups;
  const letter = /** @type {keyof typeof kinds | undefined} */ (word ?? capital);
  if (letter !== undefined) {
    const size = { digits: Number(digits ?? length), lane: Number(lane ?? number ?? 0) };
    return { kind: kinds[letter], ...size, separator: 0 };
  }
  if (separator === undefined) return { kind: 'micros', digits: 16, lane: 0, separator: 0 };
  return { kind: 'time', digits: fraction.length, lane: 0, separator: separator.charCodeAt(0) };
}
