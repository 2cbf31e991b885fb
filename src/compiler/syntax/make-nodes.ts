import type { Identifier } from './names.js';
import type { Call, Expression, FromItem, Query, QueryBody, Select, SelectStar } from './tree.js';

/** A name, in backticks, so that it is never read as a keyword. */
export function quotedName(name: string, at = 0): Identifier {
  return { name, quoted: true, at };
}

/** A keyword, or a name that the compiler generated. */
export function word(name: string, at = 0): Identifier {
  return { name, quoted: false, at };
}

/** A keyword, or a name that the compiler generated, as an expression. */
export function wordNode(name: string, at = 0): Expression {
  return pathNode(word(name, at));
}

/** `a.b` */
export function pathNode(...parts: readonly Identifier[]): Expression {
  return { kind: 'path', parts, at: parts[0]?.at ?? 0 };
}

/** `name(values)`; the name may have a prefix, as in `net.host`. */
export function callNode(name: string, values: readonly Expression[], at = 0): Call {
  return {
    kind: 'call',
    path: name.split('.').map((part) => word(part, at)),
    arguments: values.map((value) => ({ value })),
    distinct: false,
    orderBy: [],
    at,
  };
}

/** A non-negative INT64 literal. */
export function int64Node(value: number, at = 0): Expression {
  return { kind: 'literal', type: 'INT64', value: String(value), at };
}

/** A STRING literal. */
export function textNode({ text, at }: { readonly text: string; readonly at: number }): Expression {
  return { kind: 'literal', type: 'STRING', value: text, at };
}

/** `NULL` */
export function nullNode(at: number): Expression {
  return { kind: 'literal', type: 'NULL', value: 'NULL', at };
}

/** Conditions joined by AND or OR; undefined for an empty list. */
export function logicalNode(
  operator: 'AND' | 'OR',
  operands: readonly Expression[],
): Expression | undefined {
  const [first] = operands;
  if (first === undefined || operands.length === 1) return first;
  return { kind: 'logical', operator, operands, at: first.at };
}

/** `left operator right` */
export function binaryNode(operator: string, left: Expression, right: Expression): Expression {
  return { kind: 'binary', operator, left, right, at: left.at };
}

/** `operand IS [NOT] test` */
export function testNode(
  operand: Expression,
  test: 'NULL' | 'TRUE' | 'FALSE',
  not = false,
): Expression {
  return { kind: 'is', operand, not, test, at: operand.at };
}

/** `operand BETWEEN low AND high` */
export function betweenNode(operand: Expression, low: Expression, high: Expression): Expression {
  return { kind: 'between', operand, not: false, low, high, at: operand.at };
}

/** `*` in a SELECT list. */
export function starNode(at: number): SelectStar {
  return { kind: 'star', except: [], replace: [], at };
}

/** A SELECT block. */
export function selectNode(select: Partial<Select> & Pick<Select, 'items' | 'at'>): Select {
  return { kind: 'select', distinct: false, windows: [], ...select };
}

/** `SELECT * FROM from` */
export function allFrom(from: FromItem): Select {
  const { at } = from;
  return selectNode({ items: [starNode(at)], from, at });
}

/** A query without WITH and LIMIT. */
export function queryNode(body: QueryBody, orderBy: Query['orderBy'] = []): Query {
  return { kind: 'query', ctes: [], body, orderBy, at: body.at };
}
