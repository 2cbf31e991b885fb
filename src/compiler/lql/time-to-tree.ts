import {
  betweenNode,
  binaryNode,
  callNode,
  int64Node,
  testNode,
  wordNode,
} from '../syntax/make-nodes.js';
import type { Expression } from '../syntax/tree.js';
import { typedNode } from './literal-to-tree.js';
import type { LqlRange } from './lql-scope.js';
import type { LqlMoment, LqlTime, LqlUnit, LqlWord } from './lql-tree.js';
import { neededColumn } from './path-to-tree.js';

/** The condition of `t:`. @throws QueryFault if the table has no column timestamp */
export function timeCondition(
  filter: LqlTime & { readonly negated: boolean },
  range: LqlRange,
): Expression {
  const { value, type } = neededColumn(range, 'timestamp', { what: 't:', at: filter.at });
  const convert = (instant: Expression) =>
    type?.kind === 'DATETIME' ? callNode('DATETIME', [instant], instant.at) : instant;
  const condition = momentCondition(filter, value, convert);
  return filter.negated ? testNode(condition, 'TRUE', true) : condition;
}

/** Converts an instant to the type of the column. */
type Convert = (instant: Expression) => Expression;

function momentCondition(
  { operator, moment }: LqlTime,
  value: Expression,
  convert: Convert,
): Expression {
  const { at } = moment;
  switch (moment.kind) {
    case 'instant':
      return binaryNode(operator, value, convert(typedNode('TIMESTAMP', moment)));
    case 'now':
      return binaryNode(operator, value, convert(now(at)));
    case 'range': {
      const bound = (end: LqlWord) => convert(typedNode('TIMESTAMP', end));
      return betweenNode(value, bound(moment.low), bound(moment.high));
    }
    case 'last':
      return betweenNode(value, convert(before(moment)), convert(now(at)));
    case 'this':
      return binaryNode('>=', value, convert(unitStart(moment.unit, at)));
    case 'today':
    case 'yesterday': {
      const [start, end] = dayBounds(moment.kind, at);
      const operands = [
        binaryNode('>=', value, convert(start)),
        binaryNode('<', value, convert(end)),
      ];
      return { kind: 'logical', operator: 'AND', operands, at: value.at };
    }
  }
}

function now(at: number): Expression {
  return callNode('CURRENT_TIMESTAMP', [], at);
}

/** The start of the current unit; weeks begin on Monday. */
function unitStart(unit: LqlUnit, at: number): Expression {
  return truncated('TIMESTAMP_TRUNC', now(at), unit);
}

/** `TIMESTAMP_TRUNC(value, HOUR)`. */
export function truncated(name: string, value: Expression, unit: LqlUnit): Expression {
  const { at } = value;
  const part =
    unit === 'WEEK' ? callNode('WEEK', [wordNode('MONDAY', at)], at) : wordNode(unit, at);
  return callNode(name, [value, part], at);
}

function dayBounds(kind: 'today' | 'yesterday', at: number): readonly [Expression, Expression] {
  const today = unitStart('DAY', at);
  const day = intervalNode(1, 'DAY', at);
  return kind === 'today'
    ? [today, callNode('TIMESTAMP_ADD', [today, day], at)]
    : [callNode('TIMESTAMP_SUB', [today, day], at), today];
}

function intervalNode(count: number, part: LqlUnit, at: number): Expression {
  return { kind: 'interval', value: int64Node(count, at), part, at };
}

/** The start of `last@`; it is a DATETIME first, because GoogleSQL cannot subtract months from a TIMESTAMP. */
function before({ unit, count, at }: Extract<LqlMoment, { readonly kind: 'last' }>): Expression {
  const civil = callNode('DATETIME', [unitStart(unit, at)], at);
  const start = callNode('DATETIME_SUB', [civil, intervalNode(count, unit, at)], at);
  return callNode('TIMESTAMP', [start], at);
}
