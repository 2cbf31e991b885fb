/** A row, as JSON. */
export interface TailRow {
  readonly raw: string;
  /** 12 hexadecimal digits that distinguish rows with the same time. */
  readonly digest: string;
  /** Its time, in microseconds since 1970. */
  readonly micros: bigint;
}

/** The position of a tail. */
export interface TailPosition {
  /** The newest time, in microseconds since 1970. */
  readonly newest: bigint;
  /** Every row from this time on is either known or new. */
  readonly floor: bigint;
  /** The digests of the known rows since the floor, with their times. */
  readonly known: ReadonlyMap<string, bigint>;
}

/** The maximum delay of late records, in microseconds: several writers are seldom in sync. */
const lateMicros = 10_000_000n;

/** The limit of an event, in characters of its rows. */
const maxLength = 1_000_000;

/** Returns the position after the existing rows; `rows` are the newest of them, newest first, at most `limit`. */
export function startPosition(rows: readonly TailRow[], limit: number): TailPosition {
  return advance({ newest: 0n, floor: 0n, known: new Map() }, rows, rows.length >= limit);
}

/**
 * Returns the new rows, oldest first, and the position after them. `rows` are the newest rows since the floor, newest
 * first, at most `limit`; older ones may be missing.
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

/** Returns how many rows fit into an event, at least one. */
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

/** Prints a position for the header `Last-Event-ID`: the newest time, and the digests of its rows. */
export function printPosition({ newest, known }: TailPosition): string {
  const digests = [...known].filter(([, micros]) => micros === newest).map(([digest]) => digest);
  return [newest, ...digests.slice(0, maxPrinted)].join('.');
}

/** Reads a printed position; undefined if it is not a position. */
export function parsePosition(text: string): TailPosition | undefined {
  const [, digits = '', digests = ''] = /^(-?\d{1,18})((?:\.[0-9a-f]{12}){0,20})$/.exec(text) ?? [];
  const newest = digits === '' ? latest + 1n : BigInt(digits);
  if (newest > latest || newest < earliest) return undefined;
  const words = digests.split('.').slice(1);
  return { newest, floor: newest, known: new Map(words.map((digest) => [digest, newest])) };
}

/** The range of a TIMESTAMP: the years 1 to 9999. */
const earliest = -62_135_596_800_000_000n;
const latest = 253_402_300_799_999_999n;
