import { QueryFault } from '../../errors/query-fault.js';
import { isOpen, type Type } from '../../types/types.js';
import { textNode } from '../syntax/make-nodes.js';
import type { Expression } from '../syntax/tree.js';
import { quoteForMessage } from './lql-cursor.js';
import type { LqlWord } from './lql-tree.js';

/**
 * Converts a value to a literal of a field's type: `200` to `'200'` for a STRING.
 * @throws QueryFault if it is not a value of that type
 */
export function literalOfType(word: LqlWord, type: Type | undefined): Expression {
  const parse = type === undefined ? undefined : parsers[type.kind];
  if (type === undefined || parse === undefined) return textNode(word);
  const literal = parse(word);
  if (literal !== undefined) return literal;
  const message = `Could not cast literal ${quoteForMessage(word.text)} to type ${type.kind}`;
  throw new QueryFault(message, word.at);
}

/** Like {@link literalOfType}, for a bound of a range: a number stays a number if the field is an open string. */
export function boundOfType(word: LqlWord, type: Type | undefined): Expression {
  const number = type && isOpen(type) ? parseNumber(word) : undefined;
  return number ?? literalOfType(word, type);
}

/** Parses a value as a literal; undefined if it is invalid. */
type Parser = (word: LqlWord) => Expression | undefined;

const parsers: Partial<Record<Type['kind'], Parser>> = {
  BOOL: ({ text, at }) =>
    /^(?:true|false)$/.test(text) ? { kind: 'literal', type: 'BOOL', value: text, at } : undefined,
  INT64: parseNumber,
  FLOAT64: parseNumber,
  NUMERIC: parseNumber,
  BIGNUMERIC: parseNumber,
  DATE: (word) => typedNode('DATE', word),
  DATETIME: (word) => typedNode('DATETIME', word),
  TIME: (word) => typedNode('TIME', word),
  TIMESTAMP: (word) => typedNode('TIMESTAMP', word),
};

/** `TIMESTAMP 'text'`; the resolver checks whether the string is valid. */
export function typedNode(type: string, { text, at }: Pick<LqlWord, 'text' | 'at'>): Expression {
  return { kind: 'typed-literal', type, value: text, at };
}

/** Parses a number; an integer that does not fit into INT64 becomes a FLOAT64. */
function parseNumber({ text, at }: LqlWord): Expression | undefined {
  const [, sign, size = ''] = /^(-?)(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)$/.exec(text) ?? [];
  if (size === '') return undefined;
  const isInteger = /^\d{1,19}$/.test(size) && BigInt(size) <= 2n ** 63n - (sign ? 0n : 1n);
  const type = isInteger ? 'INT64' : 'FLOAT64';
  const value = !isInteger && /^\d+$/.test(size) ? `${size}.0` : size;
  const number: Expression = { kind: 'literal', type, value, at };
  return sign === '' ? number : { kind: 'unary', operator: '-', operand: number, at };
}
