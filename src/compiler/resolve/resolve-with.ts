import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { arrayType, structType } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { isUnstable, someExpression } from '../bound/search.js';
import type { Expression, ExpressionOf } from '../syntax/tree.js';
import { fieldAt, resolvePart, type Scope } from './scope.js';

/**
 * Resolves `with(a as …, b as …, value)`. A variable is replaced by its value; if its value may differ at each call, it
 * becomes the element of an array: `with(a as rand(), a - a)` -> `(select a - a from unnest([rand()]) as a)`.
 * @throws QueryFault for a duplicate variable
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#with_expression
 */
export function resolveWith(node: ExpressionOf<'with'>, scope: Scope): bound.Expression {
  const { newColumn } = scope.statement;
  const values = new Map<string, bound.Expression>();
  const inner = (part: Expression) =>
    resolvePart(part, { ...scope, aliases: new Map([...(scope.aliases ?? []), ...values]) });
  let from: bound.From = { kind: 'none' };
  for (const { name, value: written } of node.variables) {
    const key = name.name.toLowerCase();
    if (values.has(key)) {
      throw new QueryFault(`Duplicate variable ${shortName(name.name)} in WITH`, name.at);
    }
    const value = inner(written);
    if (!someExpression(value, isUnstable)) {
      const isLiteral = value.kind === 'literal';
      values.set(key, isLiteral ? { kind: 'inlined', of: value, type: value.type } : value);
      continue;
    }
    const type = structType([{ name: name.name, type: value.type }]);
    const element = newColumn(name.name, type);
    const record = { kind: 'struct', values: [value], type } as const;
    const array = { kind: 'array', elements: [record], type: arrayType(type) } as const;
    from = { kind: 'unnest', join: 'CROSS', left: from, array, element, merged: [] };
    values.set(key, fieldAt(bound.columnValue(element), 0));
  }
  const value = inner(node.value);
  if (from.kind === 'none') return value;
  const { at } = node;
  const query = bound.selectQuery([{ column: newColumn('', value.type), value }], from, { at });
  return { kind: 'subquery', form: 'SCALAR', query, type: value.type };
}
