import type { BoundCall, BoundExpression } from '../bound/bound.js';
import { maxMagnitude } from '../bound/magnitude.js';
import {
  call,
  type DuckExpression,
  duckNull,
  infix,
  isNotNull,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import type { Emitter } from './definition.js';

/** Arithmetic on FLOAT64 before its check: one check at the top is enough for all below. */
interface Arithmetic {
  readonly operands: readonly Operand[];
  /** The bare operations, on the operands in their order. */
  readonly build: (operands: readonly DuckExpression[]) => DuckExpression;
  /** What is divided by, on the same: an infinite one leaves no trace in the quotient. */
  readonly divisors: (operands: readonly DuckExpression[]) => readonly DuckExpression[];
}

interface Operand {
  readonly value: DuckExpression;
  /** Whether its type or its form tells that it is neither infinite nor NaN. */
  readonly isFinite: boolean;
}

/** What an expression with a check was made of, so that a larger one need not check it again. */
const unchecked = new WeakMap<DuckExpression, Arithmetic>();

/** A longer chain is checked in pieces. */
const most = 32;

/** Operands stay bare up to this size: filters read them, and a name for them costs time. */
const readable = 60;

/**
 * An operator whose FLOAT64 result must not overflow: an error, or what `otherwise` says. An
 * operand that is infinite or NaN itself may make any result.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#arithmetic_operators
 */
export function inRange(operator: string, emit: Emitter, otherwise?: DuckExpression): Emitter {
  return (args, node, clauses) => {
    if (node.type.kind !== 'FLOAT64' || cannotOverflow(node)) return emit(args, node, clauses);
    const parts = args.map((arg, place) => unchecked.get(arg) ?? operandOf(arg, node, place));
    const write = (given: readonly DuckExpression[]) => emit(given, node, clauses);
    const whole = joined(parts, operator === '/', write);
    const checked = check(whole, operator, otherwise);
    if (whole.operands.length <= most) unchecked.set(checked, whole);
    return checked;
  };
}

function bare({ value }: Operand): DuckExpression {
  return value;
}

function cannotOverflow(expression: BoundExpression): boolean {
  return maxMagnitude(expression) <= Number.MAX_VALUE;
}

function operandOf(value: DuckExpression, { args }: BoundCall, place: number): Arithmetic {
  const of = args[place];
  return {
    operands: [{ value, isFinite: of !== undefined && cannotOverflow(of) }],
    build: ([only = duckNull]) => only,
    divisors: () => [],
  };
}

/** The operation on the parts, each of which has its share of the operands. */
function joined(
  parts: readonly Arithmetic[],
  divides: boolean,
  write: (args: readonly DuckExpression[]) => DuckExpression,
): Arithmetic {
  const starts = parts.map((_, place) =>
    parts.slice(0, place).reduce((sum, { operands }) => sum + operands.length, 0),
  );
  const share = (place: number, all: readonly DuckExpression[]) =>
    all.slice(starts[place], (starts[place] ?? 0) + (parts[place]?.operands.length ?? 0));
  const build = (all: readonly DuckExpression[]) =>
    write(parts.map((part, place) => part.build(share(place, all))));
  const divisors = (all: readonly DuckExpression[]) =>
    parts.flatMap((part, place) => [
      ...part.divisors(share(place, all)),
      ...(divides && place === 1 && part.operands.length > 1 ? [part.build(share(1, all))] : []),
    ]);
  return { operands: parts.flatMap(({ operands }) => operands), build, divisors };
}

function check(
  { operands, build, divisors }: Arithmetic,
  operator: string,
  otherwise: DuckExpression | undefined,
): DuckExpression {
  const write = (values: readonly DuckExpression[]): DuckExpression => {
    const value = build(values);
    const known = all([value, ...divisors(values)].map((part) => call('isfinite', part)));
    const unsure = values.filter((_, place) => operands[place]?.isFinite !== true);
    const legal = [isNotNull(value), ...unsure.map((part) => call('isfinite', part))];
    const failed = otherwise ?? overflow(values, operator);
    const whens = [
      { when: known, result: value },
      { when: all(legal), result: failed },
    ];
    return { kind: 'case', whens, otherwise: value };
  };
  return letOnce(operands.map(bare), write, readable);
}

function all(tests: readonly DuckExpression[]): DuckExpression {
  const [only] = tests;
  return only !== undefined && tests.length === 1 ? only : infix('AND', ...tests);
}

/** Two operands are told; of more, nobody knows which ones it was. */
function overflow(values: readonly DuckExpression[], operator: string): DuckExpression {
  const [left = duckNull, right = duckNull] = values.map((value) =>
    macro('float64_to_string', value),
  );
  const told =
    values.length === 2 ? infix('||', text(': '), left, text(` ${operator} `), right) : undefined;
  const message = text('double overflow');
  return macro('fail_float64', told === undefined ? message : infix('||', message, told));
}
