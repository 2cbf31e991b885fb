import { isJson } from '../../values/json-raw.js';
import { sliceJson } from '../../values/slice-json.js';
import type { FieldText } from './member.js';
import type { OpenForm } from './text-shape.js';

/** Reads the fields in a group's text; undefined if it is not written in this form. */
export type OpenGroup = (text: string, name: string) => readonly FieldText[] | undefined;

/** The reader of each form. */
export const openGroup: Readonly<Record<OpenForm, OpenGroup>> = {
  json: readObject,
  value: (text, name) => readObject(`{${JSON.stringify(name)}:${text}}`),
  pairs: readPairs,
  structured: readStructured,
  priority: readPriority,
};

function readObject(text: string): readonly FieldText[] | undefined {
  return text.startsWith('{') && isJson(text) ? sliceJson(text) : undefined;
}

const quoted = String.raw`"([^"\\]*(?:\\.[^"\\]*)*)"`;
// Lograge does not escape single quotes inside single quotes: those at the end of a value end it.
const single = String.raw`'(.{0,1000}?)'(?=\s+[\w.@/-]{1,100}=|\s*$)`;
const pairPattern = (value: string) =>
  new RegExp(String.raw`([^\s="]+)(?:=(?:${value}|(\S*)))?\s*`, 'gy');
const pair = {
  inFields: pairPattern(`${quoted}|${single}`),
  // Its second group never matches: an apostrophe in a message is no quote.
  inMessage: pairPattern(`${quoted}|(?!)()`),
};

/** `a=1 b="x y" c='z' d` -> a: 1, b: "x y", c: "z", d: true; in a message, bare words are not fields. */
function readPairs(text: string, group: string): readonly FieldText[] {
  const found: FieldText[] = [];
  const isMessage = group === 'event_message';
  const pairs = text.matchAll(isMessage ? pair.inMessage : pair.inFields);
  for (const [, name = '', escaped, asWritten, bare] of pairs) {
    const unescaped =
      asWritten ?? escaped?.replaceAll(/\\(.)/gs, (_, char: string) => escapes[char] ?? char);
    if (unescaped !== undefined) found.push({ name, raw: JSON.stringify(unescaped) });
    else if (bare === undefined && !isMessage) found.push({ name, raw: 'true' });
    else if (bare) found.push({ name, raw: groupText(bare) });
  }
  return found;
}

const number = /^-?(?:0|[1-9]\d{0,17})(?:\.\d+)?$/;

/** A value as JSON: a number or boolean as it is, anything else as a string. */
export function groupText(text: string): string {
  return number.test(text) || text === 'true' || text === 'false' ? text : JSON.stringify(text);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

const element = /\[([^\s\]="]+)((?: [^\s\]="]+="[^"\\\]]*(?:\\.[^"\\\]]*)*")*)\]/gy;

/** `[id a="1" b="2"]` -> structured_data: {"id": {"a": "1", "b": "2"}} */
function readStructured(text: string, name: string): readonly FieldText[] {
  const elements: Record<string, unknown> = {};
  for (const [, id = '', values = ''] of text.matchAll(element)) {
    const fields = readPairs(values.trim(), name).map((one) => [one.name, JSON.parse(one.raw)]);
    elements[id] = Object.fromEntries(fields);
  }
  return [{ name, raw: JSON.stringify(elements) }];
}

/** `134` -> facility: 16, severity: 6 */
function readPriority(text: string): readonly FieldText[] {
  const priority = Number(text);
  return [
    { name: 'facility', raw: String(priority >> 3) },
    { name: 'severity', raw: String(priority & 7) },
  ];
}
