import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import { isNumeric } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { plain } from '../bound/coerce.js';
import { notPartitionable } from '../bound/comparable.js';
import { hasSubquery } from '../bound/search.js';
import type { FunctionDefinition } from '../functions/definition.js';
import { title } from '../functions/print-signature.js';
import { asNumber } from '../functions/read-open.js';
import type { Identifier } from '../syntax/names.js';
import type { Call, Expression, FrameBound, WindowFrame, WindowSpec } from '../syntax/tree.js';
import { aggregateCall, orderKeys } from './resolve-aggregate.js';
import { resolvePart, type Scope } from './scope.js';

/**
 * Resolves a call with OVER, which is evaluated over the rows of its block after grouping.
 * @throws QueryFault if window functions are not allowed here, or the window is invalid
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/window-function-calls
 */
export function resolveWindow(
  node: Call,
  definition: FunctionDefinition,
  scope: Scope,
): bound.Call {
  const name = title(definition.name);
  if (scope.windows === undefined) {
    const message = `Analytic function ${name} not allowed in ${scope.clause ?? 'this clause'}`;
    throw new QueryFault(message, node.at);
  }
  if (definition.kind === 'scalar') {
    throw new QueryFault(`Function ${name} does not support an OVER clause`, node.at);
  }
  const { windows, ...around } = scope;
  const inner = { ...around, clause: 'a window function' };
  const call = aggregateCall(node, definition, inner);
  if (call.clauses === undefined || node.over === undefined) return call;
  const over = asWindow(inherit(node.over, windows, 0), inner);
  return { ...call, clauses: { ...call.clauses, over } };
}

function asWindow(spec: WindowSpec, scope: Scope): bound.Window {
  const frame = spec.frame && asFrame(spec.frame, scope, spec.at);
  const keys = orderKeys(spec.orderBy, scope);
  const hasOffset = (frame?.start.offset ?? frame?.end.offset) !== undefined;
  const orderBy = frame?.unit === 'RANGE' && hasOffset ? numericKey(keys, spec.at) : keys;
  const partitionBy = spec.partitionBy.map((key) => partitionKey(key, scope));
  return { partitionBy, orderBy, ...(frame && { frame }) };
}

/** The only key of a RANGE frame with offsets. @throws QueryFault for several keys, or a key that is not a number */
function numericKey([key, ...others]: readonly bound.Order[], at: number): readonly bound.Order[] {
  if (key === undefined || others.length > 0) {
    throw new QueryFault('A RANGE window frame with offsets needs exactly one ORDER BY key', at);
  }
  const value = asNumber(key.value);
  if (isNumeric(value.type) && !hasSubquery(value)) return [{ ...key, value }];
  throw new QueryFault('The ORDER BY key of a RANGE window frame must be a number', at);
}

type Frame = NonNullable<bound.Window['frame']>;

function partitionKey(node: Expression, scope: Scope): bound.Expression {
  const key = plain(resolvePart(node, scope));
  const part = notPartitionable(key.type);
  if (part === undefined) return key;
  throw new QueryFault(`Partitioning by expressions of type ${part} is not allowed`, node.at);
}

/** Merges `(w order by x)` with the named window `w`. */
function inherit(
  spec: WindowSpec,
  windows: ReadonlyMap<string, WindowSpec>,
  depth: number,
): WindowSpec {
  if (spec.name === undefined) return spec;
  const { name } = spec;
  const named = windows.get(name.name.toLowerCase());
  if (named === undefined || depth > windows.size) {
    const near = didYouMean(name.name, windows.keys());
    throw new QueryFault(`Unrecognized window alias ${shortName(name.name)}${near}`, name.at);
  }
  const base = inherit(named, windows, depth + 1);
  refuseRedefined(spec, base, name);
  const frame = spec.frame ?? base.frame;
  return {
    partitionBy: base.partitionBy,
    orderBy: spec.orderBy.length > 0 ? spec.orderBy : base.orderBy,
    ...(frame && { frame }),
    at: spec.at,
  };
}

/**
 * Refuses to redefine a named window: its partitions are fixed, and its order can only be added.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/window-function-calls#ref_named_window
 */
function refuseRedefined(spec: WindowSpec, base: WindowSpec, { name, at }: Identifier): void {
  if (spec.partitionBy.length > 0) {
    throw new QueryFault(`PARTITION BY may not follow a named window: ${shortName(name)}`, at);
  }
  if (spec.orderBy.length > 0 && base.orderBy.length > 0) {
    throw new QueryFault(`The named window ${shortName(name)} has an ORDER BY already`, at);
  }
}

const currentRow: FrameBound = { kind: 'CURRENT ROW' };

function asFrame({ unit, start, end = currentRow }: WindowFrame, scope: Scope, at: number): Frame {
  checkEnds(start, end, at);
  return { unit, start: asBound(start, unit, scope), end: asBound(end, unit, scope) };
}

/** The places where a frame may start and end, in order. */
const places: readonly string[] = [
  'UNBOUNDED PRECEDING',
  'PRECEDING',
  'CURRENT ROW',
  'FOLLOWING',
  'UNBOUNDED FOLLOWING',
];

/**
 * Refuses a frame that ends before it starts, whatever its offsets.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/window-function-calls#def_window_frame
 */
function checkEnds(start: FrameBound, end: FrameBound, at: number): void {
  const [from, to] = [boundPlace(start), boundPlace(end)];
  const [first, last] = [places.indexOf(from), places.indexOf(to)];
  if (first <= last && first < places.length - 1 && last > 0) return;
  throw new QueryFault(`A window frame cannot start at ${from} and end at ${to}`, at);
}

function boundPlace({ kind, offset }: FrameBound): string {
  return kind === 'CURRENT ROW' || offset !== undefined ? kind : `UNBOUNDED ${kind}`;
}

function asBound(
  { kind, offset }: FrameBound,
  unit: Frame['unit'],
  scope: Scope,
): bound.FrameBound {
  if (offset === undefined) return { kind };
  const value = resolvePart(offset, scope);
  const isCount = unit === 'ROWS' ? value.type.kind === 'INT64' : isNumeric(value.type);
  const isOffset =
    value.kind === 'literal' ? /^[\d.]/.test(value.value ?? '') : value.kind === 'parameter';
  if (isCount && isOffset) return { kind, offset: value };
  const what = unit === 'ROWS' ? 'integer' : 'number';
  throw new QueryFault(`A window frame takes a non-negative ${what}, as in 5 PRECEDING`, offset.at);
}
