import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { scalar } from '../../types/type.js';
import type { BoundExpression } from '../bound/bound.js';
import type { FunctionDefinition } from '../functions/definition.js';
import { findCalledFunction } from '../functions/find-function.js';
import { callByName, matchCall, title } from '../functions/match-call.js';
import type { Call, Expression, Identifier, NamedArgument } from '../syntax/tree.js';
import { resolveAggregate } from './resolve-aggregate.js';
import { resolveWindow } from './resolve-window.js';
import type { Scope } from './scope.js';

/** How an expression is resolved: handed on, since calls and expressions hold each other. */
export type Resolve = (node: Expression, scope: Scope) => BoundExpression;

/**
 * A call by its name in the table of functions; an aggregate's becomes a column of its block.
 * @throws QueryFault for an unknown function, arguments that fit no signature, an aggregate where none may stand
 */
export function resolveCall(node: Call, scope: Scope, resolve: Resolve): BoundExpression {
  const { definition, safe } = findCalledFunction(node);
  if (node.over !== undefined) return resolveWindow(node, definition, { scope, resolve });
  if (definition.kind === 'window') {
    throw new QueryFault(
      `Window function ${title(definition.name)} requires an OVER clause`,
      node.at,
    );
  }
  if (definition.kind === 'aggregate')
    return resolveAggregate(node, definition, { scope, resolve });
  refuseAggregateClauses(node, definition);
  const args = inOrder(node.arguments, definition).map((argument, place) =>
    takesPart(definition, place) ? datePart(argument) : resolve(argument, scope),
  );
  return { ...matchCall(definition, args, node.at), safe };
}

/** CURRENT_TIMESTAMP and its like need no brackets. */
export function bareCall(name: Identifier): BoundExpression | undefined {
  const isClock = /^current_(timestamp|datetime|date|time)$/i.test(name.name);
  return isClock && !name.quoted ? callByName(name.name.toLowerCase(), [], name.at) : undefined;
}

function refuseAggregateClauses(node: Call, definition: FunctionDefinition): void {
  const clause = [
    node.distinct && 'DISTINCT',
    node.nulls && `${node.nulls} NULLS`,
    node.having && 'HAVING',
    node.orderBy.length > 0 && 'ORDER BY',
    node.limit && 'LIMIT',
  ].find((word) => typeof word === 'string');
  if (clause === undefined) return;
  const message = `${clause} in arguments is not allowed for the non-aggregate function ${title(definition.name)}`;
  throw new QueryFault(message, node.at);
}

/** Arguments by name put where the signature has them, what is left out as NULL. */
function inOrder(
  args: readonly NamedArgument[],
  definition: FunctionDefinition,
): readonly Expression[] {
  const [named] = args.flatMap((argument) => argument.name ?? []);
  if (named === undefined) return args.map(({ value }) => value);
  const names = definition.signatures
    .map((signature) => signature.args.map((arg) => arg.name))
    .find((known) =>
      args.every(({ name }) => name === undefined || known.includes(name.name.toLowerCase())),
    );
  if (names === undefined) {
    throw new QueryFault(
      `Named argument ${shortName(named.name)} not found in signature for call to function ${title(definition.name)}`,
      named.at,
    );
  }
  const places = args.map(({ name }, place) =>
    name === undefined ? place : names.indexOf(name.name.toLowerCase()),
  );
  const last = Math.max(...places);
  const absent: Expression = { kind: 'literal', type: 'NULL', value: 'NULL', at: named.at };
  return Array.from(
    { length: last + 1 },
    (_, place) => args[places.indexOf(place)]?.value ?? absent,
  );
}

function takesPart(definition: FunctionDefinition, place: number): boolean {
  return definition.signatures.some(({ args }) => args[place]?.type === 'PART');
}

/** `day`, or `week(monday)`. */
export function datePart(node: Expression): BoundExpression {
  const type = scalar('STRING');
  if (node.kind === 'path' && node.parts.length === 1) {
    const part = node.parts[0]?.name.toUpperCase() ?? '';
    return { kind: 'part', part, at: node.at, type };
  }
  const argument = node.kind === 'call' ? node.arguments[0]?.value : undefined;
  if (node.kind === 'call' && argument?.kind === 'path') {
    const [outer, inner] = [node.path[0]?.name, argument.parts[0]?.name];
    return { kind: 'part', part: `${outer}(${inner})`.toUpperCase(), at: node.at, type };
  }
  throw new QueryFault('A date part such as DAY is required here', node.at);
}
