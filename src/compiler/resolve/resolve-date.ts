import { QueryFault } from '../../errors/query-fault.js';
import { scalar } from '../../types/type.js';
import type { BoundExpression } from '../bound/bound.js';
import { coerce } from '../bound/coerce.js';
import { literalOf } from '../bound/literal.js';
import { callByName } from '../functions/match-call.js';
import type { Expression } from '../syntax/tree.js';
import { isIntervalField, readIntervalFields } from './interval-text.js';
import { datePart } from './resolve-call.js';

/**
 * `interval 5 minute`, or `interval '1-2' year to month`, which is a constant.
 * @throws QueryFault for a text that is no interval of its parts
 */
export function resolveInterval(
  node: Extract<Expression, { kind: 'interval' }>,
  value: BoundExpression,
): BoundExpression {
  const { part, to, at } = node;
  if (to === undefined) {
    const amount = coerce(value, scalar('INT64'), at);
    return callByName('$interval', [amount, partOf(part, at)], at);
  }
  if (!isIntervalField(part) || !isIntervalField(to)) {
    throw new QueryFault(`Invalid interval literal: ${part} TO ${to}`, at);
  }
  const isText = value.kind === 'literal' && value.type.kind === 'STRING';
  const text = isText ? (value.value ?? '') : undefined;
  if (text === undefined) throw new QueryFault('INTERVAL with TO requires a string literal', at);
  const read = readIntervalFields(text, part, to);
  if (read === undefined) throw new QueryFault(`Invalid INTERVAL value '${text}'`, at);
  return literalOf('INTERVAL', read);
}

/** The parts of EXTRACT whose value is of another type than INT64. */
const typedParts: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIME']);

/** `extract(part from value at time zone zone)` as a call of `$extract`, or of `$extract_date` and its like. */
export function resolveExtract(
  node: Extract<Expression, { kind: 'extract' }>,
  from: BoundExpression,
  zone: BoundExpression | undefined,
): BoundExpression {
  const part = datePart(node.part);
  const name = part.kind === 'part' ? part.part : '';
  const rest = zone === undefined ? [from] : [from, zone];
  if (!typedParts.has(name)) return callByName('$extract', [part, ...rest], node.at);
  return callByName(`$extract_${name.toLowerCase()}`, rest, node.at);
}

function partOf(part: string, at: number): BoundExpression {
  return { kind: 'part', part, at, type: scalar('STRING') };
}
