import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import type { BoundExpression } from '../bound/bound.js';
import type { FunctionDefinition } from '../functions/definition.js';
import { findCalledFunction } from '../functions/find-function.js';
import { callByName, matchCall, title } from '../functions/match-call.js';
import type { Call, Expression, Identifier, NamedArgument } from '../syntax/tree.js';
import { checkPlaceOfPart } from './place-of-part.js';
import { resolveAggregate } from './resolve-aggregate.js';
import { datePart } from './resolve-date.js';
import { resolveWindow } from './resolve-window.js';
import type { Resolve, Scope } from './scope.js';

/**
 * Resolves a call of a function; an aggregate call becomes a column of its block.
 * @throws QueryFault for an unknown function, arguments that match no signature, or an aggregate that
 * is not allowed here
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
  const written = inOrder(node.arguments, definition);
  checkPlaceOfPart(written, definition, (argument) => resolve(argument, scope));
  const args = written.map((argument, index) =>
    takesPart(definition, index) ? datePart(argument) : resolve(argument, scope),
  );
  return { ...matchCall(definition, args, node.at), safe };
}

/** A call without brackets, as in `current_timestamp`; undefined for names that do not allow it. */
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

/** Puts named arguments into the order of the signature, with NULL for omitted ones. */
function inOrder(
  args: readonly NamedArgument[],
  definition: FunctionDefinition,
): readonly Expression[] {
  const [named] = args.flatMap((argument) => argument.name ?? []);
  if (named === undefined) return args.map(({ value }) => value);
  const names = definition.signatures
    .map((signature) => signature.args.map((arg) => arg.name))
    .find((candidate) =>
      args.every(({ name }) => name === undefined || candidate.includes(name.name.toLowerCase())),
    );
  if (names === undefined) {
    throw new QueryFault(
      `Named argument ${shortName(named.name)} not found in signature for call to function ${title(definition.name)}`,
      named.at,
    );
  }
  const positions = args.map(({ name }, index) =>
    name === undefined ? index : names.indexOf(name.name.toLowerCase()),
  );
  const last = Math.max(...positions);
  const nullLiteral: Expression = { kind: 'literal', type: 'NULL', value: 'NULL', at: named.at };
  return Array.from(
    { length: last + 1 },
    (_, index) => args[positions.indexOf(index)]?.value ?? nullLiteral,
  );
}

function takesPart(definition: FunctionDefinition, index: number): boolean {
  return definition.signatures.some(({ args }) => args[index]?.type === 'PART');
}
