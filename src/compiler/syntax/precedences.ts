import type { Expression } from './tree.js';

/** The precedences of operators, lowest first, as in `parse-expression.ts`. */
export const precedences = {
  ...{ OR: 0, AND: 1, NOT: 2, test: 3 },
  ...{ '|': 4, '^': 5, '&': 6, '<<': 7, '>>': 7 },
  ...{ '+': 8, '-': 8, '*': 9, '/': 9, '||': 9 },
  ...{ sign: 10, value: 11 },
} as const;

const byOperator: ReadonlyMap<string, number> = new Map(Object.entries(precedences));

/** The precedence of an expression's outermost operator. */
export function outerPrecedence(node: Expression): number {
  if (node.kind === 'logical') return precedences[node.operator];
  if (node.kind === 'unary') return node.operator === 'NOT' ? precedences.NOT : precedences.sign;
  if (node.kind === 'binary') return binaryPrecedence(node.operator);
  if (node.kind === 'interval') return precedences.sign;
  return ['is', 'between', 'in'].includes(node.kind) ? precedences.test : precedences.value;
}

/** The precedence of a binary operator; an operator without its own level is a comparison. */
export function binaryPrecedence(operator: string): number {
  return byOperator.get(operator) ?? precedences.test;
}
