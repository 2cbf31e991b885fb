import { QueryFault } from '../../errors/query-fault.js';
import {
  arrayType,
  isNumeric,
  isOpen,
  isScalarName,
  openString,
  openText,
  scalar,
  structType,
  type Type,
  typeName,
} from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { coerce, coercionCost, isUntypedArray, plain, supertype } from '../bound/coerce.js';
import type { ArgumentPattern, FunctionDefinition, Signature } from './definition.js';
import { findFunction } from './functions.js';
import { printSignature, title } from './print-signature.js';
import { asBool, asNumber, isAnyNumber, numberReader, withOpenness } from './read-open.js';

/** Calls the function of this name with resolved arguments; mostly used for operators. */
export function callByName(
  name: string,
  args: readonly bound.Expression[],
  at: number,
): bound.Call {
  const definition = findFunction(name);
  if (definition === undefined) throw new QueryFault(`${title(name)} is not supported`, at);
  return matchCall(definition, args, at);
}

/** The condition, negated if `not` is true. */
export function negated(not: boolean, value: bound.Expression, at: number): bound.Expression {
  return not ? callByName('$NOT', [value], at) : value;
}

/**
 * Chooses the signature with the cheapest coercions and coerces the arguments to it.
 * @throws QueryFault if no signature matches
 */
export function matchCall(
  definition: FunctionDefinition,
  args: readonly bound.Expression[],
  at: number,
): bound.Call {
  const { args: read, types, result } = bestReading(definition, args, at);
  for (const arg of read) refusePart(definition, arg);
  const coerced = read.map((arg, index) => {
    const type = types[index];
    return type === undefined ? plain(arg) : coerce(arg, type, at);
  });
  const { name, isStable } = definition;
  const type = withOpenness(result, read);
  return { kind: 'call', function: { name, isStable }, args: coerced, type, safe: false, at };
}

/** Finds the best signature and the arguments for it: open strings as strings, or else read as the types it takes. */
function bestReading(
  definition: FunctionDefinition,
  given: readonly bound.Expression[],
  at: number,
): Fit {
  const signatures = openSignatures(definition, given);
  const fit = cheapest(signatures.flatMap((each) => fitTo(each, given) ?? []));
  if (fit !== undefined) return fit;
  const isRead = given.map(({ type }) => elementType(type)).some(isAnyNumber);
  const readings = isRead ? signatures.flatMap((each) => signatureReadings(each, given, at)) : [];
  const best = cheapest(readings);
  if (best !== undefined) return best;
  throw noMatch(definition, given, at);
}

/** The first fit with the cheapest coercions. */
function cheapest(fits: readonly Fit[]): Fit | undefined {
  return fits.toSorted((one, other) => one.cost - other.cost)[0];
}

/** The types that open strings are read as if a signature takes any type. */
const generalReadings = ['STRING', 'FLOAT64', 'BOOL', 'ARRAY'] as const;

function signatureReadings(
  signature: Signature,
  given: readonly bound.Expression[],
  at: number,
): readonly Fit[] {
  const hasDecimal = given.some(({ type }) => /NUMERIC$/.test(type.kind));
  const isAny = signature.args.some(isGeneral);
  return generalReadings.slice(0, isAny ? undefined : 1).flatMap((kind) => {
    const args = given.map((arg, i) => readAs(arg, patternAt(signature, i), { kind, at }));
    const fit = fitTo(signature, args);
    if (fit === undefined) return [];
    const read = args.filter((arg, i) => arg !== given[i]);
    const costs = read.map(({ type }) => readingCost(elementType(type), hasDecimal));
    return [{ ...fit, cost: fit.cost + costs.reduce((sum, one) => sum + one, 0) }];
  });
}

/** The cost of reading as a type: NUMERIC is cheap only if an argument is a decimal, and INT64 is a last resort. */
function readingCost({ kind }: Type, hasDecimal: boolean): number {
  if (kind === 'INT64') return 1e9;
  return kind === 'NUMERIC' || kind === 'BIGNUMERIC' ? (hasDecimal ? 1e3 : 1e12) : 1;
}

function elementType(type: Type): Type {
  return type.kind === 'ARRAY' ? type.element : type;
}

