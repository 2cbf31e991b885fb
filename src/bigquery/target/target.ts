import type * as bound from '../../compiler/bound/bound.js';
import { isRepeatable } from '../../compiler/bound/search.js';
import type { CompilerTarget, ResolvedStatement, TargetOptions } from '../../compiler/compile.js';
import type { CompiledQuery } from '../../compiler/compiled-query.js';
import { googleSqlTree } from '../../compiler/googlesql/googlesql.js';
import { typesByName } from '../../compiler/parameter-types.js';
import { countLiteral } from '../../compiler/rewrite/gather.js';
import { int64Node } from '../../compiler/syntax/make-nodes.js';
import { nodesIn } from '../../compiler/syntax/nodes-in.js';
import { printGoogleSql } from '../../compiler/syntax/print-googlesql.js';
import type { Query } from '../../compiler/syntax/tree.js';
import type { TimeWindow } from '../../types/time-window.js';
import { typeName } from '../../types/types.js';
import { newestRows } from './newest-rows.js';
import { redactStatement } from './redact-statement.js';
import { findTimeStarts } from './time-starts.js';
import { afterWindowStart } from './window-start.js';

/** Creates the target of queries that run on BigQuery. */
export function createBigQueryTarget(options: TargetOptions): CompilerTarget {
  const sourcePath = (source: string) => tablePath(options.tables, source);
  return { options, compile: (statement, redact) => compile(statement, { sourcePath, redact }) };
}

interface Options {
  /** The path of the table of a source. */
  readonly sourcePath: (source: string) => readonly string[];
  readonly redact: boolean;
}

/**
 * Compiles a rewritten statement to one statement in GoogleSQL, in which values are parameters: redact -> print. The
 * statement returns at most one row more than the endpoint may.
 */
function compile(
  { query: rewritten, nextId, endpoint: { maxRows, parameters }, stored }: ResolvedStatement,
  { sourcePath, redact }: Options,
): CompiledQuery {
  const window = statementWindow(rewritten);
  const bounded = window.kind === 'newest' ? afterWindowStart(rewritten) : rewritten;
  // Limit the rows first, so that only rows of the answer are redacted.
  const limited = { limit: countLiteral(maxRows + 1), ...bounded };
  const query = redact ? redactStatement(limited, { stored, nextId }) : bounded;
  const tree = limitTo(googleSqlTree(query, sourcePath), maxRows + 1);
  const names = parameterNames(tree);
  const read = [...typesByName(parameters)].filter(([name]) => names.has(`p_${name}`));
  return {
    sql: printGoogleSql(tree),
    parameters: [...names].filter((name) => name.startsWith('p_')).map((name) => name.slice(2)),
    types: Object.fromEntries(read.map(([name, type]) => [name, typeName(type)])),
    tables: [],
    steps: [],
    // Without a wall, no row is known to be the caller's own.
    readsOwnRows: false,
    columns: query.columns.map(({ name, type }) => ({ name, type })),
    // The start of the newest rows depends on the instant of the request.
    readsClock: names.has('now') || window.kind === 'newest',
    isRepeatable: isRepeatable(query),
    window,
  };
}

function statementWindow(statement: bound.Query): TimeWindow {
  const { isBounded, starts } = findTimeStarts(statement);
  if (isBounded) return { kind: 'bounded', starts };
  const newest = newestRows(statement);
  return newest === undefined ? { kind: 'open' } : { kind: 'newest', ...newest };
}

/** Adds a LIMIT to a query, unless it has a lower one. A parameter stays, because it may be lower. */
function limitTo(query: Query, rows: number): Query {
  const { limit } = query;
  const isLower =
    limit !== undefined && (limit.kind !== 'literal' || BigInt(limit.value) <= BigInt(rows));
  return isLower ? query : { ...query, limit: int64Node(rows) };
}

function parameterNames(query: Query): ReadonlySet<string> {
  const parameters = nodesIn(query).filter((node) => node.kind === 'parameter');
  return new Set(parameters.map(({ name }) => name));
}

/** The path of a source's table: `['project', 'dataset', 'edge_logs']`. */
export function tablePath(tables: string, source: string): readonly string[] {
  return tables.replaceAll('{source}', source).split('.');
}
