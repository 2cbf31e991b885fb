import { QueryFault } from '../../errors/query-fault.js';
import { type LqlCursor, shown } from './lql-cursor.js';
import type { LqlField, LqlPath, LqlTest, LqlText, LqlTime, LqlWord } from './lql-tree.js';
import { comparisons, levels } from './lql-words.js';
import { parseMoment } from './parse-moment.js';

const operator = /:(?:@>~|@>|>=|<=|>|<|~)?/y;

/** How many parts a path may have: four times as deep as BigQuery lets records nest. */
const maxParts = 60;

/**
 * `a.b.c`; `m.` at the start is `metadata.`.
 * @throws QueryFault for a part without a name, and for too many
 */
export function parsePath(cursor: LqlCursor): LqlPath {
  const { text, at } = cursor.word(/[\p{L}_][\p{L}\p{N}_.-]*/uy, 'a path');
  const parts: LqlWord[] = [];
  let place = at;
  for (const name of text.split('.', maxParts + 1)) {
    if (name === '') throw new QueryFault('Syntax error: A path has a part without a name', place);
    if (parts.length === maxParts) {
      throw new QueryFault(`A path has at most ${maxParts} parts`, place);
    }
    parts.push({ text: name, at: place });
    place += name.length + 1;
  }
  const isShort = parts.length > 1 && parts[0]?.text === 'm';
  return { parts: isShort ? [{ text: 'metadata', at }, ...parts.slice(1)] : parts, at };
}

/** `["~"] ("quoted" | bare)`: what the message contains or matches. @throws QueryFault */
export function parseText(cursor: LqlCursor): LqlText {
  const { at } = cursor;
  const isPattern = cursor.accept('~');
  // A colon in front is an operator that has lost its path.
  if (!isPattern && cursor.peek(/:/y) !== '') throw cursor.unexpected();
  return { kind: 'text', value: parseValue(cursor, 'a text').word, isPattern, at };
}

/** `t:moment`. @throws QueryFault */
export function parseTime(cursor: LqlCursor): LqlTime {
  const { at } = cursor;
  cursor.take(/[a-z]+/y);
  const sign = cursor.word(operator, 'an operator');
  const comparison = comparisons.get(sign.text);
  if (comparison === undefined) {
    throw new QueryFault(
      `A time takes the operators ${[...comparisons.keys()].join(' ')} only`,
      sign.at,
    );
  }
  const moment = parseMoment(cursor.word(/\S+/y, 'a moment'));
  if (comparison !== '=' && moment.kind !== 'instant' && moment.kind !== 'now') {
    throw new QueryFault('A stretch of time takes the operator : only', sign.at);
  }
  return { kind: 'time', operator: comparison, moment, at };
}

/** `path op value`. @throws QueryFault */
export function parseField(cursor: LqlCursor): LqlField {
  const path = parsePath(cursor);
  const sign = cursor.word(operator, 'an operator (a text with a colon stands in quotes)');
  const value = parseValue(cursor, 'a value');
  return { kind: 'field', path, test: testOf(path, sign, value), at: path.at };
}

interface Value {
  readonly word: LqlWord;
  readonly isQuoted: boolean;
}

function parseValue(cursor: LqlCursor, what: string): Value {
  if (cursor.peek(/"/y) !== '') return { word: cursor.quoted(), isQuoted: true };
  return { word: cursor.word(/\S+/y, what), isQuoted: false };
}

function testOf(path: LqlPath, sign: LqlWord, value: Value): LqlTest {
  const { word } = value;
  const isElement = sign.text.startsWith(':@');
  if (sign.text.endsWith('~')) return { kind: 'matches', pattern: word, isElement };
  const special = value.isQuoted ? undefined : specialTest(path, word);
  if (special !== undefined && sign.text === ':') return special;
  if (special !== undefined)
    throw new QueryFault(`${shown(word.text)} takes the operator : only`, sign.at);
  return { kind: 'compare', operator: comparisons.get(sign.text) ?? '=', value: word, isElement };
}

const number = String.raw`-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`;
const numberRange = new RegExp(`^(${number})\\.\\.(${number})$`);

/** What a bare value means that is not compared as it stands. */
function specialTest(path: LqlPath, { text, at }: LqlWord): LqlTest | undefined {
  if (text === 'NULL') return { kind: 'null' };
  const [, low, high] = numberRange.exec(text) ?? [];
  if (low !== undefined && high !== undefined) {
    const highAt = at + low.length + '..'.length;
    return { kind: 'between', low: { text: low, at }, high: { text: high, at: highAt } };
  }
  return isLevel(path) ? levelTest({ text, at }) : undefined;
}

function isLevel({ parts }: LqlPath): boolean {
  return parts.map(({ text }) => text.toLowerCase()).join('.') === 'metadata.level';
}

/** `warning..error`: the levels between, whichever stands first. */
function levelTest({ text, at }: LqlWord): LqlTest | undefined {
  const [, low, high] = /^(\w+)\.\.(\w+)$/.exec(text) ?? [];
  if (low === undefined || high === undefined) return undefined;
  const highAt = at + low.length + '..'.length;
  const ends = [placeOf({ text: low, at }), placeOf({ text: high, at: highAt })];
  const between = levels.slice(Math.min(...ends), Math.max(...ends) + 1);
  return { kind: 'one-of', values: between.map((level) => ({ text: level, at })) };
}

function placeOf({ text, at }: LqlWord): number {
  const place = levels.indexOf(text);
  if (place !== -1) return place;
  throw new QueryFault(`Unknown level ${shown(text)}: there are ${levels.join(', ')}`, at);
}
