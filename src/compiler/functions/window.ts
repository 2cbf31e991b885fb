import { QueryFault } from '../../errors/query-fault.js';
import type { Type } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { isLiteralOrParameter } from '../bound/coerce.js';
import { someExpression } from '../bound/search.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { type Clauses, defineFunctions, type Emitter, withClauses } from './definition.js';
import { mayBeNan } from './nan.js';

/**
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/numbering_functions
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/navigation_functions
 */
export const windowFunctions = defineFunctions(
  {
    cume_dist: ['-> FLOAT64', ordered],
    dense_rank: ['-> INT64', ordered],
    first_value: ['T -> T', sameFunction],
    lag: ['T, INT64?, T? -> T', shifted],
    last_value: ['T -> T', sameFunction],
    lead: ['T, INT64?, T? -> T', shifted],
    nth_value: ['T, INT64 -> T', nth],
    ntile: ['INT64 -> INT64', ntile],
    percent_rank: ['-> FLOAT64', ordered],
    percentile_cont: [
      'INT64, INT64 -> FLOAT64 | FLOAT64, FLOAT64 -> FLOAT64 | DECIMAL, DECIMAL -> DECIMAL',
      percentile('cont'),
    ],
    percentile_disc: ['T, FLOAT64 -> T', percentile('disc')],
    rank: ['-> INT64', ordered],
    row_number: ['-> INT64', unframed],
  },
  { kind: 'window' },
);

/** Calls DuckDB's function of the same name. */
function sameFunction(...[args, node, clauses]: Parameters<Emitter>): DuckExpression {
  return withClauses(d.call(node.function.name, ...args), clauses);
}

function unframed(...call: Parameters<Emitter>): DuckExpression {
  const [, { function: called, at }, { over }] = call;
  if (over?.frame === undefined) return sameFunction(...call);
  const message = `Window framing clause is not allowed for analytic function ${called.name}`;
  throw new QueryFault(message, at);
}

/** A function that requires ORDER BY. */
function ordered(...call: Parameters<Emitter>): DuckExpression {
  const [, { function: called, at }, { over }] = call;
  if (over?.orderBy.length !== 0) return unframed(...call);
  const message = `Window ORDER BY is required for analytic function ${called.name}`;
  throw new QueryFault(message, at);
}

function shifted(...call: Parameters<Emitter>): DuckExpression {
  refuseBelow(call[1], 0);
  refuseColumns(call[1]);
  return ordered(...call);
}

/** Refuses a default of LAG or LEAD that is not the same for all rows. */
function refuseColumns({ args: [, , value], function: { name }, at }: bound.Call): void {
  if (value === undefined || !someExpression(value, ({ kind }) => kind === 'column')) return;
  const message = `The third argument (the default expression) to ${name.toUpperCase()} must be constant`;
  throw new QueryFault(message, at);
}

/** Refuses an argument that is not a constant, or a literal below a minimum of 0 or 1. */
function refuseBelow({ args, function: called, at }: bound.Call, min: number, index = 1): void {
  const arg = args[index];
  const name = called.name.toUpperCase();
  if (arg !== undefined && !isLiteralOrParameter(arg)) {
    const message = `Argument ${index + 1} to ${name} must be a literal or query parameter`;
    throw new QueryFault(message, at);
  }
  if (arg?.kind !== 'literal' || (arg.value !== null && Number(arg.value) >= min)) return;
  const what = min === 0 ? 'must be a non-negative number' : 'must be a positive number';
  throw new QueryFault(`The ${index === 0 ? '' : 'offset '}argument of ${name} ${what}`, at);
}

function nth(...call: Parameters<Emitter>): DuckExpression {
  refuseBelow(call[1], 1);
  return sameFunction(...call);
}

function ntile(...call: Parameters<Emitter>): DuckExpression {
  refuseBelow(call[1], 1, 0);
  return ordered(...call);
}

