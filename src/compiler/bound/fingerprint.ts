import { createHash } from 'node:crypto';
import type { Type } from '../../types/type.js';
import type { BoundCall, BoundExpression } from './bound.js';

const fingerprints = new WeakMap<object, string>();

/**
 * One text for all expressions that mean the same: columns by id, functions by name, what is below
 * by its own fingerprint.
 */
export function fingerprint(expression: BoundExpression): string {
  // From the innermost left side outwards: a long chain of operators is no nesting.
  const chain: BoundExpression[] = [];
  for (let node: BoundExpression | undefined = expression; node !== undefined; ) {
    chain.push(node);
    node = node.kind === 'call' && !fingerprints.has(node) ? leftOf(node) : undefined;
  }
  for (const node of chain.reverse()) printOf(node);
  return printOf(expression);
}

/** What an operator's chain goes on with. */
function leftOf(node: BoundCall): BoundExpression | undefined {
  const [left] = node.args;
  return left?.kind === 'cast' ? left.of : left;
}

/** Kept for types, too: every column of a log source has a large one, and the same. */
function printOf(whole: BoundExpression | Type): string {
  if (whole.kind === 'column') return `#${whole.column.id}`;
  const known = fingerprints.get(whole);
  if (known !== undefined) return known;
  const text = writeOften(whole) ?? writeAny(whole);
  // A hash costs more than to keep a short text.
  const isShort = text.length <= 500;
  const print = isShort ? text : createHash('sha1').update(text).digest('base64');
  fingerprints.set(whole, print);
  return print;
}

/** The kinds that most of a text is made of, in a third of the time that any other takes. */
function writeOften(whole: BoundExpression | Type): string | undefined {
  switch (whole.kind) {
    case 'literal':
      return `=${printType(whole.type)} ${JSON.stringify(whole.value)}`;
    case 'field':
      return `.${whole.stored} ${printType(whole.type)} ${JSON.stringify(whole.name)} ${printOf(whole.of)}`;
    case 'call': {
      if (whole.clauses !== undefined) return undefined;
      const args = whole.args.map(printOf).join();
      return `(${whole.function.name} ${whole.safe} ${printType(whole.type)} ${args})`;
    }
    default:
      return undefined;
  }
}

function printType(type: Type): string {
  return isNested(type) ? printOf(type) : type.kind;
}

function writeAny(whole: BoundExpression | Type): string {
  return JSON.stringify(whole, (key, value) => printPart(key, value, whole));
}

function printPart(key: string, value: unknown, whole: object): unknown {
  if (typeof value !== 'object' || value === null) return key === 'at' ? undefined : value;
  if (key === 'column' && 'id' in value) return value.id;
  if ((key === 'function' || key === 'source') && 'name' in value) return value.name;
  const hasOwn = value !== whole && (key === 'type' ? isNested(value) : isExpression(value));
  return hasOwn ? printOf(value as BoundExpression | Type) : value;
}

function isNested(type: object): boolean {
  return 'fields' in type || 'element' in type;
}

function isExpression(value: object): boolean {
  return 'kind' in value && 'type' in value && 'kind' in Object(value.type);
}
