import type * as bound from '../bound/bound.js';
import { maxMagnitude } from '../bound/magnitude.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import type { Emitter } from './definition.js';

/** Unchecked arithmetic on FLOAT64: one check around it covers all of its operations. */
interface Arithmetic {
  readonly operands: readonly Operand[];
  /** Builds the unchecked operations from the operands, in order. */
  readonly build: (operands: readonly DuckExpression[]) => DuckExpression;
  /** Builds the divisors from the same operands: a quotient does not show that its divisor was infinite. */
  readonly divisors: (operands: readonly DuckExpression[]) => readonly DuckExpression[];
}

interface Operand {
  readonly value: DuckExpression;
  /** Whether it can be neither infinite nor NaN, judging by its type and form. */
  readonly isFinite: boolean;
}

/** Checked arithmetic, which carries the unchecked form so that a larger expression does not repeat the check. */
type Checked = DuckExpression & { readonly unchecked: () => Arithmetic };

function isChecked(value: DuckExpression): value is Checked {
  return 'unchecked' in value;
}

/** The maximum number of operands per check; longer chains are checked in pieces. */
const maxOperands = 32;

/** The maximum weight of operands that do not become variables: filters need to see them, and variables cost time. */
const maxInlineWeight = 60;

/**
 * Checks the FLOAT64 result of an operator: an overflow is an error, or gives `otherwise`. If an
 * operand is infinite or NaN itself, any result is allowed.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#arithmetic_operators
 */
export function checkOverflow(
  operator: string,
  emit: Emitter,
  otherwise?: DuckExpression,
): Emitter {
  return (args, node, clauses) => {
    if (node.type.kind !== 'FLOAT64' || cannotOverflow(node)) return emit(args, node, clauses);
    // SAFE covers this operation only: its arguments keep their checks, and enclosing operations do not check it again.
    const isSafe = otherwise !== undefined;
    const parts = args.map((arg, index) =>
      isChecked(arg) && !isSafe ? arg.unchecked() : singleOperand(arg, node, index),
    );
    const write = (values: readonly DuckExpression[]) => emit(values, node, clauses);
    const whole = combine(parts, operator === '/', write);
    const checked = check(whole, operator, otherwise);
    if (isSafe || whole.operands.length > maxOperands) return checked;
    return { ...checked, unchecked: () => whole } satisfies Checked;
  };
}

function cannotOverflow(expression: bound.Expression): boolean {
  return maxMagnitude(expression) <= Number.MAX_VALUE;
}

function singleOperand(value: DuckExpression, { args }: bound.Call, index: number): Arithmetic {
  const of = args[index];
  return {
    operands: [{ value, isFinite: of !== undefined && cannotOverflow(of) }],
    build: ([only = d.nullValue]) => only,
    divisors: () => [],
  };
}

/** Combines the arithmetic of the arguments: concatenates their operands, and passes to each part its own operands. */
function combine(
  parts: readonly Arithmetic[],
  divides: boolean,
  write: (args: readonly DuckExpression[]) => DuckExpression,
): Arithmetic {
  const starts = parts.map((_, index) =>
    parts.slice(0, index).reduce((sum, { operands }) => sum + operands.length, 0),
  );
  const share = (index: number, all: readonly DuckExpression[]) =>
    all.slice(starts[index], (starts[index] ?? 0) + (parts[index]?.operands.length ?? 0));
  const build = (all: readonly DuckExpression[]) =>
    write(parts.map((part, index) => part.build(share(index, all))));
  const divisors = (all: readonly DuckExpression[]) =>
    parts.flatMap((part, index) => [
      ...part.divisors(share(index, all)),
      ...(divides && index === 1 && part.operands.length > 1 ? [part.build(share(1, all))] : []),
    ]);
  return { operands: parts.flatMap(({ operands }) => operands), build, divisors };
}

function check(
  { operands, build, divisors }: Arithmetic,
  operator: string,
  otherwise?: DuckExpression,
): DuckExpression {
  const write = (values: readonly DuckExpression[]): DuckExpression => {
    const value = build(values);
    const finite = [value, ...divisors(values)].map((part) => d.call('isfinite', part));
    const maybeInfinite = values.filter((_, index) => operands[index]?.isFinite !== true);
    const mustBeFinite = [
      d.isNotNull(value),
      ...maybeInfinite.map((part) => d.call('isfinite', part)),
    ];
    const failed = otherwise ?? overflow(values, operator);
    const whens = [
      { when: d.infix('AND', ...finite), result: value },
      { when: d.infix('AND', ...mustBeFinite), result: failed },
    ];
    return { kind: 'case', whens, otherwise: value };
  };
  return letOnce(
    operands.map(({ value }) => value),
    write,
    maxInlineWeight,
  );
}

/** Raises the error. Its message shows the operands if there are two; among more, it is unknown which overflowed. */
function overflow(values: readonly DuckExpression[], operator: string): DuckExpression {
  const [left = d.nullValue, right = d.nullValue] = values.map((value) =>
    d.macro('float64_to_string', value),
  );
  const message =
    values.length === 2
      ? d.infix('||', d.text('double overflow: '), left, d.text(` ${operator} `), right)
      : d.text('double overflow');
  return d.macro('fail_float64', message);
}
