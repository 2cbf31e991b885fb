import { betweenNode, binaryOf, callOf, integerOf, isOf, wordOf } from '../syntax/make-nodes.js';
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
    type?.kind === 'DATETIME' ? callOf('DATETIME', [instant], instant.at) : instant;
  const condition = conditionOf(filter, value, convert);
  return filter.negated ? isOf(condition, 'TRUE', true) : condition;
}

/** Converts an instant to the type of the column. */
type Convert = (instant: Expression) => Expression;

function conditionOf(
  { operator, moment }: LqlTime,
  value: Expression,
  convert: Convert,
): Expression {
  const { at } = moment;
  switch (moment.kind) {
    case 'instant':
      return binaryOf(operator, value, convert(typedNode('TIMESTAMP', moment)));
    case 'now':
      return binaryOf(operator, value, convert(now(at)));
    case 'range': {
      const bound = (end: LqlWord) => convert(typedNode('TIMESTAMP', end));
      return betweenNode(value, bound(moment.low), bound(moment.high));
    }
    case 'last':
      return betweenNode(value, convert(before(moment)), convert(now(at)));
    case 'this':
      return binaryOf('>=', value, convert(startOf(moment.unit, at)));
    case 'today':
    case 'yesterday': {
      const [start, end] = dayOf(moment.kind, at);
      const operands = [binaryOf('>=', value, convert(start)), binaryOf('<', value, convert(end))];
      return { kind: 'logical', operator: 'AND', operands, at: value.at };
    }
  }
}

function now(at: number): Expression {
  return callOf('CURRENT_TIMESTAMP', [], at);
}

/** The start of the current unit; weeks begin on Monday. */
function startOf(unit: LqlUnit, at: number): Expression {
  return truncated('TIMESTAMP_TRUNC', now(at), unit);
}

/** `TIMESTAMP_TRUNC(value, HOUR)`. */
export function truncated(name: string, value: Expression, unit: LqlUnit): Expression {
  const { at } = value;
  const part = unit === 'WEEK' ? callOf('WEEK', [wordOf('MONDAY', at)], at) : wordOf(unit, at);
  return callOf(name, [value, part], at);
}

function dayOf(kind: 'today' | 'yesterday', at: number): readonly [Expression, Expression] {
  const today = startOf('DAY', at);
  const day = intervalOf(1, 'DAY', at);
  return kind === 'today'
    ? [today, callOf('TIMESTAMP_ADD', [today, day], at)]
    : [callOf('TIMESTAMP_SUB', [today, day], at), today];
}

function intervalOf(count: number, part: LqlUnit, at: number): Expression {
  return { kind: 'interval', value: integerOf(count, at), part, at };
}

/** The start of `last@`; it is a DATETIME first, because GoogleSQL cannot subtract months from a TIMESTAMP. */
function before({ unit, count, at }: Extract<LqlMoment, { readonly kind: 'last' }>): Expression {
  const civil = callOf('DATETIME', [startOf(unit, at)], at);
  const start = callOf('DATETIME_SUB', [civil, intervalOf(count, unit, at)], at);
  return callOf('TIMESTAMP', [start], at);
}
