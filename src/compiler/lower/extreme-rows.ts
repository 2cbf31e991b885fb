import { arrayType, type StructType } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { isLiteralOrParameter } from '../bound/coerce.js';
import { fingerprint } from '../bound/fingerprint.js';
import { isUnstable, someExpression } from '../bound/search.js';
import { callByName } from '../functions/match-call.js';
import type { Lowering } from './lowering.js';
import { newColumn } from './relation.js';

/**
 * Computes an aggregate with HAVING MAX or MIN from all rows of its group: the engine cannot choose rows by an
 * aggregate. ANY_VALUE, for which it has a function, stays.
 * `sum(x having max y)` ->
 * `(select sum(e.x) from unnest(array_agg(struct(x, y))) e where e.y = max(y))`
 * @returns a grouping without HAVING MAX and MIN, and the aggregates that are computed from its columns
 */
export function splitExtremes(grouping: bound.Grouping, lowering: Lowering) {
  const isExtreme = ({ value }: bound.Item) =>
    value.kind === 'call' && value.clauses?.having && value.function.name !== 'any_value';
  if (!grouping.aggregates.some(isExtreme)) return { grouping, computed: [] };
  const aggregates: bound.Item[] = grouping.aggregates.filter((item) => !isExtreme(item));
  const add = (value: bound.Call) => {
    const column = newColumn(value.type, lowering);
    aggregates.push({ column, value });
    return bound.columnValue(column);
  };
  const computed = grouping.aggregates.filter(isExtreme).map(({ column, value }) => ({
    column,
    value: value.kind === 'call' ? aggregateOverRows(value, add, lowering) : value,
  }));
  return { grouping: { ...grouping, aggregates }, computed };
}

/** Writes the aggregate as a sub-select over two other aggregates: the rows of the group, and the extreme. */
function aggregateOverRows(
  node: bound.Call,
  add: (value: bound.Call) => bound.Expression,
  lowering: Lowering,
): bound.Expression {
  const { having, ...clauses }: bound.Clauses = node.clauses ?? bound.noClauses;
  if (having === undefined) return node;
  const inputs = callInputs(node);
  const fields = inputs.map(({ type }, index) => ({ name: `f${index}`, type, stored: true }));
  const type: StructType = { kind: 'STRUCT', fields };
  const row: bound.Expression = { kind: 'struct', values: inputs, type };
  const rows = { ...callByName('array_agg', [row], node.at), clauses: bound.noClauses };
  const name = having.kind.toLowerCase();
  const extreme = add({ ...callByName(name, [having.value], node.at), clauses: bound.noClauses });
  const array = add({ ...rows, type: arrayType(type) });
  const element = newColumn(type, lowering);
  const identities = inputs.map((value) => inputIdentity(value, clauses));
  const read = (value: bound.Expression): bound.Expression => {
    const index = identities.indexOf(inputIdentity(value, clauses));
    const field = fields[index];
    return field === undefined
      ? value
      : { kind: 'field', of: bound.columnValue(element), ...field };
  };
  const orderBy = clauses.orderBy.map((key) => ({ ...key, value: read(key.value) }));
  const aggregate = { ...node, args: node.args.map(read), clauses: { ...clauses, orderBy } };
  const where = callByName('$=', [read(having.value), extreme], node.at);
  const from = {
    kind: 'unnest',
    join: 'CROSS',
    left: { kind: 'none' },
    array,
    element,
    merged: [],
  } as const;
  return aggregateSubquery(aggregate, { from, where }, lowering);
}

/** The values that the aggregate reads from a row; its separators and counts stay constants. */
function callInputs({ args, clauses = bound.noClauses }: bound.Call): readonly bound.Expression[] {
  const values = [
    ...args.filter((arg, index) => index === 0 || !isLiteralOrParameter(arg)),
    ...clauses.orderBy.map(({ value }) => value).filter((value) => !isLiteralOrParameter(value)),
    ...(clauses.having === undefined ? [] : [clauses.having.value]),
  ];
  return [...new Map(values.map((value) => [inputIdentity(value, clauses), value])).values()];
}

/** Equal for values that are one input. Each call of RAND is its own, but DISTINCT can order only by its arguments. */
function inputIdentity(value: bound.Expression, { distinct }: bound.Clauses): unknown {
  return someExpression(value, isUnstable) && !distinct ? value : fingerprint(value);
}

/** `(select <aggregate> from … where …)` */
function aggregateSubquery(
  value: bound.Call,
  { from, where }: Pick<bound.Select, 'from' | 'where'>,
  lowering: Lowering,
): bound.Expression {
  const column = newColumn(value.type, lowering);
  const output = newColumn(value.type, lowering);
  const { type, at } = value;
  const items = [{ column: output, value: bound.columnValue(column) }];
  const grouping = { keys: [], aggregates: [{ column, value }] };
  const query = bound.selectQuery(items, from, { ...(where && { where }), grouping, at });
  return { kind: 'subquery', form: 'SCALAR', query, type };
}
