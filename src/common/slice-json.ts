/** A member of a JSON object (its name) or an element of an array (no name), as the text wrote it. */
export interface JsonSlice {
  readonly name: string;
  readonly raw: string;
}

/**
 * Cuts a JSON object or array, known to be valid, into its members: `{"n":9007199254740993}` ->
 * `[{ name: 'n', raw: '9007199254740993' }]`. Numbers keep all their digits, which JSON.parse rounds:
 * its access to the source text came after Node 20.
 * @throws SyntaxError for a name that is no string, in a text that is not valid after all
 */
export function sliceJson(text: string): readonly JsonSlice[] {
  const slices: JsonSlice[] = [];
  let name = '';
  for (const { raw, end } of pieces(text)) {
    if (end === ':') name = readName(raw);
    else if (raw !== '') slices.push({ name, raw });
  }
  return slices;
}

/** JSON.parse would also take thousands of brackets, slowly, and what it gives would be no text. */
function readName(raw: string): string {
  if (!raw.startsWith('"')) throw new SyntaxError('a name must be a string');
  return JSON.parse(raw);
}

/** How many members or elements there are, at most one more than `most`; the text need not be valid. */
export function countSlices(text: string, most: number): number {
  let count = 0;
  for (const { raw, end } of pieces(text)) {
    if (end !== ':' && raw !== '') count += 1;
    if (count > most) break;
  }
  return count;
}

const steps: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 };

/** What stands before each colon, comma and closing bracket of the outermost object or array. */
function* pieces(text: string): Generator<{ readonly raw: string; readonly end: string }> {
  let depth = 0;
  let start = text.search(/[{[]/) + 1;
  for (let at = 0; at < text.length; at += 1) {
    const end = text[at] ?? '';
    if (end === '"') at = endOfString(text, at);
    const step = steps[end] ?? 0;
    depth += step;
    const isEnd = step === 0 ? depth === 1 && (end === ',' || end === ':') : depth === 0;
    if (!isEnd) continue;
    yield { raw: text.slice(start, at).trim(), end };
    start = at + 1;
  }
}

/** The place of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
