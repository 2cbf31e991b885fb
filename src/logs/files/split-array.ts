/** The state of a split. */
interface Place {
  depth: number;
  inString: boolean;
  isEscaped: boolean;
  /** Whether the current element is still empty. */
  isEmpty: boolean;
  /** Whether a comma came before, so that an element must follow. */
  hasComma: boolean;
  /** Whether an object outside arrays has begun, or has ended and needs a line break. */
  isAlone: boolean;
  /** The first byte of the text: arrays and objects do not mix. */
  outer: number;
  /** Whether anything else occurs outside arrays. */
  hasOther: boolean;
}

const [newline, blank, quote, comma, backslash] = [10, 32, 34, 44, 92];
const [open, close, openObject, closeObject] = [91, 93, 123, 125];

/** The outputs for a byte other than a single byte: nothing, or a line that is not JSON for a missing element. */
const [nothing, notRecord] = [-1, 256];

/**
 * Writes the elements of arrays, and multi-line objects, as lines, from text that arrives in chunks: `[{"a":1},
 * {"b":[2]}]` -> `{"a":1}`, `{"b":[2]}`. A line break becomes a blank; in a string, where JSON allows none, it
 * becomes another invalid character.
 */
export function createArraySplitter() {
  const flags = { inString: false, isEscaped: false, isEmpty: true, hasComma: false };
  const place: Place = { depth: 0, ...flags, isAlone: false, outer: 0, hasOther: false };
  return {
    /** Returns the next chunk as lines or parts of lines. */
    split(chunk: Buffer): Buffer {
      const lines = Buffer.allocUnsafeSlow(2 * chunk.length);
      let length = 0;
      for (let at = 0; at < chunk.length; at += 1) {
        const added = step(place, chunk[at] ?? 0);
        if (added === notRecord) length += lines.write('!\n', length);
        else if (added !== nothing) lines[length++] = added;
      }
      return lines.subarray(0, length);
    },
    /** Whether all chunks so far consist of complete arrays or objects. */
    isArray: () => place.depth === 0 && !place.hasOther,
  };
}

/** Returns the byte to add to the lines, {@link nothing} or {@link notRecord}. */
function step(place: Place, byte: number): number {
  if (place.inString) return stepInString(place, byte);
  if (place.depth === 0) return stepOutside(place, byte);
  if (byte === close || byte === closeObject) {
    place.depth -= 1;
    if (place.isAlone && place.depth === 1) {
      place.depth = 0;
      return byte;
    }
    if (place.depth === 0) return endElement(place, !place.isEmpty || place.hasComma);
  }
  if (byte === comma && place.depth === 1) {
    place.hasComma = true;
    return endElement(place, true);
  }
  if (byte === open || byte === openObject) place.depth += 1;
  return stepInside(place, byte);
}

function stepInString(place: Place, byte: number): number {
  place.inString = place.isEscaped || byte !== quote;
  place.isEscaped = !place.isEscaped && byte === backslash;
  return byte === newline ? 1 : byte;
}

function stepOutside(place: Place, byte: number): number {
  if (place.outer === 0 && byte > blank) place.outer = byte;
  if (byte === open && place.outer === open) {
    place.depth = 1;
    place.hasComma = false;
  } else if (place.isAlone && byte <= blank) {
    place.isAlone = false;
    place.isEmpty = true;
    return newline;
  } else if (byte === openObject && place.outer === openObject && !place.isAlone) {
    // Treat it as an element of an array.
    place.depth = 2;
    place.isAlone = true;
    return byte;
  } else if (byte > blank) place.hasOther = true;
  return nothing;
}

function stepInside(place: Place, byte: number): number {
  if (byte <= blank) return place.isEmpty ? nothing : blank;
  place.isEmpty = false;
  place.inString = byte === quote;
  return byte;
}

function endElement(place: Place, isElement: boolean): number {
  const line = place.isEmpty ? notRecord : newline;
  place.isEmpty = true;
  return isElement ? line : nothing;
}
