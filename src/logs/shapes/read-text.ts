import { type FindTime, fileTime } from './file-times.js';
import type { createRecordMapper } from './map-line.js';
import { cleaned, createMatcher, type MutableGroups, matchLine } from './match-line.js';
import type { FieldText, Line, Member } from './member.js';
import {
  decodeLine,
  encodeLine,
  memberName,
  ownValue,
  quotedMember,
  remembered,
  toMember,
} from './member.js';
import { groupText, openGroup } from './open-group.js';
import { type Groups, isTimePart, recordTime, type TimeFacts } from './record-time.js';
import type { OpenForm, TextShape } from './text-shape.js';

/** Reads the lines of a file one after another. */
export interface TextReader {
  /** Returns the JSON lines that this line completes, each with its line break: overall as many as it was given. */
  readonly read: (line: Line) => Line;
  /** Returns the remaining lines at the end of the file. */
  readonly end: () => Line;
}

/** The properties of a file besides its lines. */
export interface TextFacts extends TimeFacts {
  /** Determines times; by default, records without a time get the file's. */
  readonly findTime?: FindTime;
}

/** A record that may continue on more lines. */
interface Pending {
  readonly groups: MutableGroups;
  /** Its first line. */
  readonly whole: string;
  /** The treatment of lines that do not fit. */
  readonly others: TextShape['others'];
  /** The group that extra lines are appended to. */
  sink: string;
  /** The number of its lines, and of blank ones at the end. */
  lines: number;
  blanks: number;
  /** In characters. */
  size: number;
}

/** The maximum length of a record, in characters and lines. */
const maxRecord = 1_000_000;
const maxLines = 1_000;

/** A line that counts as bad. */
const skipped = '!\n';

/** The state of reading a file. */
interface Reading {
  readonly shape: TextShape;
  readonly write: ReturnType<typeof createRecordMapper>;
  readonly facts: TextFacts;
  readonly groupRule: (name: string) => GroupRule;
  /** The record before the next line. */
  pending: Pending | undefined;
  /** The records that lack their last part, by stream. */
  readonly parts: Map<string, Pending>;
  /** The first lines of an unfinished row. */
  held: Line[];
}

/** Creates a reader of one file. */
export function createTextReader(
  shape: TextShape,
  write: Reading['write'],
  facts: TextFacts,
): TextReader {
  const matcher = createMatcher(shape);
  const empty = { pending: undefined, parts: new Map<string, Pending>(), held: [] };
  const reading: Reading = { shape, write, facts, groupRule: remembered(ruleIn(shape)), ...empty };
  const begin = shape.parts === undefined ? beginRecord : beginPart;
  /** Reads held lines one by one: the first one begins no row. */
  const readApart = ([, ...lines]: readonly Line[]): Line => {
    reading.held = [];
    return `${flush(reading)}${skipped}${lines.map((line) => read(line, true)).join('')}`;
  };
  function read(written: Line, isAlone = false): Line {
    const { pending, held } = reading;
    const text = cleaned(decodeLine(written));
    const isPlain = pending !== undefined && pending.groups['container'] === undefined;
    const how = { hasPending: pending !== undefined, isAlone, isPlain };
    const { line, container, more, found, isForeign } = matchLine(text, matcher, how);
    if (found === 'more') {
      held.push(written);
      return '';
    }
    const begun = found ?? repeated(reading, more);
    if (typeof begun === 'object') {
      const others = isForeign ? 'join' : shape.others;
      return begin(reading, inContainer(begun, container), { line, others });
    }
    if (held.length > 0) return readApart([...held, written]);
    if (found === 'header') return `${flush(reading)}\n`;
    return goOn(reading, container === pending?.groups['container'] ? line : text, more);
  }
  return {
    read: (line) => read(line),
    end() {
      const rest = reading.held.length > 0 ? readApart(reading.held) : '';
      const parts = [...reading.parts.values()].map((part) => finish(reading, part));
      return `${rest}${flush(reading)}${parts.join('')}`;
    },
  };
}

/** The groups of a line that continues a record, if the record already has the group that it has once. */
function repeated({ shape, pending }: Reading, more: Groups | undefined): Groups | undefined {
  const { once = '' } = shape;
  return more?.[once] === undefined || pending?.groups[once] === undefined ? undefined : more;
}

function finish(reading: Reading, record: Pending): Line {
  const { write, facts } = reading;
  const { groups, whole } = record;
  const members = recordMembers(reading, groups);
  const message = encodeLine(groups.event_message ?? whole);
  const { writtenMs, findTime = (_, time) => time ?? fileTime(writtenMs) } = facts;
  const text = write(members, { whole: message, findTime });
  return `${text}${'\n'.repeat(record.lines)}`;
}

function flush(reading: Reading): Line {
  const { pending } = reading;
  reading.pending = undefined;
  return pending === undefined ? '' : finish(reading, pending);
}

function inContainer(groups: Groups, container: string | undefined): MutableGroups {
  return container === undefined ? groups : { ...groups, container };
}

/** The first line of a record, and the treatment of those after it that do not fit. */
interface Begun {
  readonly line: string;
  readonly others: TextShape['others'];
}

function beginRecord(reading: Reading, groups: MutableGroups, { line, others }: Begun): Line {
  const { shape, pending, held } = reading;
  if (pending !== undefined && attach(shape, pending, groups)) return '';
  const done = flush(reading);
  const whole = [...held.map(decodeLine), line].join('\n');
  reading.pending = { ...newRecord(groups, whole, held.length + 1), others };
  reading.held = [];
  return done;
}

