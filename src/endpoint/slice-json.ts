/** A member of a JSON object (its name) or an element of an array (no name), as the text wrote it. */
export interface JsonSlice {
  readonly name: string;
  readonly raw: string;
}

/**
 * Cuts a JSON object or array, known to be valid, into its members: `{"n":9007199254740993}` ->
 * `[{ name: 'n', raw: '9007199254740993' }]`. Numbers keep all their digits, which JSON.parse rounds:
 * its access to the source text came after Node 20.
 */
export function sliceJson(text: string): readonly JsonSlice[] {
  const slices: JsonSlice[] = [];
  let name = '';
  for (const { raw, end } of pieces(text)) {
    if (end === ':') name = JSON.parse(raw);
    else if (raw !== '') slices.push({ name, raw });
  }
  return slices;
}

// The string is unrolled so that a long one costs no stack.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

const steps: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 };

/** What stands before each colon, comma and closing bracket of the outermost object or array. */
function* pieces(text: string): Generator<{ readonly raw: string; readonly end: string }> {
  let depth = 0;
  let start = text.search(/[{[]/) + 1;
  for (const { 0: end, index } of text.matchAll(tokens)) {
    depth += steps[end] ?? 0;
    if (depth > 1 || (depth === 1 && end !== ',' && end !== ':')) continue;
    yield { raw: text.slice(start, index).trim(), end };
    start = index + 1;
  }
}
