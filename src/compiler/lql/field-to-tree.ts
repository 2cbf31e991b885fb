import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import {
  betweenNode,
  binaryNode,
  callNode,
  int64Node,
  queryNode,
  selectNode,
  testNode,
  textNode,
} from '../syntax/make-nodes.js';
import type { Expression, FromItem, UnnestItem } from '../syntax/tree.js';
import { boundOfType, literalOfType, typedNode } from './literal-to-tree.js';
import { findColumn, type LqlRange } from './lql-scope.js';
import type { LqlField, LqlPath, LqlTest, LqlWord } from './lql-tree.js';
import { type EachValue, eachValue, type LqlValue } from './path-to-tree.js';

/**
 * The condition of `path op value`; true if it holds for any element of the repeated records in the
 * path.
 * @throws QueryFault for a record or an array instead of a scalar, or for a value of another type
 */
export function fieldCondition(
  { path: written, test, negated }: LqlField & { readonly negated: boolean },
  range: LqlRange,
): Expression {
  // Prefer the column `level`: it has level names, whatever the log's field contains.
  const isColumn = test.kind === 'level' && findColumn(range, 'level') !== undefined;
  const path = isColumn ? { ...written, parts: written.parts.slice(-1) } : written;
  if (test.kind === 'null') return nullCondition(eachValue(path, range, true), negated);
  const isElement = 'isElement' in test && test.isElement;
  const each = eachValue(path, range, isElement);
  refuseUnsupported(path, each, isElement);
  const condition = testCondition(test, each);
  if (each.arrays.length === 0) return negated ? testNode(condition, 'TRUE', true) : condition;
  return existsIn(each.arrays, condition, negated);
}

/** A path through repeated records is NULL if no element has a value. */
function nullCondition({ value, type, arrays }: EachValue, negated: boolean): Expression {
  if (arrays.length === 0) return testNode(value, 'NULL', negated);
  // A record has a value if it exists.
  const hasValue = type?.kind === 'STRUCT' ? undefined : testNode(value, 'NULL', true);
  return existsIn(arrays, hasValue, !negated);
}

/** Refuses operators that the field does not support: arrays need an element operator, records only allow NULL. */
function refuseUnsupported(path: LqlPath, { type, arrays }: EachValue, isElement: boolean): void {
  const name = shortName(path.parts.map(({ text }) => text).join('.'));
  const element = type?.kind === 'ARRAY' ? type.element : type;
  if (element?.kind === 'STRUCT') {
    throw new QueryFault(`${name} is a record: name one of its fields`, path.at);
  }
  if (type?.kind === 'ARRAY') {
    throw new QueryFault(`${name} is an array: use :@> or :@>~`, path.at);
  }
  if (isElement && type !== undefined && arrays.length === 0) {
    throw new QueryFault(`${name} is not an array: :@> and :@>~ need one`, path.at);
  }
}

function testCondition(test: Exclude<LqlTest, { kind: 'null' }>, of: LqlValue): Expression {
  const { value, type } = of;
  switch (test.kind) {
    case 'compare':
      return binaryNode(
        test.operator,
        value,
        test.operator === '=' ? literalOfType(test.value, type) : boundOfType(test.value, type),
      );
    case 'matches':
      return callNode('REGEXP_CONTAINS', [value, textNode(test.pattern)], value.at);
    case 'between':
      return betweenNode(value, boundOfType(test.low, type), boundOfType(test.high, type));
    case 'within':
      return withinCondition(test, of);
    case 'level': {
      const values = test.values.map((word) => literalOfType(word, type));
      const blanks = textNode({ text: ' []()', at: value.at });
      const operand = callNode('LOWER', [callNode('TRIM', [value, blanks], value.at)], value.at);
      return { kind: 'in', operand, not: false, values, at: value.at };
    }
  }
}

/** The condition of a range of instants; a STRING is read as a TIMESTAMP, and an invalid one does not match. */
function withinCondition(
  { low, high }: Extract<LqlTest, { kind: 'within' }>,
  { value, type }: LqlValue,
): Expression {
  const { at } = value;
  const isText = type === undefined || type.kind === 'STRING';
  const bound = (word: LqlWord): Expression => {
    const instant = typedNode('TIMESTAMP', word);
    if (type?.kind === 'DATE' || type?.kind === 'DATETIME') {
      return callNode(type.kind, [instant], word.at);
    }
    return isText || type.kind === 'TIMESTAMP' ? instant : literalOfType(word, type);
  };
  const timestamp = { name: 'TIMESTAMP', at };
  const operand: Expression = isText
    ? { kind: 'cast', operand: value, type: timestamp, safe: true, at }
    : value;
  return betweenNode(operand, bound(low), bound(high));
}

/** `EXISTS (SELECT 1 FROM UNNEST(…) AS e1, UNNEST(…) AS e2 WHERE …)`. */
function existsIn(
  arrays: readonly UnnestItem[],
  where: Expression | undefined,
  negated: boolean,
): Expression {
  const at = arrays[0]?.at ?? 0;
  const from = arrays.reduce<FromItem | undefined>(
    (left, right) =>
      left === undefined
        ? right
        : { kind: 'join', type: 'CROSS', isComma: true, left, right, at: right.at },
    undefined,
  );
  const items = [{ kind: 'item', value: int64Node(1, at), at }] as const;
  const query = queryNode(
    selectNode({ items, ...(from && { from }), ...(where && { where }), at }),
  );
  const exists: Expression = { kind: 'subquery', form: 'EXISTS', query, at };
  return negated ? { kind: 'unary', operator: 'NOT', operand: exists, at } : exists;
}
