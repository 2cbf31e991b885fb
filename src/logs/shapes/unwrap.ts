import { sliceJson } from '../../values/slice-json.js';
import { type Line, type Member, type ReadName, recordMembers } from './member.js';

/** A member as written. */
type Written = Pick<Member, 'key' | 'raw'>;

/** The maximum number of bytes of the members outside a list, after copying them into each of its records. */
const maxCopied = 16_000_000;

/**
 * Returns the records in the lists at a path: `{"a":1,"Records":[{"b":2}]}` -> `{"a":1,"b":2}`. A record without the
 * lists is the only one. An element that is not a record stays as it is. Leaves out the members outside a list if
 * copying them would make the text too long.
 */
export function unwrapRecords(
  record: Line,
  [name, ...path]: readonly string[],
  readName: ReadName,
): readonly Line[] {
  const members = name === undefined ? [] : recordMembers(record, readName);
  const list = members.find((member) => member.name === name?.toLowerCase());
  if (!list?.raw.startsWith('[')) return [record];
  const others = members.filter((member) => member !== list);
  const elements = sliceJson(list.raw);
  const isLong = (record.length - list.raw.length) * elements.length > maxCopied;
  return elements.flatMap(({ raw }) => {
    if (!raw.startsWith('{')) return [raw];
    const own = recordMembers(raw, readName);
    const names = new Set(own.map((member) => member.name));
    const outer = isLong ? [] : others.filter((member) => !names.has(member.name));
    return unwrapRecords(writeObject([...outer, ...own]), path, readName);
  });
}

function writeObject(members: readonly Written[]): Line {
  return `{${members.map(({ key, raw }) => `${key}:${raw}`).join(',')}}`;
}

/** Deeper values stay as they are; records with more levels are not loaded. */
const maxDepth = 64;

/** OpenTelemetry's names for the types of values, in lower case. */
const valueTypes: ReadonlySet<string> = new Set(
  'stringvalue boolvalue intvalue doublevalue bytesvalue arrayvalue kvlistvalue'.split(' '),
);

/** Converts lists of keys and values to objects: `[{"key":"a","value":{"intValue":"1"}}]` -> `{"a":1}`. */
export function readKeyValues(raw: Line, readName: ReadName, depth = 0): Line {
  if (depth > maxDepth || !/^[[{]/.test(raw)) return raw;
  const read = (value: Line) => readKeyValues(value, readName, depth + 1);
  const map = (members: readonly Written[]) =>
    writeObject(members.map((member) => ({ key: member.key, raw: read(member.raw) })));
  if (raw.startsWith('[')) {
    const elements = sliceJson(raw).map((element) => element.raw);
    const pairs = elements.map((element) => readPair(element, readName));
    const areAll = pairs.length > 0 && pairs.every((pair) => pair !== undefined);
    return areAll ? map(pairs) : `[${elements.map(read).join(',')}]`;
  }
  const members = recordMembers(raw, readName);
  const [first] = members;
  const isTyped = members.length === 1 && first !== undefined && valueTypes.has(first.name);
  return isTyped ? read(plainValue(first, readName)) : map(members);
}

/** Returns a key and its unconverted value. */
function readPair(raw: Line, readName: ReadName): Written | undefined {
  const members = raw.startsWith('{') ? recordMembers(raw, readName) : [];
  const [key, value] = ['key', 'value'].map((name) => members.find((each) => each.name === name));
  if (key === undefined || value === undefined || members.length !== 2) return undefined;
  return key.raw.startsWith('"') ? { key: key.raw, raw: value.raw } : undefined;
}

/** `intValue`, `"1"` -> `1`; `kvlistValue`, `{"values":[…]}` -> the list */
function plainValue({ name, raw }: Member, readName: ReadName): Line {
  if (name === 'intvalue') return /^"-?\d{1,19}"$/.test(raw) ? raw.slice(1, -1) : raw;
  const isList = /^(?:array|kvlist)/.test(name) && raw.startsWith('{');
  return (isList ? recordMembers(raw, readName)[0]?.raw : undefined) ?? raw;
}
