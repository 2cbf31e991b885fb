import { type JsonSlice, sliceJson } from '../../common/slice-json.js';
import type { Line } from './member.js';

/**
 * The records in the lists to which a path leads: `{"a":1,"Records":[{"b":2}]}` -> `{"a":1,"b":2}`. A record without the lists is
 * the only one.
 */
export function unwrapRecords(record: Line, [name, ...path]: readonly string[]): readonly Line[] {
  const members = name === undefined ? [] : sliceJson(record);
  const list = members.find((member) => member.name === name)?.raw;
  if (list === undefined || !list.startsWith('[')) return [record];
  const others = members.filter((member) => member.name !== name);
  const elements = sliceJson(list).filter(({ raw }) => raw.startsWith('{'));
  return elements.flatMap(({ raw }) => {
    const own = sliceJson(raw);
    const names = new Set(own.map((member) => member.name));
    return unwrapRecords(
      objectOf([...others.filter((each) => !names.has(each.name)), ...own]),
      path,
    );
  });
}

function objectOf(members: readonly JsonSlice[]): Line {
  return `{${members.map(({ name, raw }) => `${JSON.stringify(name)}:${raw}`).join(',')}}`;
}

/** The names of OpenTelemetry for the types of values. */
const valueTypes: ReadonlySet<string> = new Set([
  ...['stringValue', 'boolValue', 'intValue', 'doubleValue', 'bytesValue'],
  ...['arrayValue', 'kvlistValue'],
]);

/** A value in which lists of keys and values become objects: `[{"key":"a","value":{"intValue":"1"}}]` -> `{"a":1}`. */
export function readKeyValues(raw: Line): Line {
  if (raw.startsWith('[')) {
    const elements = sliceJson(raw);
    const pairs = elements.map((element) => readPair(element.raw));
    if (pairs.length > 0 && pairs.every((pair) => pair !== undefined)) return objectOf(pairs);
    return `[${elements.map((element) => readKeyValues(element.raw)).join(',')}]`;
  }
  if (!raw.startsWith('{')) return raw;
  const members = sliceJson(raw);
  const [first] = members;
  if (members.length === 1 && first !== undefined && valueTypes.has(first.name))
    return plainValue(first);
  return objectOf(members.map(({ name, raw: value }) => ({ name, raw: readKeyValues(value) })));
}

function readPair(raw: Line): JsonSlice | undefined {
  const members = raw.startsWith('{') ? sliceJson(raw) : [];
  const [key, value] = ['key', 'value'].map((name) => members.find((each) => each.name === name));
  if (key === undefined || value === undefined || members.length !== 2) return undefined;
  return { name: String(JSON.parse(key.raw)), raw: readKeyValues(value.raw) };
}

/** `intValue`, `"1"` -> `1`; `kvlistValue`, `{"values":[…]}` -> an object */
function plainValue({ name, raw }: JsonSlice): Line {
  if (name === 'intValue') return raw.replaceAll('"', '');
  const values = name.endsWith('Value') && raw.startsWith('{') ? sliceJson(raw)[0]?.raw : undefined;
  return values === undefined ? raw : readKeyValues(values);
}
