import { cutContainer } from './container-prefix.js';
import type { Mapping } from './mapping.js';
import { cleaned, createMatcher, matchLine } from './match-line.js';
import { readTimeParts, timePieces } from './time-formats.js';

/** A recognized shape, and how many lines fit it. */
export interface Recognized {
  readonly shape: string;
  readonly fitting: number;
  readonly lines: number;
}

/** A JSON record. */
type JsonRecord = Readonly<Record<string, unknown>>;

/** Recognizes the shape of lines that are not blank; undefined if none fits. The shape `text` fits any lines. */
export function recognizeLines(
  lines: readonly string[],
  shapes: Readonly<Record<string, Mapping>>,
): Recognized | undefined {
  const records = lines.map((line) => cutContainer(line)[0]).flatMap(parseRecord);
  const isJson = records.length > 0 && 2 * records.length >= lines.length;
  const { shape, fitting } = isJson
    ? countFitting(recognizeJson(records, shapes), records, shapes)
    : recognizeText(lines.map(cleaned), shapes);
  return shape === undefined ? undefined : { shape, fitting, lines: lines.length };
}

function parseRecord(line: string): readonly JsonRecord[] {
  if (!/^\s*\{/.test(line)) return [];
  try {
    return [JSON.parse(line) as JsonRecord];
  } catch {
    // The first name identifies a truncated line.
    const [, name] = /^\s*\{\s*"(\w+)"\s*:/.exec(line) ?? [];
    return name === undefined ? [] : [{ [name]: null }];
  }
}

/**
 * Returns the shape with the most marks, among those whose marks most records have; the general one if two shapes
 * tie.
 */
function recognizeJson(
  records: readonly JsonRecord[],
  shapes: Readonly<Record<string, Mapping>>,
): string {
  const fits = Object.entries(shapes)
    .flatMap(([shape, { marks = [] }]) => marks.map((set) => ({ shape, marks: set.split(' ') })))
    .filter(
      ({ marks }) => 2 * records.filter((one) => hasMarks(one, marks)).length > records.length,
    );
  const most = Math.max(...fits.map(({ marks }) => marks.length));
  const [found, ...others] = fits.filter(({ marks }) => marks.length === most);
  return found === undefined || others.length > 0 ? generalShape : found.shape;
}

/** Counts the records that fit; for the general shape, those with a time. */
function countFitting(
  shape: string,
  records: readonly JsonRecord[],
  shapes: Readonly<Record<string, Mapping>>,
) {
  const times = shapes[shape]?.timestamp ?? [];
  const hasTime = (record: JsonRecord) => times.some((name) => hasMarks(record, [name]));
  const fitting = shape === generalShape ? records.filter(hasTime) : records;
  return { shape, fitting: fitting.length };
}

/** The JSON shape to use if no other fits. */
const generalShape = 'json';

function hasMarks(record: JsonRecord, marks: readonly string[]): boolean {
  return marks.every((mark) => {
    const [path = '', type] = mark.split(':');
    const value = path in record ? record[path] : valueAt(record, path.split('.'));
    return value !== undefined && (type === undefined || typeof value === type);
  });
}

function valueAt(value: unknown, [name, ...path]: readonly string[]): unknown {
  if (name === undefined) return value;
  return isRecord(value) && name in value ? valueAt(value[name], path) : undefined;
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null;
}

/** Returns the shape of the lowest order that fits, and among equals the one with the longest pattern. */
function recognizeText(lines: readonly string[], shapes: Readonly<Record<string, Mapping>>) {
  const fits = Object.entries(shapes).flatMap(([shape, mapping]) => {
    const { text, order = 0 } = mapping;
    const found = text === undefined ? undefined : fittingLines(lines, mapping);
    if (text === undefined || found === undefined) return [];
    const length = Math.max(...text.lines.map(patternLength), 0);
    return [{ shape, order, length, fitting: found }];
  });
  fits.sort((one, other) => one.order - other.order || other.length - one.length);
  return fits[0] ?? { shape: undefined, fitting: 0 };
}

/** The length of a pattern, without the long pieces for times. */
function patternLength(pattern: string): number {
  const pieces = Object.values(timePieces);
  return pieces.reduce((rest, piece) => rest.replaceAll(piece, ''), pattern).length;
}

/** The lines of a stack trace, except the message. */
const traceLine = /^(?:\s|Traceback \()/;

/**
 * Counts the lines that begin records, if they are at least as many as those that do not fit; if records may have
 * several lines, a tenth or only the first line suffices.
 */
function fittingLines(lines: readonly string[], { text, timestamp }: Mapping): number | undefined {
  if (text === undefined) return undefined;
  const matcher = createMatcher(text);
  const matches = lines.map((line) => matchLine(line, matcher, { hasPending: true }));
  const found = matches.map((match) => (match.isForeign ? undefined : match.found));
  const groups = found.filter((one) => typeof one === 'object');
  const { columns, row } = text.table ?? {};
  // Rows of a table without a header fit only if they begin with a time, or as the table says.
  const rows =
    columns === undefined || row !== undefined
      ? groups
      : groups.filter((one) => readTimeParts(one.timestamp ?? '') !== undefined);
  const times = new Set([...timestamp, 'date']);
  const hasTime = rows.some((row) => Object.keys(row).some((name) => times.has(name)));
  if (text.table !== undefined && !hasTime) return undefined;
  const isJoined = text.others === 'join';
  const isFirst = typeof found[0] === 'object' && isJoined;
  // For a shape of single lines, lines that continue a record, come from another program or belong to a stack trace do
  // not count.
  const strays = matches.filter(
    ({ more, found, line }) => more === undefined && found === undefined && !traceLine.test(line),
  );
  const share = rows.length / (isJoined ? lines.length : rows.length + strays.length);
  const isEnough = share >= (isJoined ? 0.1 : 0.5);
  return isEnough || isFirst || text.otherwise !== undefined ? rows.length : undefined;
}
