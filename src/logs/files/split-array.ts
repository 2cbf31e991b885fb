/** Where a split is in the JSON text, and what it has written of the current chunk. */
interface Place {
  depth: number;
  inString: boolean;
  isEscaped: boolean;
  /** Whether the current element has no character yet. */
  isEmpty: boolean;
  /** Whether the array has a comma, so that an element must follow. */
  hasComma: boolean;
  /** Whether there is something outside of arrays. */
  hasOther: boolean;
  lines: Buffer;
  length: number;
}

/** Writes the elements of arrays as lines, from a text that arrives in chunks. */
export interface ArraySplitter {
  /** The lines, or their parts, of the next chunk. */
  readonly split: (chunk: Buffer) => Buffer;
  /** Whether all chunks together are arrays. */
  readonly isArray: () => boolean;
}

const [newline, blank, quote, comma, backslash] = [10, 32, 34, 44, 92];
const [open, close, openObject, closeObject] = [91, 93, 123, 125];

/** `!` is no JSON, for an element that is missing. */
const notRecord = 33;

/**
 * Starts to split: `[{"a":1}, {"b":[2]}]` -> `{"a":1}`, `{"b":[2]}`. A line break becomes a blank, and in a string,
 * where JSON allows none, another character that it does not allow.
 */
export function createArraySplitter(): ArraySplitter {
  const flags = { inString: false, isEscaped: false, isEmpty: true, hasComma: false };
  const place: Place = { depth: 0, ...flags, hasOther: false, lines: Buffer.alloc(0), length: 0 };
  return {
    split(chunk) {
      // A byte becomes at most a missing element and its line break.
      place.lines = Buffer.allocUnsafeSlow(2 * chunk.length);
      place.length = 0;
      for (let at = 0; at < chunk.length; at += 1) step(place, chunk[at] ?? 0);
      return place.lines.subarray(0, place.length);
    },
    isArray: () => place.depth === 0 && !place.hasOther,
  };
}

/** Writes what a byte adds to the lines. */
function step(place: Place, byte: number): void {
  if (place.inString) stepInString(place, byte);
  else if (place.depth === 0) stepOutside(place, byte);
  else if (place.depth > 1) stepInside(place, byte);
  else stepBetween(place, byte);
}

/** A step where an element may end. */
function stepBetween(place: Place, byte: number): void {
  if (byte === comma) {
    place.hasComma = true;
    endElement(place, true);
  } else if (byte === close || byte === closeObject) {
    place.depth = 0;
    endElement(place, !place.isEmpty || place.hasComma);
  } else stepInside(place, byte);
}

function write(place: Place, byte: number): void {
  place.lines[place.length] = byte;
  place.length += 1;
}

function stepInString(place: Place, byte: number): void {
  place.inString = place.isEscaped || byte !== quote;
  place.isEscaped = !place.isEscaped && byte === backslash;
  write(place, byte === newline ? 1 : byte);
}

function stepOutside(place: Place, byte: number): void {
  if (byte === open) {
    place.depth = 1;
    place.hasComma = false;
  } else if (byte > blank) place.hasOther = true;
}

function stepInside(place: Place, byte: number): void {
  if (byte > blank) {
    place.isEmpty = false;
    place.inString = byte === quote;
    if (byte === open || byte === openObject) place.depth += 1;
    else if (byte === close || byte === closeObject) place.depth -= 1;
    write(place, byte);
  } else if (!place.isEmpty) write(place, blank);
}

function endElement(place: Place, isElement: boolean): void {
  if (isElement && place.isEmpty) write(place, notRecord);
  if (isElement) write(place, newline);
  place.isEmpty = true;
}
