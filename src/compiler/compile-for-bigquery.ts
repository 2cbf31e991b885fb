import { type Type, typeName } from '../types/types.js';
import type * as bound from './bound/bound.js';
import { isRepeatable } from './bound/search.js';
import type { CompiledQuery, TimeWindow } from './compiled-query.js';
import { printForBigQuery } from './googlesql/googlesql.js';
import { newestRows } from './googlesql/newest-rows.js';
import { redactStatement } from './googlesql/redact-statement.js';
import { timeStartsOf } from './googlesql/time-starts.js';
import { afterWindowStart } from './googlesql/window-start.js';
import { countLiteral } from './rewrite/gather.js';

/** The target of queries that are compiled for BigQuery. */
export interface BigQueryTarget {
  /** The path of the sources' tables, with `{source}` in place of a source's name: `project.dataset.{source}`. */
  readonly tables: string;
  /** Whether callers may send their own queries. */
  readonly sandbox: boolean;
}

interface Statement {
  readonly query: bound.Query;
  /** The first unused id of columns and CTEs. */
  readonly nextId: number;
  readonly endpoint: { readonly maxRows: number };
  /** The CTEs of the endpoint, for a caller's query. */
  readonly stored?: readonly bound.Cte[];
}

interface Options extends Pick<BigQueryTarget, 'tables'> {
  readonly parameters: ReadonlyMap<string, Type>;
  readonly redact: boolean;
}

/** Compiles a rewritten statement to one statement for BigQuery: redact -> print. */
export function compileForBigQuery(
  { query: rewritten, nextId, endpoint: { maxRows }, stored }: Statement,
  { tables, parameters, redact }: Options,
): CompiledQuery {
  const window = windowOf(rewritten);
  const bounded = window.kind === 'newest' ? afterWindowStart(rewritten) : rewritten;
  // Limit the rows first, so that only rows of the answer are redacted.
  const limited = { limit: countLiteral(maxRows + 1), ...bounded };
  const query = redact ? redactStatement(limited, { stored, nextId }) : bounded;
  const tableOf = (source: string) => tablePath(tables, source);
  const printed = printForBigQuery(query, { tableOf, maxRows });
  const read = [...parameters].filter(([name]) => printed.parameters.includes(name));
  return {
    ...printed,
    types: Object.fromEntries(read.map(([name, type]) => [name, typeName(type)])),
    tables: [],
    steps: [],
    // Without a wall, no row is known to be the caller's own.
    readsOwnRows: false,
    columns: query.columns.map(({ name, type }) => ({ name, type })),
    // The start of the newest rows depends on the instant of the request.
    readsClock: printed.readsClock || window.kind === 'newest',
    isRepeatable: isRepeatable(query),
    window,
  };
}

function windowOf(statement: bound.Query): TimeWindow {
  const { isBounded, starts } = timeStartsOf(statement);
  if (isBounded) return { kind: 'bounded', starts };
  const newest = newestRows(statement);
  return newest === undefined ? { kind: 'open' } : { kind: 'newest', ...newest };
}

/** The path of a source's table: `['project', 'dataset', 'edge_logs']`. */
export function tablePath(tables: string, source: string): readonly string[] {
  return tables.replaceAll('{source}', source).split('.');
}
