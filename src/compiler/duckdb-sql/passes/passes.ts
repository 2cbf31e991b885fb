import type { DuckPlan, DuckStatement, DuckStep } from '../duckdb-plan.js';
import { collapse } from './collapse.js';
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
  /** Whether every expression has the same value each time for equal rows. */
  readonly isRepeatable: boolean;
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
  {
    name: 'narrow parts',
    apply: (plan, { parts }) =>
      mapStatements(plan, (one) => ({ ...one, query: narrowParts(one.query, parts) })),
  },
  {
    name: 'fetch from parts',
    apply: (plan, { parts }) =>
      mapSteps(plan, (step) =>
        step.kind === 'fetch' ? { ...step, query: fetchParts(step.query, parts) } : step,
      ),
  },
  {
    name: 'redact',
    apply: (plan, { redact }) =>
      redact ? mapSteps(plan, (step) => (step.kind === 'search' ? step : redactStep(step))) : plan,
  },
  {
    // After redaction, so that the number of rows reveals nothing about the originals.
    name: 'collapse',
    apply: (plan, { isRepeatable }) => (isRepeatable ? collapse(plan) : plan),
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
    apply: (plan, { parts }) =>
      mapStatements(plan, (one) => ({ ...one, query: spreadParts(one.query, parts) })),
  },
  {
    name: 'read parts',
    apply: (plan, { parts }) =>
      mapStatements(plan, (one) => ({ ...one, query: readParts(one.query, parts) })),
  },
  {
    name: 'bring outer columns',
    apply: (plan) =>
      mapStatements(plan, (one) => ({ ...one, query: bringOuterColumns(one.query) })),
  },
  {
    name: 'let arguments',
    apply: (plan) => mapStatements(plan, (one) => ({ ...one, query: letArguments(one.query) })),
  },
  {
    name: 'store deep rows',
    apply: (plan) => mapStatements(plan, (one) => ({ ...one, query: storeDeepRows(one.query) })),
  },
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

function mapSteps(plan: DuckPlan, change: (step: DuckStep) => DuckStep): DuckPlan {
  return plan.steps.length === 0 ? plan : { ...plan, steps: plan.steps.map(change) };
}

function mapStatements(
  { steps, answer }: DuckPlan,
  change: <T extends DuckStatement>(statement: T) => T,
): DuckPlan {
  return { steps: steps.map(change), answer: change(answer) };
}