/** Reads an argument as its pattern's type; returns it unchanged if it is not an open string. */
function readAs(
  arg: bound.Expression,
  pattern: ArgumentPattern | undefined,
  { kind: general, at }: { readonly kind: (typeof generalReadings)[number]; readonly at: number },
): bound.Expression {
  const { type, element } = pattern ?? {};
  if (type === 'T' && general === 'ARRAY') return asArray(arg, at);
  if (type !== 'ARRAY') return readers[type === 'T' ? general : (type ?? '')]?.(arg) ?? arg;
  const list = asArray(arg, at);
  const wanted = (element?.type === 'T' ? general : element?.type) ?? '';
  if (list.type.kind !== 'ARRAY' || !isOpen(list.type.element)) return list;
  if (!isScalarName(wanted) || !(wanted in readers)) return list;
  return { kind: 'cast', of: plain(list), type: arrayType(scalar(wanted)), safe: true };
}

/** Reads a value as a type; returns it unchanged if it is not an open string. */
export function readAsType(value: bound.Expression, { kind }: Type): bound.Expression {
  return readers[kind]?.(value) ?? value;
}

/** The functions that read an open string as a type. */
const readers: Readonly<Record<string, (of: bound.Expression) => bound.Expression>> = {
  INT64: numberReader('INT64'),
  FLOAT64: asNumber,
  NUMERIC: numberReader('NUMERIC'),
  BIGNUMERIC: numberReader('BIGNUMERIC'),
  BOOL: asBool,
};

/**
 * Reads the elements of the list in an open string, or the string as the only element; returns other values unchanged.
 */
export function asArray(of: bound.Expression, at: number): bound.Expression {
  if (!isOpen(of.type)) return of;
  return { ...callByName('$text_elements', [of], at), type: arrayType(openText(of.type)) };
}

/** Finds a common type, and reads the values as it: open strings stay strings, or else become numbers or BOOLs. */
export function withSupertype(
  values: readonly bound.Expression[],
): { readonly type: Type; readonly values: readonly bound.Expression[] } | undefined {
  for (const read of [(value: bound.Expression) => value, asNumber, asBool]) {
    const shown = values.map(read);
    const type = supertype(shown);
    if (type !== undefined) return { type: withOpenness(type, shown), values: shown };
  }
  return undefined;
}

/** Converts a value to a condition: a BOOL, or the BOOL in an open string. @throws QueryFault for any other type */
export function asCondition(value: bound.Expression, at: number): bound.Expression {
  return coerce(asBool(value), scalar('BOOL'), at);
}

/** Reads the value at a key, or at an index from 0, of an open string, as an open string. */
export function partOfText(
  of: bound.Expression,
  key: bound.Expression,
  at: number,
): bound.Expression {
  const isKey = key.type.kind === 'STRING';
  const type = isKey ? textOfField(of.type, key) : openText(of.type);
  return { ...callByName('$text_part', [of, key], at), type };
}

function textOfField(type: Type, key: bound.Expression): Type {
  const name = key.kind === 'literal' ? key.value?.toLowerCase() : undefined;
  const { fields = [] } = openText(type);
  const field = fields.find((each) => each.name.toLowerCase() === name);
  return field === undefined ? openString : openText(field.type);
}

const times: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIME', 'TIMESTAMP', 'INTERVAL']);

/**
 * Drops date signatures of `+` and `-` unless an argument is a date, a time or an interval: `1 + '1'` is not about
 * dates.
 */
function openSignatures(
  { name, signatures }: FunctionDefinition,
  args: readonly bound.Expression[],
): readonly Signature[] {
  const isTimed = (name !== '$+' && name !== '$-') || args.some(({ type }) => times.has(type.kind));
  if (isTimed) return signatures;
  return signatures.filter((signature) => !signature.args.some(({ type }) => times.has(type)));
}

function refusePart({ name, parts }: FunctionDefinition, arg: bound.Expression): void {
  if (arg.kind !== 'part' || parts.includes(arg.part)) return;
  const instead = arg.part === 'EPOCH' ? 'write UNIX_SECONDS(t)' : `it takes ${parts.join(', ')}`;
  const message = `${title(name)} does not support the ${arg.part} date part; ${instead}`;
  throw new QueryFault(message, arg.at);
}

