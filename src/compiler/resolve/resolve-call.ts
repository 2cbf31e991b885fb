import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { ArgumentPattern, FunctionDefinition, Signature } from '../functions/definition.js';
import { findCalledFunction } from '../functions/find-function.js';
import { findFunction } from '../functions/functions.js';
import { callByName, matchCall } from '../functions/match-call.js';
import { title } from '../functions/print-signature.js';
import { nullNode } from '../syntax/make-nodes.js';
import type { Identifier } from '../syntax/names.js';
import { pathText } from '../syntax/print-literal.js';
import type { Call, Expression, NamedArgument } from '../syntax/tree.js';
import { resolveAggregate } from './resolve-aggregate.js';
import { datePart } from './resolve-date.js';
import { resolveWindow } from './resolve-window.js';
import { resolvePart, type Scope } from './scope.js';

/**
 * Resolves a call of a function; an aggregate call becomes a column of its block.
 * @throws QueryFault for an unknown function, arguments that match no signature, or an aggregate that
 * is not allowed here
 */
export function resolveCall(node: Call, scope: Scope): bound.Expression {
  const { definition, safe } = findCalledFunction(node);
  if (node.over !== undefined) return resolveWindow(node, definition, scope);
  if (definition.kind === 'window') {
    const message = `Window function ${title(definition.name)} requires an OVER clause`;
    throw new QueryFault(message, node.at);
  }
  if (definition.kind === 'aggregate') return resolveAggregate(node, definition, scope);
  refuseAggregateClauses(node, definition);
  const written = inOrder(node.arguments, definition);
  checkPlaceOfPart(written, definition, scope);
  const args = written.map((argument, index) =>
    takesPart(definition, index) ? datePart(argument) : resolvePart(argument, scope),
  );
  return { ...matchCall(definition, args, node.at), safe };
}

/** A call without brackets, as in `current_timestamp`; undefined for names that do not allow it. */
export function bareCall(name: Identifier): bound.Expression | undefined {
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

/** Puts named arguments into the order of the signature, with defaults for omitted ones. */
function inOrder(args: readonly NamedArgument[], definition: FunctionDefinition) {
  const [first] = definition.signatures;
  const hasNames = first?.args.some(({ name }) => name !== undefined) ?? false;
  if (first?.repeats && hasNames) return beforeRepeated(args, definition, first);
  const [named] = args.flatMap((argument) => argument.name ?? []);
  if (named === undefined) return args.map(({ value }) => value);
  const patterns = patternsFor(args, definition, named);
  const positions = args.map(({ name }, index) =>
    name === undefined ? index : patterns.findIndex((pattern) => isCalled(pattern, name)),
  );
  const last = Math.max(...positions);
  return Array.from({ length: last + 1 }, (_, index) => {
    const given = args[positions.indexOf(index)]?.value;
    return given ?? omitted(patterns[index], named.at);
  });
}

/** Puts named arguments in their places before the repeated one, and positional arguments in the other places. */
function beforeRepeated(
  args: readonly NamedArgument[],
  definition: FunctionDefinition,
  signature: Signature,
): readonly Expression[] {
  const [named] = args.flatMap((argument) => argument.name ?? []);
  if (named !== undefined) patternsFor(args, definition, named);
  const positional = args.flatMap(({ name, value }) => (name === undefined ? [value] : []));
  const at = positional[0]?.at ?? 0;
  const fixed = signature.args.slice(0, -1).flatMap((pattern): readonly Expression[] => {
    if (pattern.name === undefined) return positional.splice(0, 1);
    const given = args.find(({ name }) => name !== undefined && isCalled(pattern, name));
    return [given?.value ?? omitted(pattern, at)];
  });
  return [...fixed, ...positional];
}

/** The patterns of the first signature that has all of the named arguments. */
function patternsFor(
  args: readonly NamedArgument[],
  { name: called, signatures }: FunctionDefinition,
  { name, at }: Identifier,
): readonly ArgumentPattern[] {
  const found = signatures.find((signature) =>
    args.every(
      ({ name: wanted }) => !wanted || signature.args.some((pattern) => isCalled(pattern, wanted)),
    ),
  );
  if (found !== undefined) return found.args;
  const message = `Named argument ${shortName(name)} not found in signature for call to function ${title(called)}`;
  throw new QueryFault(message, at);
}

function isCalled({ name }: ArgumentPattern, identifier: Identifier): boolean {
  return name === identifier.name.toLowerCase();
}

function omitted(pattern: ArgumentPattern | undefined, at: number): Expression {
  const { default: value, type } = pattern ?? {};
  if (value === undefined) return nullNode(at);
  const literalType = type === 'BOOL' || type === 'INT64' ? type : 'STRING';
  return { kind: 'literal', type: literalType, value, at };
}

function takesPart(definition: FunctionDefinition, index: number): boolean {
  return definition.signatures.some(({ args }) => args[index]?.type === 'PART');
}

/**
 * Refuses a date part that is in quotes or comes first, as in `date_trunc('hour', t)`, with a message
 * that says how to write the call. @throws QueryFault
 */
function checkPlaceOfPart(
  args: readonly Expression[],
  definition: FunctionDefinition,
  scope: Scope,
): void {
  const place = definition.signatures[0]?.args.findIndex(({ type }) => type === 'PART') ?? -1;
  const last = args[place];
  if (place < 1 || last === undefined) return;
  const isSwapped = datePartIn(last, definition) === undefined;
  const written = isSwapped ? (args[0] ?? last) : last;
  const part = datePartIn(written, definition);
  if (part === undefined || (!isSwapped && last.kind !== 'literal')) return;
  // In other databases, DATEDIFF takes the start before the end.
  const values = isSwapped ? args.slice(1, place + 1).reverse() : args.slice(0, place);
  const [value] = values.map((argument) => resolvePart(argument, scope));
  const name = nameFor(definition, value);
  const texts = values.map((one) => (one.kind === 'path' ? pathText(one.parts) : 'x'));
  const call = `${name}(${[...texts, part].join(', ')})`;
  const message = `${title(definition.name)} takes the date part last and without quotes: ${call}`;
  throw new QueryFault(message, written.at);
}

/** The date part that an argument names, with or without quotes; undefined if the function does not have it. */
function datePartIn(argument: Expression, { parts }: FunctionDefinition): string | undefined {
  const [name] = argument.kind === 'path' && argument.parts.length === 1 ? argument.parts : [];
  const isText = argument.kind === 'literal' && argument.type === 'STRING';
  const word = (isText ? argument.value : (name?.name ?? '')).toUpperCase();
  return parts.includes(word) ? word : undefined;
}

/** `TIMESTAMP_TRUNC` for `date_trunc` of a TIMESTAMP. */
function nameFor({ name }: FunctionDefinition, value: bound.Expression | undefined): string {
  const own = name.replace(/^[a-z]+(?=_)/, value?.type.kind.toLowerCase() ?? '');
  return title(findFunction(own) === undefined ? name : own);
}
