import type { Type } from '../source/schema.js';
import { type BoundCall, type BoundExpression, type BoundOrder, fingerprint } from './bound.js';
import { coerce, distance, plain, supertype } from './coerce.js';
import { QueryFault } from './fault.js';
import type { ArgumentPattern, FunctionRow, Signature } from './functions/row.js';
import { findFunction, functionNames } from './functions/table.js';
import { unsupportedFunctions } from './functions/unsupported.js';
import { addAggregate, type Scope } from './scope.js';
import { didYouMean } from './suggest.js';
import type { Call, Expression } from './tree-expression.js';
import { arrayOf, scalar, typeName } from './type.js';

type Resolve = (node: Expression, scope: Scope) => BoundExpression;

/**
 * A call by its name in the table of functions; an aggregate's becomes a column of its block.
 * @throws QueryFault for an unknown function, arguments that fit no signature, an aggregate where none may stand
 */
export function resolveCall(node: Call, scope: Scope, resolve: Resolve): BoundExpression {
  const { row, safe } = findRow(node);
  if (node.over !== undefined) {
    throw new QueryFault('Window functions are not supported yet', node.at);
  }
  if (row.isAggregate) return resolveAggregate(node, row, { scope, resolve });
  refuseAggregateClauses(node, row);
  const args = node.arguments.map((argument, place) => {
    if (argument.name !== undefined) throw namedArgument(argument.name.at);
    return takesPart(row, place) ? datePart(argument.value) : resolve(argument.value, scope);
  });
  return { ...matchCall(row, args, node.at), safe };
}

/** A call of a row by its name, its arguments resolved already: how operators are written. */
export function callRow(name: string, args: readonly BoundExpression[], at: number): BoundCall {
  const row = findFunction(name);
  if (row === undefined) throw new QueryFault(`${title(name)} is not supported`, at);
  return matchCall(row, args, at);
}

function findRow(node: Call): { readonly row: FunctionRow; readonly safe: boolean } {
  const names = node.path.map((part) => part.name.toLowerCase());
  const safe = names[0] === 'safe' && names.length > 1;
  const name = (safe ? names.slice(1) : names).join('.');
  const row = findFunction(name.startsWith('$') ? '' : name);
  if (row !== undefined) return { row, safe };
  if (unsupportedFunctions.has(name)) {
    throw new QueryFault(`Function ${name.toUpperCase()} is not supported`, node.at);
  }
  const near = didYouMean(name, functionNames());
  throw new QueryFault(`Function not found: ${name}${near}`, node.at);
}

function refuseAggregateClauses(node: Call, row: FunctionRow): void {
  const clause = [
    node.distinct && 'DISTINCT',
    node.nulls && `${node.nulls} NULLS`,
    node.having && 'HAVING',
    node.orderBy.length > 0 && 'ORDER BY',
    node.limit && 'LIMIT',
  ].find((word) => typeof word === 'string');
  if (clause === undefined) return;
  const message = `${clause} in arguments is not allowed for the non-aggregate function ${title(row.name)}`;
  throw new QueryFault(message, node.at);
}

function namedArgument(at: number): QueryFault {
  return new QueryFault('Named arguments are not supported for this function', at);
}

function takesPart(row: FunctionRow, place: number): boolean {
  return row.signatures.some(({ args }) => args[place]?.type === 'PART');
}

