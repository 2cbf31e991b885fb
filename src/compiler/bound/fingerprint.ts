import { createHash } from 'node:crypto';
import type { Type } from '../../types/types.js';
import type * as bound from './bound.js';

/** The long fingerprints of expressions and types, cached: all columns of a log source share one large type. */
const fingerprints = new WeakMap<object, string>();

/**
 * Returns a string that is the same for equal expressions: it contains the ids of columns, the names of
 * functions, and the fingerprints of parts.
 */
export function fingerprint(expression: bound.Expression): string {
  let print = '';
  for (const node of operandChain(expression)) print = fingerprintText(node);
  return print;
}

/** The first operands of a chain, innermost first: recursion would overflow the stack on long ones. */
function operandChain(expression: bound.Expression): readonly bound.Expression[] {
  const chain: bound.Expression[] = [];
  let node: bound.Expression | undefined = expression;
  while (node !== undefined) {
    chain.push(node);
    node = fingerprints.has(node) ? undefined : firstOperand(node);
  }
  return chain.reverse();
}

/** The first operand of a call, which continues a chain of operators; implicit casts are skipped. */
function firstOperand(node: bound.Expression): bound.Expression | undefined {
  const left = node.kind === 'call' ? node.args[0] : undefined;
  return left?.kind === 'cast' ? left.of : left;
}

function fingerprintText(whole: bound.Expression | Type): string {
  if (whole.kind === 'column') return `#${whole.column.id}`;
  const cached = fingerprints.get(whole);
  if (cached !== undefined) return cached;
  const text = printParts(whole);
  // Rebuilding a short string is cheaper than caching it, and hashing it costs more than it saves.
  if (text.length <= 200) return text;
  const print = text.length <= 500 ? text : createHash('sha1').update(text).digest('base64');
  fingerprints.set(whole, print);
  return print;
}

// `JSON.stringify` with a replacer takes twice as long.
function printParts(node: object): string {
  if (Array.isArray(node)) return `[${node.map((item) => printPart('', item)).join()}]`;
  let text = '{';
  for (const [key, part] of Object.entries(node)) {
    // An expression may have a property that is undefined, and an equal one may lack it.
    if (part !== undefined && key !== 'at') text += `${key}:${printPart(key, part)},`;
  }
  return `${text}}`;
}

function printPart(key: string, value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (key === 'column' && 'id' in value) return `#${value.id}`;
  if ((key === 'function' || key === 'source') && 'name' in value)
    return JSON.stringify(value.name);
  return hasOwn(value, key) ? fingerprintText(value) : printParts(value);
}

/** Whether a part of an expression gets its own fingerprint: an expression, or a type with inner types. */
function hasOwn(part: object, key: string): part is bound.Expression | Type {
  if (key === 'type') return 'fields' in part || 'element' in part;
  return 'kind' in part && 'type' in part && 'kind' in Object(part.type);
}
