import { typeName } from '../types/types.js';
import type * as bound from './bound/bound.js';
import type { BoundPlan } from './bound/plan.js';
import type { CompiledQuery, CompiledStep } from './compiled-query.js';
import type { DuckPlan } from './duckdb-sql/duckdb-plan.js';
import { printStatement } from './duckdb-sql/print.js';
import { googleSqlTree } from './googlesql/googlesql.js';
import type { Lql } from './lql/lql-tree.js';
import { printGoogleSql } from './syntax/print-googlesql.js';
import type { Query } from './syntax/tree.js';

/** The stages of the compiler, in order; `lql` and `confine` are for callers' queries only. */
export const stageNames = [
  'lql',
  'parse',
  'confine',
  'resolve',
  'rewrite',
  'split',
  'lower',
  'passes',
  'print',
] as const;

export type StageName = (typeof stageNames)[number];

/** The result of a stage; each rewrite and each pass that changed something has its own. */
export interface ExplainedStage {
  readonly name: StageName;
  readonly title: string;
  readonly text: string;
}

/** A compiled query, and the results of the stages that it went through. */
export interface ExplainedQuery {
  readonly query: CompiledQuery;
  readonly stages: readonly ExplainedStage[];
}

/** Receives the result of each stage from the compiler. */
export type Trace = ReturnType<typeof createTrace>;

/** Creates a trace that keeps each result as readable text. */
export function createTrace() {
  const stages: ExplainedStage[] = [];
  const add = (name: StageName, title: string, text: string) => {
    stages.push({ name, title, text });
  };
  let lastPlan = '';
  return {
    stages,
    lql: (lql: Lql) => add('lql', 'the LQL tree', outline(lql, '')),
    parsed: (tree: Query) => {
      add('parse', 'the syntax tree', outline(tree, ''));
      add('parse', 'as GoogleSQL', printGoogleSql(tree));
    },
    confined: (tree: Query, tables: readonly bound.Cte[]) => {
      const readable = tables.map(({ name, query }) => `${name}(${columnsText(query)})`);
      add('confine', 'the tables that the query may read', readable.join('\n'));
      add('confine', 'the confined tree, as GoogleSQL', printGoogleSql(tree));
    },
    resolved: (query: bound.Query) => {
      add('resolve', 'the columns of the answer', columnsText(query));
      add('resolve', 'what its names mean, as GoogleSQL', printBound(query));
    },
    rewritten: (rewrite: string, statement: bound.Query) =>
      add('rewrite', rewrite, printBound(statement)),
    split: (plan: BoundPlan) => {
      if (plan.steps.length > 0) add('split', 'gathers and answer', printBoundPlan(plan));
    },
    lowered: (plan: DuckPlan) => {
      lastPlan = printDuckPlan(plan);
      add('lower', 'as SQL of the engine', lastPlan);
    },
    passed: (pass: string, plan: DuckPlan) => {
      const text = printDuckPlan(plan);
      if (text !== lastPlan) add('passes', pass, text);
      lastPlan = text;
    },
    printed: ({ steps, sql }: CompiledQuery) => {
      for (const step of steps) add('print', stepTitle(step), step.sql);
      add('print', 'the statement', sql);
    },
  };
}

function stepTitle({ isGather, table }: CompiledStep): string {
  const kind = isGather ? 'a gather' : "a part of the caller's query";
  return `${kind}, into the temporary table temp."${table}"`;
}

/** Prints the stages, each after a comment with its name. */
export function printStages(stages: readonly ExplainedStage[]): string {
  return stages.map(({ name, title, text }) => `-- ${name}: ${title}\n${text}`).join('\n\n');
}

function columnsText({ columns }: bound.Query): string {
  return columns.map(({ name, type }) => `${name} ${typeName(type)}`).join(', ');
}

/** Prints a bound query; each column has a unique name, which does not change from stage to stage. */
function printBound(query: bound.Query): string {
  return printGoogleSql(googleSqlTree(query, (source) => ['logs', source]));
}

function printBoundPlan({ steps, answer }: BoundPlan): string {
  return printSteps(steps, ({ query }) => printBound(query), printBound(answer));
}

function printDuckPlan({ steps, answer }: DuckPlan): string {
  return printSteps(steps, ({ query }) => printStatement(query), printStatement(answer.query));
}

function printSteps<T extends { readonly table: string; readonly kind: string }>(
  steps: readonly T[],
  printStep: (step: T) => string,
  answer: string,
): string {
  if (steps.length === 0) return answer;
  const texts = steps.map((step) => `${step.kind} temp."${step.table}":\n${printStep(step)}`);
  return [...texts, `answer:\n${answer}`].join('\n\n');
}

/** One line per node: its kind, then its plain values; its children indented below. */
function outline(node: unknown, indent: string): string {
  if (Array.isArray(node)) return node.map((item) => outline(item, indent)).join('\n');
  if (typeof node !== 'object' || node === null) return `${indent}${String(node)}`;
  const entries = Object.entries(node).filter(([key, value]) => key !== 'at' && !isEmpty(value));
  const plain = entries.filter(([, value]) => typeof value !== 'object');
  const children = entries.filter(([, value]) => typeof value === 'object');
  const head = plain.map(([key, value]) =>
    key === 'kind' ? value : `${key}=${JSON.stringify(value)}`,
  );
  const below = children.map(
    ([key, value]) => `${indent}  ${key}:\n${outline(value, `${indent}    `)}`,
  );
  return [`${indent}${head.join(' ')}`, ...below].filter((line) => line.trim() !== '').join('\n');
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}
