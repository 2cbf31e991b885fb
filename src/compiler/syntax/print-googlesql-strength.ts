import type { Expression } from './tree.js';

/** Operators of one strength a row, weakest first, as in `parse-expression.ts`. */
const levels = [
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

type Operator = (typeof levels)[number][number];

/** The level of each operator: the higher, the more strongly it binds. */
export const strengths = Object.fromEntries(
  levels.flatMap((operators, level) => operators.map((operator) => [operator, level])),
) as Readonly<Record<Operator, number>>;

/** How strongly an expression holds its parts together. */
export function strengthOf(node: Expression): number {
  if (node.kind === 'logical') return strengths[node.operator];
  if (node.kind === 'unary') return node.operator === 'NOT' ? strengths.NOT : strengths.sign;
  if (node.kind === 'binary') return binaryStrength(node.operator);
  if (node.kind === 'interval') return strengths.sign;
  return ['is', 'between', 'in'].includes(node.kind) ? strengths.test : strengths.value;
}

/** Comparisons are the binary operators that have no level of their own. */
export function binaryStrength(operator: string): number {
  return strengths[operator as Operator] ?? strengths.test;
}
