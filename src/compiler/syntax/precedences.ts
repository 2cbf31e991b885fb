import type { Expression } from './tree.js';

/** Operators by precedence, lowest first, as in `parse-expression.ts`. */
const precedenceLevels = [
  ['OR'],
  ['AND'],
  ['NOT'],
  ['test'],
  ['|'],
  ['^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '||'],
  ['sign'],
  ['value'],
] as const;

type Operator = (typeof precedenceLevels)[number][number];

export const precedences = Object.fromEntries(
  precedenceLevels.flatMap((operators, level) => operators.map((operator) => [operator, level])),
) as Readonly<Record<Operator, number>>;

/** The precedence of an expression's outermost operator. */
export function precedenceOf(node: Expression): number {
  if (node.kind === 'logical') return precedences[node.operator];
  if (node.kind === 'unary') return node.operator === 'NOT' ? precedences.NOT : precedences.sign;
  if (node.kind === 'binary') return binaryPrecedence(node.operator);
  if (node.kind === 'interval') return precedences.sign;
  return ['is', 'between', 'in'].includes(node.kind) ? precedences.test : precedences.value;
}

/** The precedence of a binary operator; an operator without its own level is a comparison. */
export function binaryPrecedence(operator: string): number {
  return precedences[operator as Operator] ?? precedences.test;
}
