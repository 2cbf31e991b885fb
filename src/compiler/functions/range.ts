import { isRange, macroWord } from '../../types/ranges.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { letMacro } from '../duckdb-sql/let.js';
import { defineFunctions, type Emitter } from './definition.js';

const pair = 'RANGE<MOMENT>, RANGE<MOMENT>';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/range-functions */
export const rangeFunctions = defineFunctions({
  generate_range_array: ['RANGE<MOMENT>, INTERVAL, BOOL? -> ARRAY<RANGE<MOMENT>>', generateRanges],
  range: ['MOMENT, MOMENT -> RANGE<MOMENT>', typedMacro('range_of')],
  range_contains: [`${pair} -> BOOL | RANGE<MOMENT>, MOMENT -> BOOL`, contains],
  range_end: ['RANGE<MOMENT> -> MOMENT', typedMacro('range_end')],
  range_intersect: [`${pair} -> RANGE<MOMENT>`, typedMacro('range_intersect')],
  range_overlaps: [`${pair} -> BOOL`],
  range_start: ['RANGE<MOMENT> -> MOMENT', typedMacro('range_start')],
});

/** Calls a macro and casts its result, because in DuckDB a field of a struct that is a constant NULL has no type. */
function typedMacro(name: string): Emitter {
  return (args, { type }) => d.castTo(letMacro(name, ...args), duckType(type));
}

function contains(...[args, node]: Parameters<Emitter>): DuckExpression {
  const takesRange = node.args.slice(1).some(({ type }) => isRange(type));
  return letMacro(takesRange ? 'range_contains' : 'range_contains_value', ...args);
}

/** `GENERATE_RANGE_ARRAY(range, step[, partial])`: by default, the last range may be shorter than the others. */
function generateRanges(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [range = d.nullValue, step = d.nullValue, partial = d.text('true')] = args;
  const kind = node.args[0]?.type.kind ?? '';
  return letMacro(`generate_${macroWord(kind)}`, range, step, d.castTo(partial, 'BOOLEAN'));
}