/** `day`, or `week(monday)`. */
function datePart(node: Expression): BoundExpression {
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

interface Place {
  readonly scope: Scope;
  readonly resolve: Resolve;
}

function resolveAggregate(node: Call, row: FunctionRow, { scope, resolve }: Place) {
  if (scope.aggregates === undefined) {
    const message =
      scope.clause === 'aggregate'
        ? 'Aggregations of aggregations are not allowed'
        : `Aggregate function ${title(row.name)} not allowed in ${scope.clause ?? 'this clause'}`;
    throw new QueryFault(message, node.at);
  }
  if (node.having !== undefined)
    throw new QueryFault('HAVING MAX and HAVING MIN are not supported yet', node.at);
  const { aggregates: _, aliases: __, ...from } = scope;
  const inner: Scope = { ...from, clause: 'aggregate' };
  const star = node.arguments[0]?.value.kind === 'star';
  const args = star ? [] : node.arguments.map(({ value }) => resolve(value, inner));
  const matched = matchCall(star ? countStar(node) : row, args, node.at);
  const limit = node.limit && resolve(node.limit, inner);
  const call: BoundCall = {
    ...matched,
    aggregate: {
      distinct: node.distinct,
      ...(node.nulls === undefined ? {} : { nulls: node.nulls }),
      orderBy: node.orderBy.map(
        (item): BoundOrder => ({ ...item, value: plain(resolve(item.value, inner)) }),
      ),
      ...(limit === undefined ? {} : { limit }),
    },
  };
  return addAggregate(call, fingerprint(call), scope);
}

function countStar(node: Call): FunctionRow {
  const row = node.path.at(-1)?.name.toLowerCase() === 'count' && findFunction('$count_star');
  if (row) return row;
  throw new QueryFault('Argument * can only be used in COUNT(*)', node.at);
}

/**
 * Chooses the signature whose arguments are nearest and coerces to it.
 * @throws QueryFault where none fits
 */
function matchCall(row: FunctionRow, args: readonly BoundExpression[], at: number): BoundCall {
  const fits = row.signatures
    .map((signature) => fitTo(signature, args))
    .filter((found) => found !== undefined)
    .sort((a, b) => a.cost - b.cost);
  const [best] = fits;
  if (best === undefined) throw noMatch(row, args, at);
  for (const arg of args) refusePart(row, arg);
  const coerced = args.map((arg, place) => {
    const type = best.types[place];
    return type === undefined ? plain(arg) : coerce(arg, type, at);
  });
  return { kind: 'call', row, args: coerced, type: best.result, safe: false };
}

function refusePart({ name, parts }: FunctionRow, arg: BoundExpression): void {
  if (arg.kind !== 'part' || parts.includes(arg.part)) return;
  const message = `${title(name)} does not support the ${arg.part} date part; it takes ${parts.join(', ')}`;
  throw new QueryFault(message, arg.at);
}

interface Fit {
  readonly cost: number;
  /** What each argument becomes; undefined where it stays as it is. */
  readonly types: readonly (Type | undefined)[];
  readonly result: Type;
}

function fitTo(signature: Signature, args: readonly BoundExpression[]): Fit | undefined {
  const { required, repeats } = signature;
  if (args.length < required || (!repeats && args.length > signature.args.length)) return undefined;
  const patterns = args.map((_, i) => signature.args[i] ?? signature.args.at(-1));
  const general = generalType(patterns, args);
  if (general === 'none') return undefined;
  let cost = 0;
  const types: (Type | undefined)[] = [];
  for (const [i, arg] of args.entries()) {
    const type = instantiate(patterns[i], general);
    const step = type === undefined ? Number(arg.kind !== 'part') : distance(arg, type);
    if (step === undefined || (patterns[i]?.type === 'PART') !== (arg.kind === 'part'))
      return undefined;
    cost += step;
    types.push(type);
  }
  return { cost, types, result: instantiate(signature.result, general) ?? scalar('STRING') };
}

/** What T stands for: the type that all arguments in its places can become. */
function generalType(
  patterns: readonly (ArgumentPattern | undefined)[],
  args: readonly BoundExpression[],
): Type | 'none' | undefined {
  const values = args.flatMap((arg, i): readonly BoundExpression[] => {
    const pattern = patterns[i];
    if (pattern?.type === 'T') return [arg];
    if (pattern?.element?.type !== 'T' || arg.type.kind !== 'ARRAY') return [];
    return [{ kind: 'parameter', name: '', type: arg.type.element }];
  });
  return values.length === 0 ? undefined : (supertype(values) ?? 'none');
}

function instantiate(
  pattern: ArgumentPattern | undefined,
  general: Type | undefined,
): Type | undefined {
  if (pattern === undefined || pattern.type === 'ANY' || pattern.type === 'PART') return undefined;
  if (pattern.type === 'T') return general;
  if (pattern.type !== 'ARRAY') return scalar(pattern.type);
  const element = instantiate(pattern.element, general);
  return element && arrayOf(element);
}

function noMatch(row: FunctionRow, args: readonly BoundExpression[], at: number): QueryFault {
  const given = args.map((arg) => typeName(arg.type)).join(', ');
  const what = row.name.startsWith('$') ? 'operator' : 'function';
  const supported = row.signatures.map((signature) => printSignature(row, signature)).join('; ');
  const message = `No matching signature for ${what} ${title(row.name)} for argument types: ${given || 'none'}. Supported signatures: ${supported}`;
  return new QueryFault(message, at);
}

function printSignature(row: FunctionRow, { args, required, repeats }: Signature): string {
  const words = args.map((arg, i) => (i < required ? printPattern(arg) : `[${printPattern(arg)}]`));
  return `${title(row.name)}(${words.join(', ')}${repeats ? ', ...' : ''})`;
}

function printPattern({ type, element }: ArgumentPattern): string {
  if (element !== undefined) return `ARRAY<${printPattern(element)}>`;
  return { T: 'ANY', PART: 'DATE_PART' }[type as string] ?? type;
}

function title(name: string): string {
  return name.replace(/^\$/, '').toUpperCase();
}
