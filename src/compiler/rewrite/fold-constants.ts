import { scalar } from '../../types/type.js';
import type { BoundCall, BoundExpression } from '../bound/bound.js';

/** What is known of a parameter's value before a statement runs. */
export interface KnownValue {
  readonly isNull: boolean;
  /** The value itself, of a STRING of which few are allowed. */
  readonly text?: string;
}

/** By the name of the parameter. */
export type Known = ReadonlyMap<string, KnownValue>;

/** Of no parameter anything. */
export const nothing: Known = new Map();

type Call = (node: BoundCall, known: Known) => BoundExpression;

/**
 * An expression without what cannot be taken under the values that are known, at its top alone:
 * `CASE @a WHEN 'x' THEN b WHEN 'y' THEN c END -> b`, `@a IS NULL OR b -> b`. The engine would come
 * to the same, once it had bound and planned all of it.
 */
export function withoutUntaken(node: BoundExpression, known: Known): BoundExpression {
  const less = known.size === 0 ? node : takenOf(node, known);
  return less === node ? node : withoutUntaken(less, known);
}

function takenOf(node: BoundExpression, known: Known): BoundExpression {
  if (node.kind === 'case') return takenCase(node, known);
  if (node.kind !== 'call' || node.safe) return node;
  return taken[node.function.name]?.(node, known) ?? node;
}

const taken: Readonly<Record<string, Call>> = {
  $AND: (node, known) => takenOperands(node, true, known),
  $OR: (node, known) => takenOperands(node, false, known),
  if: (node, known) => {
    const [condition, then = node, otherwise = node] = node.args;
    const truth = condition && truthOf(condition, known);
    if (truth === undefined) return node;
    return truth === true ? then : otherwise;
  },
};

/** `neutral` is what changes nothing: TRUE of AND, FALSE of OR; the other one decides. */
function takenOperands(node: BoundCall, neutral: boolean, known: Known): BoundExpression {
  const truths = node.args.map((arg) => truthOf(arg, known));
  if (truths.includes(!neutral)) return boolOf(!neutral);
  const args = node.args.filter((_, place) => truths[place] !== neutral);
  const [only = boolOf(neutral), ...more] = args;
  if (more.length === 0) return only;
  return args.length === node.args.length ? node : { ...node, args };
}

function boolOf(value: boolean): BoundExpression {
  return { kind: 'literal', value: String(value), type: scalar('BOOL') };
}

type Case = Extract<BoundExpression, { kind: 'case' }>;

function takenCase(node: Case, known: Known): BoundExpression {
  const { operand } = node;
  const matches = (when: BoundExpression) =>
    operand === undefined ? truthOf(when, known) : isEqual([operand, when], known);
  const whens: Case['whens'][number][] = [];
  for (const branch of node.whens) {
    const truth = matches(branch.when);
    if (truth === true) return caseOf(node, whens, branch.result);
    if (truth === undefined) whens.push(branch);
  }
  return whens.length === node.whens.length ? node : caseOf(node, whens, node.otherwise);
}

function caseOf(node: Case, whens: Case['whens'], otherwise: BoundExpression): BoundExpression {
  return whens.length === 0 ? otherwise : { ...node, whens, otherwise };
}

/** SQL's truth of a condition, null for NULL; undefined where it is not known. */
function truthOf(node: BoundExpression, known: Known): boolean | null | undefined {
  if (node.kind === 'is-null') return isNull(node.of, known);
  if (node.kind === 'literal') return node.value === null ? null : node.value === 'true';
  if (node.kind !== 'call' || node.safe) return undefined;
  return truths[node.function.name]?.(node.args, known);
}

type Truth = (args: readonly BoundExpression[], known: Known) => boolean | null | undefined;

const truths: Readonly<Record<string, Truth>> = {
  '$=': isEqual,
  '$<>': (args, known) => not(isEqual(args, known)),
  $NOT: ([operand], known) => not(operand && truthOf(operand, known)),
  $AND: (args, known) => joined(args, true, known),
  $OR: (args, known) => joined(args, false, known),
};

function not(truth: boolean | null | undefined): boolean | null | undefined {
  return typeof truth === 'boolean' ? !truth : truth;
}

function joined(args: readonly BoundExpression[], neutral: boolean, known: Known) {
  const each = args.map((arg) => truthOf(arg, known));
  if (each.includes(!neutral)) return !neutral;
  if (each.includes(undefined)) return undefined;
  return each.includes(null) ? null : neutral;
}

function isNull(node: BoundExpression, known: Known): boolean | undefined {
  if (node.kind === 'literal') return node.value === null;
  return node.kind === 'parameter' ? known.get(node.name)?.isNull : undefined;
}

function isEqual([left, right]: readonly BoundExpression[], known: Known) {
  const [a, b] = [left, right].map((side) => side && textOf(side, known));
  if (a === null || b === null) return null;
  return a === undefined || b === undefined ? undefined : a === b;
}

/** The text of a STRING, null of any NULL; undefined where it is not known. */
function textOf(node: BoundExpression, known: Known): string | null | undefined {
  if (isNull(node, known) === true) return null;
  if (node.type.kind !== 'STRING') return undefined;
  if (node.kind === 'literal') return node.value;
  return node.kind === 'parameter' ? known.get(node.name)?.text : undefined;
}
