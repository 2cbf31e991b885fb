/** A row, as JSON. */
export interface TailRow {
  readonly raw: string;
  /** 12 hexadecimal digits that tell rows of one instant apart. */
  readonly digest: string;
  /** Its time, in microseconds since 1970. */
  readonly micros: bigint;
}

/** How far a tail has come. */
export interface TailPosition {
  /** The newest instant, in microseconds since 1970. */
  readonly newest: bigint;
  /** Every row from this instant on is among the known ones, or new. */
  readonly floor: bigint;
  /** The digests of the known rows since the floor, with their instants. */
  readonly known: ReadonlyMap<string, bigint>;
}

/** Records may come in late by this much, in microseconds: several writers are seldom in step. */
const lateMicros = 10_000_000n;

/** The limit of an event, in characters of its rows. */
const maxLength = 1_000_000;

/** The position after the newest rows that exist already, newest first, at most `limit`. */
export function startPosition(rows: readonly TailRow[], limit: number): TailPosition {
  return advance({ newest: 0n, floor: 0n, known: new Map() }, rows, rows.length >= limit);
}

/**
 * The rows that are new, oldest first, and the position after them. `rows` are the newest ones since the floor, newest
 * first, at most `limit`; further ones may have been left out.
 */
export function takeNew(position: TailPosition, rows: readonly TailRow[], limit: number) {
  const fresh = rows.filter(({ digest }) => !position.known.has(digest));
  const taken = fresh.slice(0, countWithin(fresh));
  const oldest = rows.at(-1);
  const isCut = rows.length >= limit && oldest !== undefined && !position.known.has(oldest.digest);
  return {
    rows: taken.map(({ raw }) => raw).toReversed(),
    hasGap: isCut || taken.length < fresh.length,
    position: advance(position, rows, rows.length >= limit),
  };
}

/** How many rows fit into an event, at least one. */
function countWithin(rows: readonly TailRow[]): number {
  let length = 0;
  const end = rows.findIndex(({ raw }, index) => {
    length += raw.length;
    return index > 0 && length > maxLength;
  });
  return end === -1 ? rows.length : end;
}

function advance(position: TailPosition, rows: readonly TailRow[], isCut: boolean): TailPosition {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return position;
  const newest = later(first.micros, position.newest);
  const complete = later(position.floor, newest - lateMicros);
  const floor = isCut ? later(complete, last.micros) : complete;
  const all = [...position.known, ...rows.map(({ digest, micros }) => [digest, micros] as const)];
  return { newest, floor, known: new Map(all.filter(([, micros]) => micros >= floor)) };
}

function later(one: bigint, other: bigint): bigint {
  return [one, other].reduce((a, b) => (b < a ? a : b));
}

/** More digests would make a header too long. */
const maxPrinted = 20;

/** Prints a position for the header `Last-Event-ID`: the newest instant, and the digests of its rows. */
export function printPosition({ newest, known }: TailPosition): string {
  const digests = [...known].filter(([, micros]) => micros === newest).map(([digest]) => digest);
  return [newest, ...digests.slice(0, maxPrinted)].join('.');
}

/** Reads a printed position; undefined if it is none. */
export function parsePosition(text: string): TailPosition | undefined {
  const [, digits = '', digests = ''] = /^(-?\d{1,18})((?:\.[0-9a-f]{12}){0,20})$/.exec(text) ?? [];
  const newest = digits === '' ? latest + 1n : BigInt(digits);
  if (newest > latest || newest < earliest) return undefined;
  const words = digests.split('.').slice(1);
  return { newest, floor: newest, known: new Map(words.map((digest) => [digest, newest])) };
}

/** The instants that a TIMESTAMP has: the years 1 to 9999. */
const earliest = -62_135_596_800_000_000n;
const latest = 253_402_300_799_999_999n;
