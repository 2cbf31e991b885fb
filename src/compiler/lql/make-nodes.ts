import type { Identifier } from '../syntax/names.js';
import type { Call, Expression, Query, Select } from '../syntax/tree.js';
import type { LqlWord } from './lql-tree.js';

/** An identifier, quoted so that GoogleSQL never reads it as a keyword. */
export function identifier({ text, at }: LqlWord): Identifier {
  return { name: text, quoted: true, at };
}

/** A path: `a.b`. */
export function pathOf(...words: readonly LqlWord[]): Expression {
  return { kind: 'path', parts: words.map(identifier), at: words[0]?.at ?? 0 };
}

/** A function call. */
export function callOf(name: string, args: readonly Expression[], at: number): Call {
  return {
    kind: 'call',
    path: [{ name, quoted: false, at }],
    arguments: args.map((value) => ({ value })),
    distinct: false,
    orderBy: [],
    at,
  };
}

/** A keyword as an argument: `HOUR`. */
export function wordOf(name: string, at: number): Expression {
  return { kind: 'path', parts: [{ name, quoted: false, at }], at };
}

/** A STRING literal. */
export function textOf({ text, at }: LqlWord): Expression {
  return { kind: 'literal', type: 'STRING', value: text, at };
}

/** An INT64 literal; the value must not be negative. */
export function integerOf(value: number, at: number): Expression {
  return { kind: 'literal', type: 'INT64', value: String(value), at };
}

/** `left operator right`. */
export function binaryOf(operator: string, left: Expression, right: Expression): Expression {
  return { kind: 'binary', operator, left, right, at: left.at };
}

/** `operand IS NOT TRUE`: the negation of a condition, true also if the condition is NULL. */
export function isNotTrue(operand: Expression): Expression {
  return { kind: 'is', operand, not: true, test: 'TRUE', at: operand.at };
}

/** Conditions joined by AND; undefined for an empty list. */
export function allOf(operands: readonly Expression[]): Expression | undefined {
  const [first] = operands;
  if (first === undefined || operands.length === 1) return first;
  return { kind: 'logical', operator: 'AND', operands, at: first.at };
}

/** A query of one SELECT. */
export function queryOf(
  select: Pick<Select, 'items' | 'from' | 'where' | 'groupBy'>,
  orderBy: Query['orderBy'],
  at: number,
): Query {
  const body: Select = { kind: 'select', distinct: false, windows: [], ...select, at };
  return { kind: 'query', ctes: [], body, orderBy, at };
}
