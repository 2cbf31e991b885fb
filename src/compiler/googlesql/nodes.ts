import type { Identifier } from '../syntax/names.js';
import type { Call, Expression } from '../syntax/tree.js';

/** A name, in backticks, so that it is never read as a keyword. */
export function quoted(name: string): Identifier {
  return { name, quoted: true, at: 0 };
}

/** A name that the compiler made, or a keyword. */
export function word(name: string): Identifier {
  return { name, quoted: false, at: 0 };
}

/** A keyword, or a name that the compiler made, as an expression. */
export function wordOf(name: string): Expression {
  return { kind: 'path', parts: [word(name)], at: 0 };
}

/** `name(values)`; the name may have a prefix, as in `net.host`. */
export function callOf(name: string, values: readonly Expression[]): Call {
  return {
    kind: 'call',
    path: name.split('.').map(word),
    arguments: values.map((value) => ({ value })),
    distinct: false,
    orderBy: [],
    at: 0,
  };
}

/** An INT64 literal. */
export function integerOf(value: number): Expression {
  return { kind: 'literal', type: 'INT64', value: String(value), at: 0 };
}

/** `left operator right` */
export function binaryOf(operator: string, left: Expression, right: Expression): Expression {
  return { kind: 'binary', operator, left, right, at: 0 };
}

/** `operand IS test` */
export function isOf(operand: Expression, test: 'NULL' | 'TRUE' | 'FALSE'): Expression {
  return { kind: 'is', operand, not: false, test, at: 0 };
}