/** The arguments of a call as a signature takes them. */
interface Fit {
  readonly args: readonly bound.Expression[];
  readonly cost: number;
  /** The type to coerce each argument to; undefined if it keeps its type. */
  readonly types: readonly (Type | undefined)[];
  readonly result: Type;
}

function fitTo(signature: Signature, args: readonly bound.Expression[]): Fit | undefined {
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
  const result = instantiate(signature.result, general) ?? scalar('STRING');
  return { args, cost, types, result };
}

/** The pattern of an argument. The last pattern also applies to all extra arguments. */
function patternAt({ args }: Signature, index: number): ArgumentPattern | undefined {
  return args[index] ?? args.at(-1);
}

function mayBe(pattern: ArgumentPattern | undefined, { kind }: bound.Expression): boolean {
  if (pattern?.isComputed && kind === 'literal') return false;
  return (pattern?.type === 'PART') === (kind === 'part');
}

/** The type of T: the common supertype of all arguments declared as T. */
function generalType(
  signature: Signature,
  args: readonly bound.Expression[],
): Type | 'none' | undefined {
  if (!signature.args.some(isGeneral)) return undefined;
  const allUntyped = args.every(isUntypedArray);
  const values = args.flatMap((arg, i): readonly bound.Expression[] => {
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
  if (pattern.type === 'STRUCT') {
    const fields = pattern.fields?.map(({ name, pattern: of }) => ({
      name,
      type: instantiate(of, general) ?? scalar('STRING'),
    }));
    return structType(fields ?? []);
  }
  if (pattern.type !== 'ARRAY') return scalar(pattern.type);
  // An untyped NULL is a NULL of INT64.
  return arrayType(instantiate(pattern.element, general) ?? scalar('INT64'));
}

function noMatch(definition: FunctionDefinition, args: readonly bound.Expression[], at: number) {
  const given = args.map((arg) => typeName(arg.type)).join(', ');
  const noun = definition.name.startsWith('$') ? 'operator' : 'function';
  const supported = definition.signatures
    .map((signature) => printSignature(definition, signature))
    .join('; ');
  const message = `No matching signature for ${noun} ${title(definition.name)} for argument types: ${given || 'none'}${quotesHint(args)}${timeHint(definition, args)}. Supported signatures: ${supported}`;
  return new QueryFault(message, at);
}

/** A hint for `status = '500'`: a string literal meets a number, or a number literal meets a string. */
function quotesHint(args: readonly bound.Expression[]): string {
  const isWritten = (arg: bound.Expression, other: bound.Expression) =>
    arg.kind === 'literal' && arg.type.kind === 'STRING' && isNumeric(other.type);
  if (args.some((arg) => args.some((other) => isWritten(arg, other)))) {
    return ' (a number is written without quotes)';
  }
  const isNumber = ({ kind, type }: bound.Expression) => kind === 'literal' && isNumeric(type);
  const isText = args.some(({ type }) => type.kind === 'STRING') && args.some(isNumber);
  return isText && args.length === 2 ? ' (a string is written in quotes)' : '';
}

/** A hint for a format that is not the first argument, and for `timestamp > 1773100000000000`. */
function timeHint({ name }: FunctionDefinition, args: readonly bound.Expression[]): string {
  const [, second] = args;
  const isFormat = second?.kind === 'literal' && second.value?.includes('%');
  if (/^(?:format|parse)_/.test(name) && isFormat) return ' (the format comes first)';
  const number = args.find((arg) => arg.kind === 'literal' && arg.type.kind === 'INT64');
  const isCompared = name.startsWith('$') && args.some(({ type }) => type.kind === 'TIMESTAMP');
  if (number?.kind !== 'literal' || !isCompared) return '';
  const digits = number.value?.length ?? 0;
  if (digits < 9) return '';
  const unit = digits > 14 ? 'MICROS' : digits > 11 ? 'MILLIS' : 'SECONDS';
  return ` (write TIMESTAMP_${unit}(${number.value}))`;
}

/** All conditions as one, or undefined for none. */
export function conjunctionCall(
  conditions: readonly bound.Expression[],
  at: number,
): bound.Expression | undefined {
  return conditions.length > 1 ? callByName('$AND', conditions, at) : conditions[0];
}
