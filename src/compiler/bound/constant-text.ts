import type * as bound from './bound.js';

/**
 * Returns the STRING that an expression of literals has for all rows, null for NULL; undefined if it is not constant.
 * `concat('%', if(true, 'd', 's'))` -> `%d`
 */
export function constantText(node: bound.Expression | undefined): string | null | undefined {
  if (node?.kind === 'literal') return constantLiteral(node);
  if (node?.kind === 'case') return constantCase(node);
  if (node?.kind !== 'call' || node.safe) return undefined;
  const { args } = node;
  if (node.function.name === 'if') return constantText(chosenBranch(args[0], args[1], args[2]));
  return ['concat', '$||'].includes(node.function.name) ? joined(args) : undefined;
}

function constantLiteral(node: bound.ExpressionOf<'literal'>) {
  return node.value === null || node.type.kind === 'STRING' ? node.value : undefined;
}

function joined(args: readonly bound.Expression[]): string | null | undefined {
  const texts = args.map(constantText);
  if (texts.includes(undefined)) return undefined;
  return texts.includes(null) ? null : texts.join('');
}

function chosenBranch<T>(when: bound.Expression | undefined, then: T, otherwise: T): T | undefined {
  if (when?.kind !== 'literal' || when.type.kind !== 'BOOL') return undefined;
  return when.value === 'true' ? then : otherwise;
}

/** Supports only literal conditions: the result of a comparison, as in `CASE x WHEN …`, is unknown. */
function constantCase({ operand, whens, otherwise }: bound.ExpressionOf<'case'>) {
  if (operand !== undefined) return undefined;
  for (const { when, result } of whens) {
    const taken = chosenBranch(when, result, null);
    if (taken === undefined) return undefined;
    if (taken !== null) return constantText(taken);
  }
  return constantText(otherwise);
}
