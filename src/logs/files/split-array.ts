/** Where a split is in the JSON text. */
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
}

/** Writes the elements of arrays as lines, from a text that arrives in chunks. */
export interface ArraySplitter {
  /** The lines, or their parts, of the next chunk. */
  readonly split: (chunk: Buffer) => Buffer;
  /** Whether all chunks together are arrays. */
  readonly isArray: () => boolean;
}

/** No JSON, for an element that is missing. */
const notRecord = '!';

/**
 * Starts to split: `[{"a":1}, {"b":[2]}]` -> `{"a":1}`, `{"b":[2]}`. A line break becomes a blank, and in a string,
 * where JSON allows none, another character that it does not allow.
 */
export function createArraySplitter(): ArraySplitter {
  const flags = { inString: false, isEscaped: false, isEmpty: true, hasComma: false };
  const place: Place = { depth: 0, ...flags, hasOther: false };
  return {
    split(chunk) {
      let lines = '';
      for (const character of chunk.toString('latin1')) lines += step(place, character);
      return Buffer.from(lines, 'latin1');
    },
    isArray: () => place.depth === 0 && !place.hasOther,
  };
}

/** The text that a character adds to the lines. */
function step(place: Place, character: string): string {
  if (place.inString) return stepInString(place, character);
  if (place.depth === 0) return stepOutside(place, character);
  if (character === ']' || character === '}') {
    place.depth -= 1;
    if (place.depth === 0) return endElement(place, !place.isEmpty || place.hasComma);
  }
  if (character === ',' && place.depth === 1) {
    place.hasComma = true;
    return endElement(place, true);
  }
  if (character === '[' || character === '{') place.depth += 1;
  return stepInside(place, character);
}

function stepInString(place: Place, character: string): string {
  place.inString = place.isEscaped || character !== '"';
  place.isEscaped = !place.isEscaped && character === '\\';
  return character === '\n' ? '\x01' : character;
}

function stepOutside(place: Place, character: string): string {
  if (character === '[') {
    place.depth = 1;
    place.hasComma = false;
  } else if (character > ' ') place.hasOther = true;
  return '';
}

function stepInside(place: Place, character: string): string {
  if (character <= ' ') return place.isEmpty ? '' : ' ';
  place.isEmpty = false;
  place.inString = character === '"';
  return character;
}

function endElement(place: Place, isElement: boolean): string {
  const missing = place.isEmpty ? notRecord : '';
  place.isEmpty = true;
  return isElement ? `${missing}\n` : '';
}
