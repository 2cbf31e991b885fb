import { QueryFault } from '../../errors/query-fault.js';
import { levels } from '../../values/levels.js';
import { type LqlCursor, quoteForMessage } from './lql-cursor.js';
import type { LqlField, LqlPath, LqlTest, LqlText, LqlTime, LqlWord } from './lql-tree.js';
import { lqlComparisons } from './lql-words.js';
import { parseDates, parseMoment, splitRange } from './parse-moment.js';

const operatorPattern = /:(?:@>~|@>|>=|<=|>|<|~)?/y;

/** The maximum number of parts of a path: four times BigQuery's nesting limit for records. */
const maxParts = 60;

/**
 * Parses `a.b.c`; a leading `m.` means `metadata.`.
 * @throws QueryFault for an empty part or too many parts
 */
export function parsePath(cursor: LqlCursor): LqlPath {
  const { text, at } = cursor.word(/[\p{L}_][\p{L}\p{N}_.-]*/uy, 'a path');
  const parts: LqlWord[] = [];
  let partAt = at;
  for (const name of text.split('.', maxParts + 1)) {
    if (name === '') throw new QueryFault('Syntax error: A part of the path is empty', partAt);
    if (parts.length === maxParts) {
      throw new QueryFault(`A path has at most ${maxParts} parts`, partAt);
    }
    parts.push({ text: name, at: partAt });
    partAt += name.length + 1;
  }
  const isShort = parts.length > 1 && parts[0]?.text === 'm';
  return { parts: isShort ? [{ text: 'metadata', at }, ...parts.slice(1)] : parts, at };
}

/** Parses a filter that begins with this word and a colon, if there is one. @throws QueryFault */
export function parseFilter(cursor: LqlCursor, keyword: string): LqlText | LqlTime | LqlField {
  if (keyword === 't:' || keyword === 'timestamp:') return parseTimeFilter(cursor);
  return cursor.peek(/[\p{L}_][^\s":]*:/uy) === '' ? parseText(cursor) : parseField(cursor);
}

/** Parses `["~"] ("quoted" | bare)`: a string to find in the message, or a pattern. @throws QueryFault */
function parseText(cursor: LqlCursor): LqlText {
  const { at } = cursor;
  const isPattern = cursor.accept('~');
  // A leading colon is an operator without a path.
  if (!isPattern && cursor.peek(/:/y) !== '') throw cursor.unexpected();
  return { kind: 'text', value: parseValue(cursor, 'a string').word, isPattern, at };
}

/** Parses `t:moment`. @throws QueryFault */
function parseTimeFilter(cursor: LqlCursor): LqlTime {
  const { at } = cursor;
  cursor.take(/[a-z]+/y);
  const operatorWord = cursor.word(operatorPattern, 'an operator');
  const comparison = lqlComparisons.get(operatorWord.text);
  if (comparison === undefined) {
    const operators = [...lqlComparisons.keys()].join(' ');
    throw new QueryFault(`A time supports only the operators ${operators}`, operatorWord.at);
  }
  const moment = parseMoment(cursor.word(/\S+/y, 'a time'));
  if (comparison !== '=' && moment.kind !== 'instant' && moment.kind !== 'now') {
    throw new QueryFault('A range of time supports only the operator :', operatorWord.at);
  }
  return { kind: 'time', operator: comparison, moment, at };
}

/** Parses `path op value`. @throws QueryFault */
function parseField(cursor: LqlCursor): LqlField {
  const path = parsePath(cursor);
  const operatorWord = cursor.word(
    operatorPattern,
    'an operator (put a string that contains a colon in quotes)',
  );
  const value = parseBracketed(cursor) ?? parseValue(cursor, 'a value');
  return { kind: 'field', path, test: parseTest(path, operatorWord, value), at: path.at };
}

interface Value {
  readonly word: LqlWord;
  readonly isQuoted: boolean;
}

/** Parses `(text)`, which may contain spaces and is a string as in quotes. */
function parseBracketed(cursor: LqlCursor): Value | undefined {
  if (cursor.peek(/\([^()]+\)(?=\s|$)/y) === '') return undefined;
  cursor.expect('(');
  const word = cursor.word(/[^()]+/y, 'a string');
  cursor.expect(')');
  return { word, isQuoted: true };
}

function parseValue(cursor: LqlCursor, what: string): Value {
  if (cursor.peek(/"/y) !== '') return { word: cursor.quoted(), isQuoted: true };
  return { word: cursor.word(/\S+/y, what), isQuoted: false };
}

function parseTest(path: LqlPath, operatorWord: LqlWord, value: Value): LqlTest {
  const { word } = value;
  const isElement = operatorWord.text.startsWith(':@');
  if (operatorWord.text.endsWith('~')) return { kind: 'matches', pattern: word, isElement };
  const special = value.isQuoted ? undefined : specialTest(path, word);
  if (special !== undefined && operatorWord.text === ':') return special;
  if (special !== undefined) {
    const message = `${quoteForMessage(word.text)} supports only the operator :`;
    throw new QueryFault(message, operatorWord.at);
  }
  const operator = lqlComparisons.get(operatorWord.text) ?? '=';
  return { kind: 'compare', operator, value: word, isElement };
}

const number = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** The test for an unquoted value with a special meaning: NULL, or a range of numbers, of dates or of log levels. */
function specialTest(path: LqlPath, word: LqlWord): LqlTest | undefined {
  if (word.text === 'NULL') return { kind: 'null' };
  const [low, high] = splitRange(word);
  if (high === undefined) return undefined;
  if (number.test(low.text) && number.test(high.text)) return { kind: 'between', low, high };
  const dates = parseDates(word);
  if (dates?.kind === 'range') return { ...dates, kind: 'within' };
  return isLevel(path) ? levelTest(low, high) : undefined;
}

function isLevel({ parts }: LqlPath): boolean {
  const name = parts.map(({ text }) => text.toLowerCase()).join('.');
  return name === 'level' || name === 'metadata.level';
}

/** `warning..error`, in either order: both levels and the levels between them. */
function levelTest(low: LqlWord, high: LqlWord): LqlTest | undefined {
  if (![low, high].every(({ text }) => /^\w+$/.test(text))) return undefined;
  const ends = [levelIndex(low), levelIndex(high)];
  const between = levels.slice(Math.min(...ends), Math.max(...ends) + 1).flat();
  return { kind: 'level', values: between.map((text) => ({ text, at: low.at })) };
}

function levelIndex({ text, at }: LqlWord): number {
  const index = levels.findIndex((words) => words.includes(text.toLowerCase()));
  if (index !== -1) return index;
  const names = levels.map(([name]) => name).join(', ');
  throw new QueryFault(`Unknown level ${quoteForMessage(text)}: expected one of ${names}`, at);
}
