import { QueryFault } from '../../errors/query-fault.js';
import {
  arrayOf,
  isNumeric,
  isOpen,
  openString,
  scalar,
  structOf,
  type Type,
  typeName,
} from '../../types/types.js';
import type { BoundCall, BoundExpression } from '../bound/bound.js';
import { coerce, coercionCost, isUntypedArray, plain, supertype } from '../bound/coerce.js';
import type { ArgumentPattern, FunctionDefinition, Signature } from './definition.js';
import { findFunction } from './functions.js';
import { printSignature, title } from './print-signature.js';

/** Calls the function of this name with resolved arguments; mostly used for operators. */
export function callByName(name: string, args: readonly BoundExpression[], at: number): BoundCall {
  const definition = findFunction(name);
  if (definition === undefined) throw new QueryFault(`${title(name)} is not supported`, at);
  return matchCall(definition, args, at);
}

/** The condition, negated if `not` is true. */
export function negated(not: boolean, value: BoundExpression, at: number): BoundExpression {
  return not ? callByName('$NOT', [value], at) : value;
}

/**
 * Chooses the signature with the cheapest coercions and coerces the arguments to it.
 * @throws QueryFault if no signature matches
 */
export function matchCall(
  definition: FunctionDefinition,
  args: readonly BoundExpression[],
  at: number,
): BoundCall {
  const { best, args: read } = readingOf(definition, args, at);
  for (const arg of read) refusePart(definition, arg);
  const coerced = read.map((arg, index) => {
    const type = best.types[index];
    return type === undefined ? plain(arg) : coerce(arg, type, at);
  });
  const { name, isStable } = definition;
  const type = best.result;
  return { kind: 'call', function: { name, isStable }, args: coerced, type, safe: false, at };
}

/** The arguments as they fit: open strings as they are, or else as numbers, or integers, or arrays. */
function readingOf(
  definition: FunctionDefinition,
  given: readonly BoundExpression[],
  at: number,
): { readonly best: Fit; readonly args: readonly BoundExpression[] } {
  const isRead = given.some(({ type }) => isOpen(type));
  const readings = isRead ? [itself, asNumber, asInteger, asArray] : [itself];
  for (const reading of readings) {
    const args = given.map((arg) => reading(arg, at));
    const best = bestFit(openSignatures(definition, args), args);
    if (best !== undefined) return { best, args };
  }
  throw noMatch(definition, given, at);
}

function itself(arg: BoundExpression): BoundExpression {
  return arg;
}

/** The number in an open string; other values unchanged. */
export function asNumber(of: BoundExpression): BoundExpression {
  return isOpen(of.type) ? { kind: 'cast', of, type: scalar('FLOAT64'), safe: true } : of;
}

/** The integer in an open string; other values unchanged. */
export function asInteger(of: BoundExpression): BoundExpression {
  return isOpen(of.type) ? { kind: 'cast', of, type: scalar('INT64'), safe: true } : of;
}

/** The elements of the list in an open string, the string itself if there is none; other values unchanged. */
export function asArray(of: BoundExpression, at: number): BoundExpression {
  if (!isOpen(of.type)) return of;
  return { ...callByName('$text_elements', [of], at), type: arrayOf(openString) };
}

/** The value in an open string at a key, or at an index from 0, as an open string. */
export function partOfText(of: BoundExpression, key: BoundExpression, at: number): BoundExpression {
  return { ...callByName('$text_part', [of, key], at), type: openString };
}

const times: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIME', 'TIMESTAMP', 'INTERVAL']);

/** `+` and `-` take a text as a date only beside a date or an interval: `1 + '1'` is not about dates. */
function openSignatures(
  { name, signatures }: FunctionDefinition,
  args: readonly BoundExpression[],
): readonly Signature[] {
  const isTimed = (name !== '$+' && name !== '$-') || args.some(({ type }) => times.has(type.kind));
  if (isTimed) return signatures;
  return signatures.filter((signature) => !signature.args.some(({ type }) => times.has(type)));
}

function refusePart({ name, parts }: FunctionDefinition, arg: BoundExpression): void {
  if (arg.kind !== 'part' || parts.includes(arg.part)) return;
  const message = `${title(name)} does not support the ${arg.part} date part; it takes ${parts.join(', ')}`;
  throw new QueryFault(message, arg.at);
}

interface Fit {
  readonly cost: number;
  /** The type to coerce each argument to; undefined if it keeps its type. */
  readonly types: readonly (Type | undefined)[];
  readonly result: Type;
}

