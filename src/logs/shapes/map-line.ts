import { isEscaped, isJson, mayHoldWord, withoutWords } from '../../values/json-raw.js';
import { sliceJson } from '../../values/slice-json.js';
import { cutContainer } from './container-prefix.js';
import type { FindTime } from './file-times.js';
import { readJsonTime } from './json-time.js';
import { createLevelFinder } from './level.js';
import type { LevelMapping, Mapping, ProjectMapping } from './mapping.js';
import type { Line, Member, ReadName } from './member.js';
import { createNameReader, decodeLine, encodeLine, quotedMember, recordMembers } from './member.js';
import { nestKeys } from './nest-keys.js';
import { jsonTime } from './record-time.js';
import { readKeyValues, unwrapRecords } from './unwrap.js';
import { createInZone, jsonInZone } from './zone.js';

/** Not JSON, so that the line is counted as bad in its place. */
const notRecord = '!';

/** Marks a mapped line whose record comes from the same line of the file as the record before. */
export const sameLine = ' ';

/**
 * Creates a function that turns one line into a record with the columns of a source: `{"time":1,"msg":"a","pid":2}`
 * -> `{"timestamp":1,"event_message":"a","metadata":{"pid":2}}`. Blank lines stay blank. A line that is not an object
 * is replaced with one that is not JSON: DuckDB reads some invalid lines, and would trust the project that they name.
 * @param findTime the times of records; by default their own
 */
