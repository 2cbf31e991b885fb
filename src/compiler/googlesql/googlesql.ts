import type * as bound from '../bound/bound.js';
import { integerOf } from '../syntax/make-nodes.js';
import { nodesIn } from '../syntax/nodes-in.js';
import { printGoogleSql } from '../syntax/print-googlesql.js';
import type { Query } from '../syntax/tree.js';
import { buildQuery } from './build-query.js';

/** The options of writing a statement for BigQuery. */
export interface GoogleSqlOptions {
  /** The path of the table of a source. */
  readonly tableOf: (source: string) => readonly string[];
  readonly maxRows: number;
}

/** A statement in GoogleSQL. */
export interface GoogleSql {
  readonly sql: string;
  /** The endpoint's parameters that the statement reads, each as `@p_<name>`. */
  readonly parameters: readonly string[];
  /** Whether the statement reads the instant of the request, as `@now`. */
  readonly readsClock: boolean;
}

/**
 * Writes a bound statement as GoogleSQL that BigQuery runs: every name is unique, literals have the types that they were
 * converted to, and values are parameters. The statement returns at most one row more than `maxRows`.
 */
export function printForBigQuery(statement: bound.Query, options: GoogleSqlOptions): GoogleSql {
  const { tableOf, maxRows } = options;
  const limited = limitTo(googleSqlTree(statement, tableOf), maxRows + 1);
  const names = parameterNames(limited);
  const own = [...names].filter((name) => name.startsWith('p_'));
  const parameters = own.map((name) => name.slice(2));
  return { sql: printGoogleSql(limited), parameters, readsClock: names.has('now') };
}

/** Turns a bound statement into a syntax tree in which every name is unique. */
export function googleSqlTree(statement: bound.Query, tableOf: GoogleSqlOptions['tableOf']): Query {
  let ranges = 0;
  const newRange = () => `t${++ranges}`;
  const names = { columns: new Map(), ctes: new Map() };
  return buildQuery(statement, { ...names, tableOf, newRange, buildQuery });
}

/** Adds a LIMIT to a query, unless it has a lower one. A parameter stays, because it may be lower. */
function limitTo(query: Query, rows: number): Query {
  const { limit } = query;
  const isLower =
    limit !== undefined && (limit.kind !== 'literal' || BigInt(limit.value) <= BigInt(rows));
  return isLower ? query : { ...query, limit: integerOf(rows) };
}

function parameterNames(query: Query): ReadonlySet<string> {
  const parameters = nodesIn(query).filter((node) => node.kind === 'parameter');
  return new Set(parameters.map(({ name }) => name));
}