/** The first of the signatures that need the cheapest coercions. */
function bestFit(
  signatures: readonly Signature[],
  args: readonly BoundExpression[],
): Fit | undefined {
  let best: Fit | undefined;
  for (const signature of signatures) {
    const fit = fitTo(signature, args);
    if (fit?.cost === 0) return fit;
    if (fit !== undefined && (best === undefined || fit.cost < best.cost)) best = fit;
  }
  return best;
}

function fitTo(signature: Signature, args: readonly BoundExpression[]): Fit | undefined {
  const { required, repeats } = signature;
  if (args.length < required || (!repeats && args.length > signature.args.length)) return undefined;
  const general = generalType(signature, args);
  if (general === 'none') return undefined;
  const types = args.map((_, i) => instantiate(patternAt(signature, i), general));
  let cost = 0;
  for (const [i, arg] of args.entries()) {
    const type = types[i];
    const step = type === undefined ? Number(arg.kind !== 'part') : coercionCost(arg, type);
    if (step === undefined || !mayBe(patternAt(signature, i), arg)) return undefined;
    cost += step;
  }
  return { cost, types, result: instantiate(signature.result, general) ?? scalar('STRING') };
}

/** The pattern of an argument. The last pattern also holds for all further arguments. */
function patternAt({ args }: Signature, index: number): ArgumentPattern | undefined {
  return args[index] ?? args.at(-1);
}

function mayBe(pattern: ArgumentPattern | undefined, { kind }: BoundExpression): boolean {
  if (pattern?.isComputed && kind === 'literal') return false;
  return (pattern?.type === 'PART') === (kind === 'part');
}

/** The type of T: the common supertype of all arguments declared as T. */
function generalType(
  signature: Signature,
  args: readonly BoundExpression[],
): Type | 'none' | undefined {
  if (!signature.args.some(isGeneral)) return undefined;
  const allUntyped = args.every(isUntypedArray);
  const values = args.flatMap((arg, i): readonly BoundExpression[] => {
    const pattern = patternAt(signature, i);
    if (pattern?.type === 'T') return [arg];
    if (pattern?.element?.type !== 'T' || arg.type.kind !== 'ARRAY') return [];
    if (isUntypedArray(arg) && !allUntyped) return [];
    return [{ kind: 'parameter', name: '', type: arg.type.element }];
  });
  return values.length === 0 ? undefined : (supertype(values) ?? 'none');
}

function isGeneral({ type, element }: ArgumentPattern): boolean {
  return type === 'T' || element?.type === 'T';
}

function instantiate(
  pattern: ArgumentPattern | undefined,
  general: Type | undefined,
): Type | undefined {
  if (pattern === undefined || pattern.type === 'ANY' || pattern.type === 'PART') return undefined;
  if (pattern.type === 'T') return general;
  if (pattern.type === 'STRUCT') return instantiateStruct(pattern, general);
  if (pattern.type !== 'ARRAY') return scalar(pattern.type);
  const element = instantiate(pattern.element, general);
  // An untyped NULL is a NULL of INT64.
  return arrayOf(element ?? scalar('INT64'));
}

function instantiateStruct({ fields = [] }: ArgumentPattern, general: Type | undefined): Type {
  return structOf(
    fields.map(({ name, pattern }) => ({
      name,
      type: instantiate(pattern, general) ?? scalar('STRING'),
    })),
  );
}

function noMatch(
  definition: FunctionDefinition,
  args: readonly BoundExpression[],
  at: number,
): QueryFault {
  const types = args.map((arg) => typeName(arg.type)).join(', ');
  const noun = definition.name.startsWith('$') ? 'operator' : 'function';
  const supported = definition.signatures
    .map((signature) => printSignature(definition, signature))
    .join('; ');
  const message = `No matching signature for ${noun} ${title(definition.name)} for argument types: ${types || 'none'}${quotesHint(args)}. Supported signatures: ${supported}`;
  return new QueryFault(message, at);
}

/** A hint for `status = '500'`: one side is a number, the other a literal text, or the reverse. */
function quotesHint(args: readonly BoundExpression[]): string {
  const isWritten = (arg: BoundExpression, other: BoundExpression) =>
    arg.kind === 'literal' && arg.type.kind === 'STRING' && isNumeric(other.type);
  if (args.some((arg) => args.some((other) => isWritten(arg, other)))) {
    return ' (a number is written without quotes)';
  }
  const isNumber = ({ kind, type }: BoundExpression) => kind === 'literal' && isNumeric(type);
  const isText = args.some(({ type }) => type.kind === 'STRING') && args.some(isNumber);
  return isText && args.length === 2 ? ' (a text is written in quotes)' : '';
}
