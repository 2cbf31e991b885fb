import { type Type, typeName } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { type BinaryCall, isBinaryCall } from '../bound/search.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckList } from '../duckdb-sql/variable.js';
import type { Lowering } from './lowering.js';

/** One operator of a chain, with its right operand. */
interface Link {
  readonly node: bound.Call;
  readonly right: bound.Expression;
}

/** Writes a call with lowered arguments. */
export type Write = (node: bound.Call, args: readonly d.DuckExpression[]) => d.DuckExpression;

/** The functions that lower the parts of a chain. */
interface Parts {
  readonly lower: (node: bound.Expression) => d.DuckExpression;
  readonly write: Write;
  readonly lowering: Lowering;
}

/** The maximum length of a chain that stays nested: DuckDB's planner is cubic in the depth. */
const maxNested = 24;

/** Whether a call is the last operator of a chain that {@link lowerChain} lowers. */
export function isLongChain(node: bound.Call): boolean {
  let link = chainLink(node, node);
  for (let length = 0; link !== undefined && length < maxNested; length += 1) {
    link = chainLink(link.args[0], node);
  }
  return link !== undefined;
}

/**
 * The first operand and the operators after it, from left to right. Follows the left operands while they have the type
 * of the chain.
 */
function operatorChain(node: bound.Call) {
  const links: Link[] = [];
  let first: bound.Expression = node;
  for (let link = chainLink(node, node); link !== undefined; link = chainLink(first, node)) {
    const [left, right] = link.args;
    links.push({ node: link, right });
    first = left;
  }
  return { first, links: links.reverse() };
}

/** The node, if it is an operator with the type of the last operator, as its left operand has; otherwise undefined. */
function chainLink(node: bound.Expression, last: bound.Call): BinaryCall | undefined {
  const isOperator = isBinaryCall(node) && !node.safe && node.function.name.startsWith('$');
  if (!isOperator) return undefined;
  const { type } = node.args[0];
  return sameName(type, node.type) && sameName(type, last.type) ? node : undefined;
}

function sameName(a: Type, b: Type): boolean {
  return a === b || typeName(a) === typeName(b);
}

/**
 * `a + b - c …` -> `list_reduce([{a, 0}, {b, 0}, {c, 1}, …], lambda x, y: x + y)`: the same steps in the same order, one level
 * deep. Each element names its step: `{value, right, step}`.
 */
export function lowerChain(node: bound.Call, { lower, write, lowering }: Parts): d.DuckExpression {
  const { first, links } = operatorChain(node);
  const steps = [...new Map(links.map((link) => [stepKey(link), link])).entries()];
  const indexes = new Map(steps.map(([key], index) => [key, index]));
  const [x, y] = [lowering.newAlias(), lowering.newAlias()];
  const rights = new Map(steps.map(([, { right }]) => [typeName(right.type), right.type]));
  const names = new Map([...rights.keys()].map((type, index) => [type, `right_${index}`]));
  const element = (value: d.DuckExpression, link?: Link): d.DuckExpression => ({
    kind: 'struct',
    fields: [
      { name: 'value', value },
      { name: 'step', value: d.integer((link && indexes.get(stepKey(link))) ?? 0) },
      ...[...names].map(([type, name]): d.DuckItem => {
        const isOwn = link !== undefined && typeName(link.right.type) === type;
        return { name, value: isOwn ? lower(link.right) : d.nullValue };
      }),
    ],
  });
  const body = element({
    kind: 'case',
    whens: steps.map(([, { node, right }], index) => ({
      when: d.infix('=', field(y, 'step'), d.integer(index)),
      result: write(node, [field(x, 'value'), field(y, names.get(typeName(right.type)) ?? '')]),
    })),
  });
  const elements = [element(lower(first)), ...links.map((link) => element(d.nullValue, link))];
  const lambda: d.DuckExpression = { kind: 'lambda', parameters: [x, y], body };
  return { kind: 'field', of: d.call('list_reduce', duckList(...elements), lambda), name: 'value' };
}

function stepKey({ node, right }: Link): string {
  return `${node.function.name} ${typeName(right.type)}`;
}

function field(of: string, part: string): d.DuckExpression {
  return { kind: 'field', of: d.variable(of), name: part };
}
