import { levelName } from '../../values/levels.js';
import { cutContainer } from './container-prefix.js';
import { compilePattern, type LinearPattern } from './linear-pattern.js';
import { ownValue } from './member.js';
import { openGroup } from './open-group.js';
import type { Groups } from './record-time.js';
import { createTable, type TableLine } from './table.js';
import type { TextShape } from './text-shape.js';

/** The named groups of a line, to which later lines may add. */
export type MutableGroups = { -readonly [name in keyof Groups]: Groups[name] };

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's sequences begin with one.
const colours = /\u001b\[[\d;?]*[A-Za-z]/g;

/** Removes terminal colours, and a carriage return at the end of a line. */
export function cleaned(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.includes('\u001b') ? text.replaceAll(colours, '') : text;
}

/**
 * Matches a line; if it does not match, retries without the name of its container. While a record without a container
 * is pending, a name without a number is text: rows such as `name | value` may be part of its message.
 */
export function matchLine(
  text: string,
  { begin, continued, foreign, isTable }: LineMatcher,
  { hasPending = false, isAlone = false, isPlain = false } = {},
) {
  const match = (line: string, container?: string) => {
    const more = hasPending ? continued(line) : undefined;
    const own = more === undefined ? begin(line, isAlone) : undefined;
    const found = own ?? (more === undefined ? foreign(line) : undefined);
    return { line, container, more, found, isForeign: own === undefined };
  };
  const whole = match(text);
  if (isTable || (whole.more ?? whole.found) !== undefined) return whole;
  const [line, container] = cutContainer(text, isPlain);
  return container === undefined ? whole : match(line, container);
}

/** Matches the lines of a file. */
type LineMatcher = ReturnType<typeof createMatcher>;

/** Creates a matcher for the lines of one file. */
export function createMatcher(shape: TextShape) {
  const { object, table } = shape;
  const [lines, also, besides] = [shape.lines, shape.also, shape.besides].map((all) =>
    all.map((pattern) => linePattern(pattern, shape)),
  );
  /** Matches a line that begins a record; if it is alone, later lines cannot continue it. */
  const begin: (line: string, isAlone?: boolean) => TableLine = table
    ? createTable(table)
    : (line) => (object ? readObject(line, object) : matchAny(lines, line));
  /** Matches a line that continues the record before. */
  const continued = (line: string): Groups | undefined => matchAny(also, line);
  /** Matches a line of another program that begins a record. */
  const foreign = (line: string): Groups | undefined => matchAny(besides, line);
  return { begin, continued, foreign, isTable: table !== undefined };
}

/** Reads the members of a JSON line as groups: strings as they are, other values as JSON. */
function readObject(line: string, names: Readonly<Record<string, string>>): Groups | undefined {
  const members = openGroup.json(line, '')?.map(({ name, raw }) => {
    const text = raw.startsWith('"') ? String(JSON.parse(raw)) : raw;
    return [ownValue(names, name) ?? name, text] as const;
  });
  return members && Object.fromEntries(members);
}

/** The number of characters of a line that patterns read. */
const maxMatched = 32_768;

/** A pattern, and the groups in which a level in capitals means that a line does not fit. */
interface LinePattern extends LinearPattern {
  readonly noLevels: readonly string[];
  /** The patterns inside of its groups. */
  readonly inside: readonly (readonly [name: string, patterns: readonly LinePattern[]])[];
}

function linePattern(
  text: string,
  { noLevels, inside }: Pick<TextShape, 'noLevels' | 'inside'>,
): LinePattern {
  const compiled = compilePattern(text);
  const none = { noLevels: [], inside: {} };
  return {
    ...compiled,
    noLevels: noLevels.filter((name) => compiled.names.includes(name)),
    inside: Object.entries(inside)
      .filter(([name]) => compiled.names.includes(name))
      .map(([name, all]) => [name, all.map((each) => linePattern(each, none))]),
  };
}

function matchAny(patterns: readonly LinePattern[] = [], line: string): MutableGroups | undefined {
  const start = line.length > maxMatched ? line.slice(0, maxMatched) : line;
  for (const { regExp, names, noLevels, inside } of patterns) {
    const match = regExp.exec(start);
    if (match === null) continue;
    const groups = namedGroups(match, names);
    if (noLevels.some((name) => isLevel(groups[name]))) continue;
    const { event_message: message } = groups;
    if (start !== line && message !== undefined && start.endsWith(message))
      groups.event_message = message + line.slice(start.length);
    for (const [name, within] of inside) openInside(groups, name, within);
    return groups;
  }
  return undefined;
}

/** Whether a text is a level in capitals: in lower case, the name of a host may be one, such as `log`. */
const isLevel = (text = '') => text === text.toUpperCase() && levelName(text) !== undefined;

function namedGroups(match: RegExpExecArray, names: LinearPattern['names']): MutableGroups {
  const groups: MutableGroups = {};
  for (const [index, name] of names.entries()) {
    const text = match[index + 1];
    if (name !== undefined && text !== undefined) groups[name] ??= text;
  }
  return groups;
}

/** Replaces a group with those inside of it. */
function openInside(groups: MutableGroups, name: string, patterns: readonly LinePattern[]): void {
  const text = groups[name];
  const found = text === undefined ? undefined : matchAny(patterns, text);
  if (found === undefined) return;
  delete groups[name];
  Object.assign(groups, found);
}