/** The value at a position between 0 and 1 in the sorted partition; with RESPECT NULLS, NULLs come first. */
function percentile(kind: 'cont' | 'disc'): Emitter {
  return ([value = d.nullValue, at = d.nullValue], node, clauses) => {
    refuseWindow(`percentile_${kind}`, node, clauses);
    const position = fraction(node, at, kind);
    const plain = { ...clauses, ignoreNulls: false };
    const isExact = kind === 'cont' && node.type.kind !== 'FLOAT64';
    if (isExact || clauses.respectNulls) {
      const filter = clauses.respectNulls ? undefined : d.isNotNull(value);
      const kept = withClauses(d.call('list', value), plain, filter);
      const name = isExact
        ? `percentile_${node.type.kind.toLowerCase()}`
        : `percentile_${kind}_nulls`;
      return d.macro(name, sortedList(kept, node.args[0]?.type ?? node.type), position);
    }
    return quantile(kind, [value, position], { node, clauses: plain });
  };
}

function sortedList(list: DuckExpression, type: Type): DuckExpression {
  const sorted = d.call('list_sort', list, d.text('ASC'), d.text('NULLS FIRST'));
  return type.kind === 'FLOAT64' ? d.macro('nan_lowest', sorted, d.falseValue) : sorted;
}

/** Converts NaN, which DuckDB sorts last, to -Infinity; the result is NaN if the position is among the NaNs. */
function quantile(
  kind: 'cont' | 'disc',
  [value, position]: readonly [DuckExpression, DuckExpression],
  { node, clauses }: { readonly node: bound.Call; readonly clauses: Clauses },
): DuckExpression {
  const name = `quantile_${kind}`;
  const [arg] = node.args;
  if (arg === undefined || !mayBeNan(arg)) {
    const found = withClauses(d.call(name, value, position), clauses);
    return node.type.kind === 'FLOAT64' ? d.castTo(found, 'DOUBLE') : found;
  }
  const isNan = d.call('isnan', value);
  const lowest = d.choose(isNan, d.castTo(d.text('-Infinity'), 'DOUBLE'), value);
  const count = withClauses(d.call('count', value), clauses);
  const nans = withClauses(d.call('count', value), clauses, isNan);
  const place = d.macro(`percentile_${kind}_place`, count, position);
  const found = withClauses(d.call(name, lowest, position), clauses);
  return d.choose(d.infix('<', place, nans), d.castTo(d.text('NaN'), 'DOUBLE'), found);
}

function refuseWindow(name: string, { at }: bound.Call, { over }: Clauses): void {
  const wrong = over?.frame !== undefined ? 'framing clause' : 'ORDER BY';
  if (over === undefined || (over.frame === undefined && over.orderBy.length === 0)) return;
  throw new QueryFault(`Window ${wrong} is not allowed for analytic function ${name}`, at);
}

/** The position. A literal becomes a decimal, so that `0.1` of 30 rows is exactly the third. */
function fraction({ args, type, at }: bound.Call, lowered: DuckExpression, kind: string) {
  const [, arg] = args;
  const value = arg?.kind === 'literal' ? Number(arg.value ?? Number.NaN) : Number.NaN;
  const isExact = kind === 'cont' && type.kind !== 'FLOAT64';
  if (arg?.kind === 'parameter') {
    const checked = d.macro('percentile', d.castTo(lowered, 'DOUBLE'));
    return isExact ? d.castTo(checked, exactPosition) : checked;
  }
  if (!(value >= 0 && value <= 1)) {
    const name = `PERCENTILE_${kind.toUpperCase()}`;
    throw new QueryFault(`The percentile of ${name} must be a literal or parameter in [0, 1]`, at);
  }
  if (isExact) return d.castTo(d.text(value.toFixed(9)), exactPosition);
  return d.castTo(d.text(value.toFixed(15)), kind === 'disc' ? 'DECIMAL(18,15)' : 'DOUBLE');
}

const exactPosition = 'DECIMAL(10,9)';
