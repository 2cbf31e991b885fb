import type { DuckPlan, DuckStatement, DuckStep } from '../duckdb-plan.js';
import type { DuckQuery } from '../duckdb-sql.js';
import { mapChildren } from '../map-tree.js';
import { encodeAnswerRows } from './encode.js';
import { letArguments } from './let-arguments.js';
import { narrow } from './narrow.js';
import { bringOuterColumns } from './outer-columns.js';
import { fetchParts, type Parts, spreadParts } from './parts.js';
import { narrowParts, readParts } from './read-parts.js';
import { redactStep } from './redact.js';
import { storeDeepRows } from './store-deep-rows.js';

/** The options of the passes. */
export interface PassOptions {
  /** The maximum number of rows in the answer; one more is returned, which shows that there are more. */
  readonly maxRows: number;
  /** Whether personal data is redacted in gathered rows and in the answer. */
  readonly redact: boolean;
  readonly parts: Parts;
}

/** A change of lowered statements that keeps their rows, or encodes or redacts them. */
interface Pass {
  readonly name: string;
  readonly apply: (plan: DuckPlan, options: PassOptions) => DuckPlan;
}

/** All passes, in the order in which they run. */
const passes: readonly Pass[] = [
  { name: 'narrow', apply: narrow },
  { name: 'narrow parts', apply: mapStatements((query, { parts }) => narrowParts(query, parts)) },
  {
    name: 'fetch from parts',
    apply: mapSteps((step, { parts }) => (step.kind === 'fetch' ? fetchParts(step, parts) : step)),
  },
  {
    name: 'redact',
    // A search reads only tables of earlier steps, whose rows are redacted already.
    apply: mapSteps((step, { redact }) =>
      redact && step.kind !== 'search' ? redactStep(step) : step,
    ),
  },
  {
    name: 'encode',
    apply: ({ steps, answer }, options) => {
      const query = encodeAnswerRows(answer.query, answer.columns, options);
      return { steps, answer: { ...answer, query } };
    },
  },
  {
    name: 'first rows of parts',
    apply: mapStatements((query, { parts }) => spreadParts(query, parts)),
  },
  { name: 'read parts', apply: mapStatements((query, { parts }) => readParts(query, parts)) },
  { name: 'bring outer columns', apply: mapStatements(bringOuterColumns) },
  { name: 'let arguments', apply: mapStatements((query) => mapChildren(query, letArguments)) },
  { name: 'store deep rows', apply: mapStatements(storeDeepRows) },
];

/** Called with the name and the result of each pass. */
export type OnPass = (name: string, plan: DuckPlan) => void;

/** The last stage before printing: applies every pass to a lowered plan. */
export function applyPasses(
  plan: DuckPlan,
  options: PassOptions,
  onPass: OnPass = () => {},
): DuckPlan {
  return passes.reduce((before, { name, apply }) => {
    const after = apply(before, options);
    onPass(name, after);
    return after;
  }, plan);
}

/** A pass that changes each step. */
function mapSteps(change: (step: DuckStep, options: PassOptions) => DuckStep): Pass['apply'] {
  return ({ steps, answer }, options) => {
    return { steps: steps.map((step) => change(step, options)), answer };
  };
}

/** A pass that changes every statement. */
function mapStatements(
  change: (query: DuckQuery, options: PassOptions) => DuckQuery,
): Pass['apply'] {
  return ({ steps, answer }, options) => {
    const map = <T extends DuckStatement>(one: T) => ({
      ...one,
      query: change(one.query, options),
    });
    return { steps: steps.map(map), answer: map(answer) };
  };
}
