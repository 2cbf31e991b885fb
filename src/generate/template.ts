import { holePattern } from './tokens.js';
import type { Random } from './world/random.js';
import { isoFrom, type LogRecord } from './world/record.js';
import { nowMicros } from './world/world.js';

/** The kinds of values that have tokens. */
const tokenKinds = ['project', 'id', 'email', 'address', 'hex', 'HEX', 'uuid'] as const;

/** The place in a template where a value of the event is inserted. */
export interface Hole {
  /** The kind of value; tokens have their own names. */
  readonly kind: (typeof tokenKinds)[number] | 'time' | 'micros';
  /** The number of digits of a hexadecimal number, or of the fraction of a second. */
  readonly digits: number;
  /** The number of the draw within the event. */
  readonly lane: number;
  /** The separator between date and time. */
  readonly separator: string;
}

/**
 * A line of NDJSON with holes; `lag` is the number of microseconds by which the record precedes its event, and `pieces`
 * are the texts around the holes: one more than there are holes.
 */
export type Template = Readonly<ReturnType<typeof makeTemplate>>;

/**
 * Makes a template of a record of an event at the `now` of the sample logs. As in real files, a few records have
 * their metadata as an array of one element, and a few their timestamp as unix microseconds, unless `plain` is set.
 */
export function makeTemplate(
  random: Random,
  { source, at, message, project, metadata }: LogRecord,
  plain: boolean,
) {
  const wrap = random.chance(0.03) && !plain;
  const asNumber = random.chance(0.02) && !plain;
  const record = {
    id: random.uuid(),
    timestamp: asNumber ? at : isoFrom(at),
    event_message: message,
    project,
    metadata: wrap ? [metadata] : metadata,
  };
  return { source, lag: nowMicros - at, ...splitAtHoles(`${JSON.stringify(record)}\n`, at) };
}

/** One pattern for all records: compiling it takes as long as using it. */
const pattern = new RegExp(`${holePattern.source}|(?<micros>\\d{16})`, 'g');

/** Splits text at its holes; `at` is the timestamp of the record, a hole if it is written as a number. */
function splitAtHoles(text: string, at: number) {
  const pieces: string[] = [];
  const holes: Hole[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const { micros } = match.groups ?? {};
    if (micros !== undefined && micros !== String(at)) continue;
    pieces.push(text.slice(from, match.index));
    holes.push(parseHole(match.groups ?? {}));
    from = match.index + match[0].length;
  }
  pieces.push(text.slice(from));
  return { pieces, holes };
}

function parseHole(groups: Readonly<Record<string, string | undefined>>): Hole {
  const { digits, lane, separator, fraction = '' } = groups;
  const kind = tokenKinds.find((each) => each === groups['kind']);
  if (kind !== undefined) {
    return { kind, digits: Number(digits), lane: Number(lane ?? 0), separator: '' };
  }
  if (separator === undefined) return { kind: 'micros', digits: 16, lane: 0, separator: '' };
  return { kind: 'time', digits: fraction.length, lane: 0, separator };
}
