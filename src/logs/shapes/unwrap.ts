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

/** What is deeper stays as it is; records of more levels are not read. */
const maxDepth = 64;

/** The names of OpenTelemetry for the types of values. */
const valueTypes: ReadonlySet<string> = new Set(
  'stringValue boolValue intValue doubleValue bytesValue arrayValue kvlistValue'.split(' '),
);

/** A value in which lists of keys and values become objects: `[{"key":"a","value":{"intValue":"1"}}]` -> `{"a":1}`. */
export function readKeyValues(raw: Line, depth = 0): Line {
  if (depth > maxDepth || !/^[[{]/.test(raw)) return raw;
  const read = (value: Line) => readKeyValues(value, depth + 1);
  const members = sliceJson(raw);
  const [first] = members;
  if (raw.startsWith('[')) {
    const pairs = members.map(readPair);
    const areAll = pairs.length > 0 && pairs.every((pair) => pair !== undefined);
    return areAll ? mapMembers(pairs, read) : `[${members.map((one) => read(one.raw)).join(',')}]`;
  }
  const isTyped = members.length === 1 && first !== undefined && valueTypes.has(first.name);
  return isTyped ? read(plainValue(first)) : mapMembers(members, read);
}

function mapMembers(members: readonly JsonSlice[], read: (raw: Line) => Line): Line {
  return objectOf(members.map(({ name, raw }) => ({ name, raw: read(raw) })));
}

/** A key and its value, which are not read yet. */
function readPair({ raw }: JsonSlice): JsonSlice | undefined {
  const members = raw.startsWith('{') ? sliceJson(raw) : [];
  const [key, value] = ['key', 'value'].map((name) => members.find((each) => each.name === name));
  if (key === undefined || value === undefined || members.length !== 2) return undefined;
  return key.raw.startsWith('"') ? { name: JSON.parse(key.raw), raw: value.raw } : undefined;
}

/** `intValue`, `"1"` -> `1`; `kvlistValue`, `{"values":[…]}` -> the list */
function plainValue({ name, raw }: JsonSlice): Line {
  if (name === 'intValue') return /^"-?\d+"$/.test(raw) ? raw.slice(1, -1) : raw;
  return (
    (/^(?:array|kvlist)/.test(name) && raw.startsWith('{') ? sliceJson(raw)[0]?.raw : undefined) ??
    raw
  );
}
