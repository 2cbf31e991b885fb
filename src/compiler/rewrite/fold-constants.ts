import { scalar } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { mapQueries } from '../bound/map-expression.js';

/** The properties that a parameter's value has in every run of the statement. */
export interface KnownValue {
  readonly isNull: boolean;
  /** The value itself, if it is a STRING with few possible values. */
  readonly text?: string;
}

/** Known values, by parameter name. */
export type KnownValues = ReadonlyMap<string, KnownValue>;

/** The known values of a statement that is compiled without any. */
export const noKnownValues: KnownValues = new Map();

/**
 * Prunes the branches that cannot be taken with the known values. The engine would prune them too,
 * but only after planning all of them.
 * `CASE @a WHEN 'x' THEN b WHEN 'y' THEN c END` -> `b`, `@a IS NULL OR b` -> `b`
 */
export function foldConstants(statement: bound.Query, known: KnownValues): bound.Query {
  if (known.size === 0) return statement;
  // QUALIFY needs a window function, which pruning might take away.
  const simplify = (node: bound.Expression) => pruneBranches(node, known);
  return mapQueries(statement, { simplify, skipsQualify: true });
}

/** Removes the branches of an expression that cannot be taken; does not prune its operands. */
export function pruneBranches(node: bound.Expression, known: KnownValues): bound.Expression {
  const pruned = known.size === 0 ? node : pruneOnce(node, known);
  return pruned === node ? node : pruneBranches(pruned, known);
}

function pruneOnce(node: bound.Expression, known: KnownValues): bound.Expression {
  if (node.kind === 'case') return pruneCase(node, known);
  if (node.kind !== 'call' || node.safe) return node;
  return prunersByName[node.function.name]?.(node, known) ?? node;
}

type Prune = (node: bound.Call, known: KnownValues) => bound.Expression;

const prunersByName: Readonly<Record<string, Prune>> = {
  $AND: (node, known) => pruneOperands(node, true, known),
  $OR: (node, known) => pruneOperands(node, false, known),
  if: (node, known) => {
    const [condition, then = node, otherwise = node] = node.args;
    const truth = condition && knownTruth(condition, known);
    if (truth === undefined) return node;
    return taken(truth === true ? then : otherwise);
  },
};

/** @param neutral the operand without effect: TRUE for AND, FALSE for OR; the other value decides */
function pruneOperands(node: bound.Call, neutral: boolean, known: KnownValues): bound.Expression {
  const truths = node.args.map((arg) => knownTruth(arg, known));
  if (truths.includes(!neutral)) return boolLiteral(!neutral);
  const args = node.args.filter((_, index) => truths[index] !== neutral);
  const [only = boolLiteral(neutral), ...more] = args;
  if (more.length === 0) return only;
  return args.length === node.args.length ? node : { ...node, args };
}

function boolLiteral(value: boolean): bound.Expression {
  return { kind: 'literal', value: String(value), type: scalar('BOOL') };
}

type Case = bound.ExpressionOf<'case'>;

function pruneCase(node: Case, known: KnownValues): bound.Expression {
  const { operand } = node;
  const matches = (when: bound.Expression) =>
    operand === undefined ? knownTruth(when, known) : isEqual([operand, when], known);
  const whens: Case['whens'][number][] = [];
  for (const branch of node.whens) {
    const truth = matches(branch.when);
    if (truth === true) return makeCase(node, whens, branch.result);
    if (truth === undefined) whens.push(branch);
  }
  return whens.length === node.whens.length ? node : makeCase(node, whens, node.otherwise);
}

function makeCase(node: Case, whens: Case['whens'], otherwise: bound.Expression): bound.Expression {
  return whens.length === 0 ? taken(otherwise) : { ...node, whens, otherwise };
}

/**
 * Marks the branch that is taken, so that functions that require a literal do not accept it: whether a query
 * is valid must not depend on the values of its parameters.
 */
function taken(branch: bound.Expression): bound.Expression {
  const isLiteral = branch.kind === 'literal' && branch.type.kind !== 'BOOL';
  return isLiteral ? { kind: 'inlined', of: branch, type: branch.type } : branch;
}

/** The value of a condition, null for NULL; undefined if it is not known. */
function knownTruth(node: bound.Expression, known: KnownValues): boolean | null | undefined {
  if (node.kind === 'is-null') return isNull(node.of, known);
  if (node.kind === 'literal') return node.value === null ? null : node.value === 'true';
  if (node.kind !== 'call' || node.safe) return undefined;
  return truths[node.function.name]?.(node.args, known);
}

type Truth = (args: readonly bound.Expression[], known: KnownValues) => boolean | null | undefined;

const truths: Readonly<Record<string, Truth>> = {
  '$=': isEqual,
  '$<>': (args, known) => not(isEqual(args, known)),
  $NOT: ([operand], known) => not(operand && knownTruth(operand, known)),
  $AND: (args, known) => truthOfOperands(args, true, known),
  $OR: (args, known) => truthOfOperands(args, false, known),
};

function not(truth: boolean | null | undefined): boolean | null | undefined {
  return typeof truth === 'boolean' ? !truth : truth;
}

function truthOfOperands(args: readonly bound.Expression[], neutral: boolean, known: KnownValues) {
  const each = args.map((arg) => knownTruth(arg, known));
  if (each.includes(!neutral)) return !neutral;
  if (each.includes(undefined)) return undefined;
  return each.includes(null) ? null : neutral;
}

function isNull(node: bound.Expression, known: KnownValues): boolean | undefined {
  if (node.kind === 'literal') return node.value === null;
  return node.kind === 'parameter' ? known.get(node.name)?.isNull : undefined;
}

function isEqual([left, right]: readonly bound.Expression[], known: KnownValues) {
  const [a, b] = [left, right].map((side) => side && knownText(side, known));
  if (a === null || b === null) return null;
  return a === undefined || b === undefined ? undefined : a === b;
}

/** The value of a STRING, null for any NULL; undefined if it is not known. */
function knownText(node: bound.Expression, known: KnownValues): string | null | undefined {
  if (isNull(node, known) === true) return null;
  if (node.type.kind !== 'STRING') return undefined;
  if (node.kind === 'literal') return node.value;
  return node.kind === 'parameter' ? known.get(node.name)?.text : undefined;
}
