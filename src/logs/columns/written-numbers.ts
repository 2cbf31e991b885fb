import { quoteText } from '../../process/quote.js';
import { otherFields } from '../../types/types.js';
import * as raw from '../../values/json-raw.js';
import type { FieldPlan, Plan } from './columns.js';
import { reprintedKinds } from './number-kind.js';
import { recordShape, type Shape } from './shape.js';

/**
 * The places at which values become strings: a value if it is a number, a list of such values, a whole value
 * including lists and objects, or the fields of a record by key.
 */
export type TextAt = 'number' | 'numbers' | 'value' | TextFields;

/** The fields of a record that become strings. */
export interface TextFields {
  /** By key; null for a field that stays as it is. */
  readonly at: Readonly<Record<string, TextAt | null>>;
  /** Whether the record has fields without types, which become one string; then `at` has all fields with types. */
  readonly hasOthers?: true;
}

/**
 * Finds the fields that are read as strings and in which a file has numbers that DuckDB would reprint, `1.1` for
 * `1.10`, and the fields without types; undefined if there are none.
 */
export function findTextFields(
  fields: readonly FieldPlan[],
  record: Shape,
): TextFields | undefined {
  const { fields: found = new Map<string, Shape>(), isPartial } = recordShape(record);
  const typed = fields.filter(({ name }) => name !== otherFields);
  const all = typed.flatMap(({ keys, plan, stored }) =>
    keys.map((key) => {
      const shape = found.get(key);
      return [key, (stored && shape && textAt(plan, shape)) || null] as const;
    }),
  );
  const at = Object.fromEntries(all);
  if (isPartial || [...found.keys()].some((key) => !Object.hasOwn(at, key)))
    return { at, hasOthers: true };
  const texts = all.filter(([, text]) => text !== null);
  return texts.length === 0 ? undefined : { at: Object.fromEntries(texts) };
}

function textAt(plan: Plan, shape: Shape): TextAt | undefined {
  const has = (at: Shape | undefined) => reprintedKinds.some((kind) => at?.scalars.has(kind));
  if (plan.is === 'record') return findTextFields(plan.fields, shape);
  if (plan.type !== 'STRING' && plan.type !== 'NUMERIC') return undefined;
  if (plan.is === 'scalars') return has(shape.elements) ? 'numbers' : undefined;
  if (plan.raw === 'VARCHAR') return hasBelow(shape, has) ? 'value' : undefined;
  return has(shape) ? 'number' : undefined;
}

function hasBelow(shape: Shape, has: (at: Shape) => boolean): boolean {
  const { elements, fields = new Map<string, Shape>(), isPartial } = shape;
  const below = elements ? [elements, ...fields.values()] : [...fields.values()];
  return isPartial || has(shape) || below.some((child) => hasBelow(child, has));
}

/** {@link TextAt} with fields in a map by key as it is usually written: a map finds a key faster than an object. */
type KeyedAt = Exclude<TextAt, TextFields> | KeyedFields;

interface KeyedFields {
  readonly at: ReadonlyMap<string, KeyedAt | null>;
  readonly hasOthers: boolean;
}

function keyedAt(text: TextAt): KeyedAt {
  return typeof text === 'string' ? text : keyedFields(text);
}

function keyedFields({ at, hasOthers }: TextFields): KeyedFields {
  const entries = Object.entries<TextAt | null>(at);
  const keyed = entries.map(([key, text]) => [JSON.stringify(key), text && keyedAt(text)] as const);
  return { at: new Map(keyed), hasOthers: hasOthers === true };
}

/** SQL for JSON whose numbers {@link createQuoter} has quoted. */
export function quotedNumbers(json: string, texts: TextAt | undefined): string {
  if (typeof texts !== 'object') return json;
  return `log_quote_numbers(${json}, ${quoteText(JSON.stringify(texts))})::json`;
}

/** A section of a string and its replacement. */
interface Edit {
  readonly from: number;
  readonly to: number;
  text: string;
}

/**
 * Creates a function that quotes the numbers of a record that become strings, and likewise the JSON of lists and
 * objects: `{"path":1.10}` -> `{"path":"1.10"}`. It replaces the fields without types, but for nulls, by one
 * string. The JSON must be valid, but may use DuckDB's extensions; the result may have a comma after the last member.
 */
export function createQuoter(texts: TextFields): (json: string) => string {
  const fields = keyedFields(texts);
  return (json) => {
    const edits: Edit[] = [];
    visit({ json, edits }, raw.skipBlanks(json, 0), fields);
    let kept = 0;
    let quoted = '';
    for (const { from, to, text } of edits) {
      quoted += json.slice(kept, from) + text;
      kept = to;
    }
    return kept === 0 ? json : quoted + json.slice(kept);
  };
}

interface Visit {
  readonly json: string;
  readonly edits: Edit[];
}

function visit(to: Visit, at: number, text: KeyedAt): void {
  const first = to.json[at];
  if (typeof text === 'string') visitText(to, at, text);
  else if (first === '{') visitMembers(to, at, text);
  else if (first === '[') visitElements(to, at, text);
}

function visitMembers(to: Visit, start: number, { at: fields, hasOthers }: KeyedFields): void {
  const { json, edits } = to;
  // First in its object, because DuckDB reads the first one of equal keys.
  const added: Edit = { from: start + 1, to: start + 1, text: '' };
  edits.push(added);
  const others: string[] = [];
  // Adjacent members without types are moved together: those between these places, which are equal if there are none.
  let [first, last] = [0, 0];
  const move = (next: number) => {
    if (first === last) return;
    others.push(json.slice(first, last));
    edits.push({ from: first, to: next, text: '' });
    first = last;
  };
  // Records may have thousands of members: each one costs little more than its bytes.
  let at = raw.firstItem(json, start);
  while (!raw.isEnd(json, at)) {
    const keyEnd = raw.endOfString(json, at);
    const value = raw.skipBlanks(json, raw.skipBlanks(json, keyEnd) + 1);
    const end = raw.endOfValue(json, value);
    const key = json.slice(at, keyEnd);
    const field = fields.get(key.includes('\\') ? JSON.stringify(JSON.parse(key)) : key);
    if (hasOthers && field === undefined && !json.startsWith('null', value)) {
      if (first === last) first = at;
      last = end;
    } else {
      move(at);
      if (field) visit(to, value, field);
    }
    at = raw.nextAfter(json, end);
  }
  move(at);
  if (others.length === 0) return;
  added.text = `"${otherFields}":${JSON.stringify(raw.compact(`{${others.join(',')}}`))},`;
}

function visitElements(to: Visit, start: number, element: KeyedAt): void {
  for (const { at } of raw.containerItems(to.json, start)) visit(to, at, element);
}

function visitText(to: Visit, at: number, text: 'number' | 'numbers' | 'value'): void {
  const { json, edits } = to;
  const isContainer = json[at] === '[' || json[at] === '{';
  if (text === 'numbers' && json[at] === '[') visitElements(to, at, 'number');
  if (isContainer ? text !== 'value' : !isNumber(json, at)) return;
  const end = raw.endOfValue(json, at);
  const written = json.slice(at, end);
  const quoted = JSON.stringify(isContainer ? raw.compact(written) : written);
  edits.push({ from: at, to: end, text: quoted });
}

/** The words `-Infinity` and `NaN` are not JSON numbers. */
function isNumber(json: string, at: number): boolean {
  const code = json.charCodeAt(json[at] === '-' ? at + 1 : at);
  return code >= 0x30 && code <= 0x39;
}
