import {
  engineMacros,
  macrosUsingArgumentsOnce,
} from '../../src/compiler/duckdb-sql/passes/macro-arguments.js';
import type { ArgumentPattern, Signature } from '../../src/compiler/functions/definition.js';
import { findFunction, functionNames } from '../../src/compiler/functions/functions.js';

/** A function nested in itself through one of its arguments, at every depth from 1. */
export interface NestedCall {
  readonly label: string;
  readonly at: (depth: number) => string;
}

/** An expression of each type over the table of the test. */
const given: Readonly<Record<string, string>> = {
  ANY: 'id',
  ARRAY: 'tags',
  BIGNUMERIC: 'cast(num as bignumeric)',
  BOOL: 'flag',
  BYTES: 'bytes',
  DATE: 'day',
  DATETIME: 'civil',
  FLOAT64: 'ratio',
  INT64: 'n',
  INTERVAL: 'make_interval(1, 2, n)',
  JSON: 'to_json(id)',
  NUMERIC: 'num',
  PART: 'DAY',
  'RANGE<DATE>': 'range(day, null)',
  'RANGE<DATETIME>': 'range(civil, null)',
  'RANGE<TIMESTAMP>': 'range(timestamp, null)',
  STRING: 'id',
  T: 'id',
  TIME: 'clock',
  TIMESTAMP: 'timestamp',
};

/** The same, with literals for the types whose arguments are often literals. */
const literals: Readonly<Record<string, string>> = { ...given, STRING: "'a'", INT64: '1' };

/** The functions that can take their own result, once for each signature and argument. */
export function nestedCalls(): readonly NestedCall[] {
  return functionNames()
    .map((name) => findFunction(name))
    .filter((row) => row?.kind === 'scalar' && !row.name.startsWith('$'))
    .flatMap((row) => (row?.signatures ?? []).flatMap((each) => nest(row?.name ?? '', each)));
}

function nest(name: string, signature: Signature): readonly NestedCall[] {
  return signature.args.flatMap((argument, place) => {
    const back = conversion(signature.result, argument);
    if (back === undefined) return [];
    const count = Math.max(signature.required, place + 1);
    return [literals, given].map((around, i) => {
      const write = (inner: string) => {
        const args = signature.args
          .slice(0, count)
          .map(({ type }, at) => (at === place ? inner : (around[type] ?? 'id')));
        return `${name}(${args.join(', ')})`;
      };
      const at = (depth: number): string =>
        write(depth === 1 ? (given[argument.type] ?? 'id') : back(at(depth - 1)));
      const label = `${name} in its argument ${place + 1}, ${argument.type}, beside ${['literals', 'columns'][i]}`;
      return { label, at };
    });
  });
}

/** Converts a result to the type of an argument. */
function conversion(
  { type: from }: ArgumentPattern,
  { type: to }: ArgumentPattern,
): ((value: string) => string) | undefined {
  if (from === to || to === 'T' || to === 'ANY') return (value) => value;
  if (to === 'ARRAY') return (value) => `[${value}]`;
  if (from === 'STRUCT' || to === 'PART') return undefined;
  const through = from === 'ARRAY' ? (value: string) => `${value}[safe_offset(0)]` : undefined;
  if (to === 'STRING') return through ?? ((value) => `to_json_string(${value})`);
  if (from !== 'STRING') return undefined;
  return to === 'JSON' ? (value) => `to_json(${value})` : (value) => `safe_cast(${value} as ${to})`;
}

/**
 * Estimates how often DuckDB binds the parts of a statement: three times for the body of a lambda and
 * for an argument that a macro repeats.
 */
export function bindings(statement: string): number {
  const tokens = statement.match(/'(?:[^']|'')*'|"[^"]*"|\w+|[^\s]/g) ?? [];
  let depth = 0;
  let total = 0;
  const repeated: number[] = [];
  for (const [place, token] of tokens.entries()) {
    if ('([{'.includes(token)) depth += 1;
    if (')]}'.includes(token)) depth -= 1;
    while ((repeated.at(-1) ?? -1) > depth) repeated.pop();
    if (token === 'lambda' || opensMacro(tokens, place)) repeated.push(depth);
    total += 3 ** repeated.length;
  }
  return total;
}

function opensMacro(tokens: readonly string[], place: number): boolean {
  const [schema, , name = ''] = tokens.slice(Math.max(place - 3, 0), place);
  if (tokens[place] !== '(') return false;
  return schema === 'bq' ? !macrosUsingArgumentsOnce.has(name) : engineMacros.has(name);
}
