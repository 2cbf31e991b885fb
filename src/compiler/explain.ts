import { typeName } from '../types/type.js';
import type { BoundCte, BoundQuery } from './bound/bound.js';
import type { CompiledQuery } from './compiled-query.js';
import { printGoogleSql } from './syntax/print-googlesql.js';
import type { Query } from './syntax/tree.js';

/** What the stages made of one query. */
export interface Stages {
  readonly tree: Query;
  /** The CTEs that a caller's query is confined to; none of a stored query. */
  readonly tables: readonly BoundCte[];
  readonly bound: BoundQuery;
  readonly compiled: CompiledQuery;
}

/** Every stage of the compiler as text, for people: each under its name. */
export function explain({ tree, tables, bound, compiled }: Stages): string {
  const readable = tables.map((cte) => `${cte.name}(${columnsText(cte.query)})`);
  return [
    section('parse: the tree', outline(tree, '')),
    section('parse: as GoogleSQL', printGoogleSql(tree)),
    ...(readable.length === 0
      ? []
      : [
          section(
            'confine: the tables of the endpoint, which the query may read',
            readable.join('\n'),
          ),
        ]),
    section('resolve: the columns of the answer', columnsText(bound)),
    ...compiled.steps.map((step) =>
      section(
        `split, lower, print: ${titles[String(step.isGather)]}`,
        `${step.table}\n${step.sql}`,
      ),
    ),
    section('lower, print: the statement', compiled.sql),
  ].join('\n\n');
}

const titles: Readonly<Record<string, string>> = {
  true: 'a gather, into the temporary table',
  false: "a part of the caller's query, into the temporary table",
};

function section(title: string, body: string): string {
  return `-- ${title}\n${body}`;
}

function columnsText({ columns }: BoundQuery): string {
  return columns.map(({ name, type }) => `${name} ${typeName(type)}`).join(', ');
}

/** A node a line, its parts below it; names and values behind their kind. */
function outline(node: unknown, indent: string): string {
  if (Array.isArray(node)) return node.map((item) => outline(item, indent)).join('\n');
  if (typeof node !== 'object' || node === null) return `${indent}${String(node)}`;
  const entries = Object.entries(node).filter(([key, value]) => key !== 'at' && !isEmpty(value));
  const plain = entries.filter(([, value]) => typeof value !== 'object');
  const parts = entries.filter(([, value]) => typeof value === 'object');
  const head = plain.map(([key, value]) =>
    key === 'kind' ? value : `${key}=${JSON.stringify(value)}`,
  );
  const below = parts.map(
    ([key, value]) => `${indent}  ${key}:\n${outline(value, `${indent}    `)}`,
  );
  return [`${indent}${head.join(' ')}`, ...below].filter((line) => line.trim() !== '').join('\n');
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}