function beginPart(reading: Reading, groups: MutableGroups, { line }: Begun): Line {
  const { shape, parts } = reading;
  const { by = '', flag } = shape.parts ?? {};
  const stream = groups[by] ?? '';
  const { event_message: message = '' } = groups;
  const isLast = isLastPart(shape, groups);
  if (flag === undefined && isLast) groups.event_message = message.slice(0, -1);
  const before = parts.get(stream);
  const record = before ?? newRecord(groups, line, 1);
  if (before !== undefined) {
    before.groups.event_message = `${before.groups.event_message ?? ''}${groups.event_message ?? ''}`;
    before.size = before.groups.event_message.length;
  }
  parts.delete(stream);
  if (isLast || isFull(record)) return finish(reading, record);
  parts.set(stream, record);
  return '\n';
}

/** Whether this is the last part of a record. */
export function isLastPart({ parts: how }: TextShape, groups: Groups): boolean {
  if (how?.flag === undefined) return groups.event_message?.endsWith('\n') ?? false;
  return groups[how.flag] !== how.partial;
}

/** Handles a line that does not begin a record. */
function goOn(reading: Reading, line: string, more: Groups | undefined): Line {
  const { pending } = reading;
  const isBlank = line.trim() === '';
  if (pending === undefined) return isBlank ? '\n' : skipped;
  const isStray = more === undefined && !isBlank && pending.others === 'skip';
  if (isStray || isFull(pending)) return `${flush(reading)}${isBlank ? '\n' : skipped}`;
  append(pending, line, more);
  return '';
}

function newRecord(groups: MutableGroups, whole: string, lines: number): Pending {
  return { groups, whole, others: 'join', sink: 'event_message', lines, blanks: 0, size: 0 };
}

function isFull({ lines, size }: Pending): boolean {
  return lines >= maxLines || size > maxRecord;
}

/** Appends a line to a record. */
function append(record: Pending, written: string, more: Groups | undefined): void {
  const isBlank = written.trim() === '';
  record.lines += 1;
  record.size += written.length;
  record.blanks += isBlank ? 1 : 0;
  if (isBlank) return;
  const { event_message: text = more === undefined ? written : undefined, ...others } = more ?? {};
  Object.assign(record.groups, others);
  if (text === undefined) return;
  const { sink, blanks, groups } = record;
  const before = groups[sink] ?? '';
  const line = text.trimEnd();
  groups[sink] = before === '' ? line : `${before}${'\n'.repeat(blanks + 1)}${line}`;
  record.blanks = 0;
}

/** Stores a line's message as a field of the record before, if the line belongs to it. */
function attach({ attach: how }: TextShape, record: Pending, groups: Groups): boolean {
  const value = how && groups[how.name];
  if (how === undefined || value === undefined || !how.values.includes(value)) return false;
  if (groups[how.same] !== record.groups[how.same] || isFull(record)) return false;
  record.sink = value.toLowerCase();
  const before = record.groups[record.sink];
  const text = groups.event_message ?? '';
  record.groups[record.sink] = before === undefined ? text : `${before}\n${text}`;
  record.size += text.length;
  record.lines += 1;
  return true;
}

/** The treatment of the groups of one name. */
interface GroupRule extends Pick<Member, 'name' | 'key'> {
  readonly words: Readonly<Record<string, string>> | undefined;
  readonly factor: TextShape['scale'][string] | undefined;
  readonly form: OpenForm | undefined;
}

function ruleIn({ words, scale, open }: TextShape) {
  return (name: string): GroupRule => ({
    ...memberName(name),
    words: ownValue(words, name),
    factor: ownValue(scale, name),
    form: ownValue(open, name),
  });
}

/** Returns the fields in the groups of a record. */
function recordMembers(reading: Reading, groups: Groups): readonly Member[] {
  const { shape, facts, groupRule } = reading;
  const isTable = shape.table !== undefined;
  const time = recordTime(groups, facts, isTable);
  const members = time === undefined ? [] : [toMember({ name: 'timestamp', raw: groupText(time) })];
  for (const name in groups) {
    const text = groups[name];
    if (text === undefined || shape.missing.includes(text)) continue;
    if (time !== undefined && isTimePart(name, groups, isTable)) continue;
    const rule = groupRule(name);
    const opened = openField(rule, name, text)?.map(toMember);
    for (const each of opened ?? [oneMember(rule, text, isTable)]) members.push(each);
  }
  return members;
}

/** Returns the member of a group that is a field by itself. */
function oneMember({ name, key, words }: GroupRule, text: string, isTable: boolean): Member {
  const word = (words && ownValue(words, text)) ?? text;
  return { name, key, raw: isTable ? encodeLine(groupText(word)) : quotedMember(word) };
}

/**
 * Returns the fields in a group that has a form or a factor; undefined for any other group, and if it has no fields.
 */
function openField(
  { factor, form }: GroupRule,
  name: string,
  text: string,
): readonly FieldText[] | undefined {
  if (typeof factor === 'number') return [{ name, raw: scaled(text, factor) }];
  const [, number = '', unit = ''] = (factor && /^([\d.]+)([^\d.]+)$/.exec(text)) ?? [];
  const ofUnit = factor && ownValue(factor, unit);
  if (ofUnit !== undefined) return [{ name, raw: scaled(number, ofUnit) }];
  const inside = form && openGroup[form](text, name);
  const isKept = form === 'pairs' && name === 'event_message';
  return inside && isKept ? [{ name, raw: JSON.stringify(text) }, ...inside] : inside;
}

/** Returns a number times a factor as JSON; any other text as a string. */
function scaled(text: string, factor: number): string {
  const product = Number((Number(text) * factor).toPrecision(15));
  return Number.isFinite(product) ? String(product) : JSON.stringify(text);
}
