import { QueryFault } from '../../errors/query-fault.js';
import type { Type } from '../../types/type.js';
import type { Expression } from '../syntax/tree.js';
import { shown } from './lql-cursor.js';
import type { LqlWord } from './lql-tree.js';
import { textOf } from './nodes.js';

/**
 * A value as a literal of the type that it is compared with: `200` as `'200'` beside a STRING.
 * @throws QueryFault where it is no value of that type
 */
export function literalLike(word: LqlWord, type: Type | undefined): Expression {
  const read = type === undefined ? undefined : readers[type.kind];
  if (type === undefined || read === undefined) return textOf(word);
  const literal = read(word);
  if (literal !== undefined) return literal;
  throw new QueryFault(`Could not cast literal ${shown(word.text)} to type ${type.kind}`, word.at);
}

type Reader = (word: LqlWord) => Expression | undefined;

const readers: Partial<Record<Type['kind'], Reader>> = {
  BOOL: ({ text, at }) =>
    /^(?:true|false)$/.test(text) ? { kind: 'literal', type: 'BOOL', value: text, at } : undefined,
  INT64: readNumber,
  FLOAT64: readNumber,
  NUMERIC: readNumber,
  BIGNUMERIC: readNumber,
  DATE: typedAs('DATE'),
  DATETIME: typedAs('DATETIME'),
  TIME: typedAs('TIME'),
  TIMESTAMP: typedAs('TIMESTAMP'),
};

/** Whether the text is one of the type is seen where the tree is resolved. */
function typedAs(type: string): Reader {
  return ({ text, at }) => ({ kind: 'typed-literal', type, value: text, at });
}

/** A whole number that INT64 does not hold is compared as a FLOAT64. */
function readNumber({ text, at }: LqlWord): Expression | undefined {
  const [, sign, size = ''] = /^(-?)(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)$/.exec(text) ?? [];
  if (size === '') return undefined;
  const isInteger = /^\d{1,19}$/.test(size) && BigInt(size) <= 2n ** 63n - (sign ? 0n : 1n);
  const type = isInteger ? 'INT64' : 'FLOAT64';
  const value = !isInteger && /^\d+$/.test(size) ? `${size}.0` : size;
  const number: Expression = { kind: 'literal', type, value, at };
  return sign === '' ? number : { kind: 'unary', operator: '-', operand: number, at };
}