export function createLineMapper(mapping: Mapping, findTime?: FindTime): (line: Line) => Line {
  const readName = createNameReader();
  const write = createRecordMapper(mapping, readName);
  const { records = [], keyValues } = mapping;
  const open = (record: Line) => (keyValues ? readKeyValues(record, readName) : record);
  return (line) => {
    if (/^[ \t\r]*$/.test(line)) return '';
    const [text, container] = line.startsWith('{') ? [line] : cutContainer(line);
    // NaN and infinities are not JSON, but some programs write them, and so does DuckDB.
    const isObject =
      parsesToObject(text) || (mayHoldWord(text) && parsesToObject(withoutWords(text)));
    if (!isObject) return notRecord;
    const all = records.length === 0 ? [text] : unwrapRecords(text, records, readName).map(open);
    const more =
      container === undefined ? [] : [{ ...containerName, raw: quotedMember(container) }];
    const mapped = all.map((record) => {
      if (!/^\s*\{/.test(record)) return notRecord;
      return write([...recordMembers(record, readName), ...more], { whole: record, findTime });
    });
    return mapped.join(`\n${sameLine}`);
  };
}

/** The parts of a record besides its fields. */
export interface RecordText {
  /** Its text, which is its message if it has no other. */
  readonly whole: Line;
  /** Determines its time; by default the record's own time. */
  readonly findTime?: FindTime | undefined;
}

const ownTime: FindTime = (_, time) => time;

/** Creates a function that maps a record's members to the columns of a source, as JSON. */
export function createRecordMapper(
  mapping: Mapping,
  readName: ReadName = createNameReader(),
): (members: readonly Member[], text: RecordText) => Line {
  const toWays = (names: readonly string[]) => names.map((name) => parseWay(name, readName));
  const times = toWays(mapping.timestamp);
  const roles = [mapping.eventMessage, mapping.id].map(toWays);
  const project = prepareProject(mapping.project, toWays);
  const level = mapping.level && prepareLevel(mapping.level, toWays);
  const ways = [times, ...roles, project.ways, level?.ways ?? []].flat();
  const sought = new Set(ways.map(({ name }) => name));
  const columns = new Map(mapping.columns.map((name) => [name.toLowerCase(), quotedMember(name)]));
  const inZone = mapping.timezone === undefined ? undefined : createInZone(mapping.timezone);
  const toInstant = (time: Line) =>
    inZone ? jsonInZone(jsonTime(time, inZone), inZone) : jsonTime(time);
  return (members, { whole, findTime = ownTime }) => {
    const record = { members, sought: members.filter(({ name }) => sought.has(name)) };
    const taken: Member[] = [];
    const take = (ways: readonly Way[]) => takeFirst(ways, record, taken);
    const written = takeFirst(times, record, taken, readJsonTime) ?? take(times);
    const [found, id] = roles.map(take);
    const message = found === undefined ? level && JSON.stringify(whole) : messageText(found);
    const own = project.read(take);
    const time = findTime(own ?? '', written);
    const left = members.filter((member) => !taken.includes(member));
    const [rest, inColumns] = divide(left, columns);
    const others = spread(rest, readName).filter(({ name }) => name !== project.name);
    const metadata = makeMetadata(nestKeys(others, readName), pair(project.field, own));
    const fields = [
      ...pair('"timestamp"', time && toInstant(time)),
      ...pair('"event_message"', message),
      ...pair('"id"', id),
      ...pair(project.field === undefined ? '"project"' : undefined, own),
      ...pair('"level"', level?.read(record, message ?? '')),
      ...inColumns,
      ...pair('"metadata"', metadata),
    ];
    return `{${fields.join(',')}}`;
  };
}

/** Divides members into those that are no column of the source, and pairs of a column and its value. */
function divide(members: readonly Member[], columns: ReadonlyMap<string, Line>) {
  const [others, inColumns]: [Member[], Line[]] = [[], []];
  for (const member of members) {
    const column = columns.get(member.name);
    if (column === undefined) others.push(member);
    else inColumns.push(`${column}:${member.raw}`);
  }
  return [others, inColumns] as const;
}

/** Prepares reading the level of a record, as JSON. */
function prepareLevel(mapping: LevelMapping, toWays: ToWays) {
  const [from, status] = [toWays(mapping.from), toWays(mapping.status)];
  const find = createLevelFinder(mapping);
  const read = (record: SoughtRecord, message: Line): Line | undefined => {
    const found = find(textsAt(from, record), textsAt(status, record), message.slice(1, -1));
    return found && quotedMember(found);
  };
  return { ways: [...from, ...status], read };
}

/** Returns the values at those ways that have one; strings without quotes. */
function textsAt(ways: readonly Way[], { members, sought }: SoughtRecord): readonly Line[] {
  const texts: Line[] = [];
  for (const { name, within } of ways) {
    const raw = sought.find((member) => member.name === name)?.raw ?? within?.(members);
    if (raw !== undefined) texts.push(raw.startsWith('"') ? raw.slice(1, -1) : raw);
  }
  return texts;
}

/**
 * Makes a record of these members and pairs; returns `metadata` itself if it is a list of records and the only
 * member.
 */
function makeMetadata(members: readonly Member[], pairs: readonly Line[]): Line | undefined {
  const [first] = members;
  // The pairs come first, because the first of several equal members counts: no member may replace the project.
  const written = [...pairs, ...members.map(({ key, raw }) => `${key}:${raw}`)];
  if (written.length === 1 && first && isMetadata(first) && first.raw.startsWith('[')) {
    const areRecords = sliceJson(first.raw).every(({ raw }) => raw.startsWith('{'));
    if (areRecords) return first.raw;
  }
  return written.length === 0 ? undefined : `{${written.join(',')}}`;
}

const containerName = { name: 'container', key: '"container"' };

function pair(key: Line | undefined, raw: Line | undefined): readonly Line[] {
  return key === undefined || raw === undefined ? [] : [`${key}:${raw}`];
}

function parsesToObject(line: Line): boolean {
  return /^\s*\{/.test(line) && isJson(line);
}

/** A place where a value may be: a field by its name, else inside other fields. */
interface Way {
  /** Lower case. */
  readonly name: string;
  /** Returns the value at a dotted name, or composes it by a name with braces; absent for any other name. */
  readonly within?: (members: readonly Member[]) => Line | undefined;
}

type ToWays = (names: readonly string[]) => readonly Way[];

/** The members of a record, and those that a mapping asks for by name. */
interface SoughtRecord {
  readonly members: readonly Member[];
  readonly sought: readonly Member[];
}

function parseWay(written: string, readName: ReadName): Way {
  const name = written.toLowerCase();
  if (name.includes('{')) return { name, within: createComposer(name, readName) };
  const path = name.split('.');
  if (path.length === 1) return { name };
  return { name, within: (members) => valueAt(members, path, readName) };
}

/**
 * Returns the value of the first way that has one, and adds its member to those taken; a value inside a record, at a
 * dotted name, also stays in place.
 * @param read returns undefined for what is no value here; by default, everything is one
 */
function takeFirst(
  ways: readonly Way[],
  { members, sought }: SoughtRecord,
  taken: Member[],
  read: (raw: Line) => Line | undefined = (raw) => raw,
): Line | undefined {
  for (const { name, within } of ways) {
    const member = sought.find(
      (each) => each.name === name && each.raw !== 'null' && !taken.includes(each),
    );
    const raw = member?.raw ?? within?.(members);
    const value = raw === undefined || raw === 'null' ? undefined : read(raw);
    if (value === undefined) continue;
    if (member !== undefined) taken.push(member);
    return value;
  }
  return undefined;
}

/** Creates a function that composes a value by a name with braces: `{method} {path}`. */
function createComposer(name: string, readName: ReadName) {
  // Each odd piece is the path in a pair of braces.
  const pieces = name.split(/\{([^{}]+)\}/);
  const paths = pieces.map((piece, at) => (at % 2 === 1 ? piece.split('.') : undefined));
  return (members: readonly Member[]): Line | undefined => {
    const texts = pieces.map((piece, at) => {
      const path = paths[at];
      return path === undefined ? piece : scalarText(valueAt(members, path, readName));
    });
    return texts.includes(undefined) ? undefined : `"${texts.join('')}"`;
  };
}

/** Returns the text of a value, without quotes; undefined for none, an empty one and a container. */
function scalarText(raw: Line | undefined): Line | undefined {
  if (raw === undefined || raw === '""' || /^(?:[[{]|null$)/.test(raw)) return undefined;
  return raw.startsWith('"') ? raw.slice(1, -1) : raw;
}

function prepareProject({ from, otherwise, field }: ProjectMapping, toWays: ToWays) {
  const ways = toWays(from);
  const last = otherwise === undefined ? undefined : quotedMember(otherwise);
  const isNamed = (raw: Line | undefined) => raw !== undefined && raw !== '""' && raw !== 'null';
  return {
    /** The field of `metadata` that holds it, quoted, and its name in lower case. */
    field: field === undefined ? undefined : quotedMember(field),
    name: field?.toLowerCase(),
    ways,
    read(take: (ways: readonly Way[]) => Line | undefined): Line | undefined {
      for (const way of ways) {
        const raw = take([way]);
        if (isNamed(raw)) return raw;
      }
      return last;
    },
  };
}

/** Returns the value at a path of names through records; a list of one element counts as a record. */
function valueAt(
  members: readonly Member[],
  [name, ...path]: readonly string[],
  readName: ReadName,
): Line | undefined {
  const raw = members.find((member) => member.name === name)?.raw;
  if (raw === undefined || path.length === 0) return raw;
  const record = innerRecord(raw);
  return record && valueAt(recordMembers(record, readName), path, readName);
}

function innerRecord(raw: Line): Line | undefined {
  if (raw.startsWith('{')) return raw;
  if (raw.startsWith('"{')) return recordWithin(raw);
  const elements = raw.startsWith('[') ? sliceJson(raw) : [];
  const [only] = elements;
  return elements.length === 1 && only?.raw.startsWith('{') ? only.raw : undefined;
}

/** Parses a record that is written as JSON in a string. */
function recordWithin(raw: Line): Line | undefined {
  const text = encodeLine(JSON.parse(decodeLine(raw)));
  return parsesToObject(text) ? text : undefined;
}

/** Moves the fields of a record's own `metadata` up, so that they stay in `metadata`. */
function spread(members: readonly Member[], readName: ReadName): readonly Member[] {
  if (!members.some(isMetadata)) return members;
  return members.flatMap((member) => {
    if (!isMetadata(member)) return [member];
    const record = innerRecord(member.raw);
    if (record !== undefined) return recordMembers(record, readName);
    return member.raw === 'null' ? [] : [member];
  });
}

function isMetadata({ name }: Member): boolean {
  return name === 'metadata';
}

/**
 * Shows a message that is not a string as its JSON, or decodes it if it is a list of bytes: `journalctl` writes text
 * with control characters in this way. Removes a line break at the end.
 */
function messageText(raw: Line): Line {
  const bytes = raw.startsWith('[') ? readBytes(raw) : undefined;
  if (bytes === undefined && /^[[{]/.test(raw)) return JSON.stringify(raw);
  return withoutLineBreak(
    withoutColours(bytes === undefined ? raw : quotedMember(bytes.toString())),
  );
}

function withoutLineBreak(raw: Line): Line {
  const end = raw.length - 1;
  if (!raw.endsWith('\\n"') || isEscaped(raw, end - 2)) return raw;
  const isWindows = raw.endsWith('\\r\\n"') && !isEscaped(raw, end - 4);
  return `${raw.slice(0, end - (isWindows ? 4 : 2))}"`;
}

/** Removes terminal colours from a string. */
function withoutColours(raw: Line): Line {
  return raw.includes('\\u001') ? raw.replaceAll(/\\u001[bB]\[[\d;?]*[A-Za-z]/g, '') : raw;
}

/** Not a regular expression: it would need a stack as deep as the list is long. */
function readBytes(list: Line): Buffer | undefined {
  if (mayHoldWord(list)) return undefined;
  const values: readonly unknown[] = JSON.parse(list);
  const bytes = values.map((value) => (typeof value === 'number' ? value : Number.NaN));
  const areBytes = bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);
  return bytes.length > 0 && areBytes ? Buffer.from(bytes) : undefined;
}
