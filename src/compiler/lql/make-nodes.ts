import { quotedName } from '../syntax/make-nodes.js';
import type { Identifier } from '../syntax/names.js';
import type { Expression } from '../syntax/tree.js';
import type { LqlWord } from './lql-tree.js';

/** An identifier, quoted so that GoogleSQL never reads it as a keyword. */
export function identifier({ text, at }: LqlWord): Identifier {
  return quotedName(text, at);
}

/** A STRING literal. */
export function textNode({ text, at }: LqlWord): Expression {
  return { kind: 'literal', type: 'STRING', value: text, at };
}

/** `operand IS NOT TRUE`: the negation of a condition, true also if the condition is NULL. */
export function isNotTrue(operand: Expression): Expression {
  return { kind: 'is', operand, not: true, test: 'TRUE', at: operand.at };
}

/** Conditions joined by AND; undefined for an empty list. */
export function andNode(operands: readonly Expression[]): Expression | undefined {
  const [first] = operands;
  if (first === undefined || operands.length === 1) return first;
  return { kind: 'logical', operator: 'AND', operands, at: first.at };
}
