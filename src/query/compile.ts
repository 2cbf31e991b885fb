import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors.js';
import { QueryFault, toServiceError } from '../query-fault.js';
import type { SourceSchema, Type } from '../source/schema.js';
import type { BoundQuery, Column } from './bound.js';
import type { CompiledQuery } from './compiled-query.js';
import { confine } from './confine.js';
import { encodeRows } from './encode.js';
import { explain } from './explain.js';
import { lower } from './lower-query.js';
import { nameOutput } from './name-output.js';
import { parametersOf } from './parameters-of.js';
import { parse } from './parse.js';
import { print } from './print.js';
import { type Readable, resolve } from './resolve.js';
import { tablesOf } from './tables-of.js';
import { scalar } from './type.js';

/** A caller's own query over an endpoint's CTEs. */
export interface SandboxQuery {
  readonly language: 'sql' | 'lql';
  readonly text: string;
}

/** What of an endpoint its queries are compiled from. */
export interface StoredQuery {
  readonly name: string;
  readonly sql: string;
  readonly maxRows: number;
  readonly parameters: readonly {
    readonly name: string;
    readonly type: keyof typeof parameterTypes;
  }[];
}

/** Compiles stored queries, and callers' own over their CTEs. */
export interface Compiler {
  /**
   * @throws ServiceError `invalidQuery`, `accessDenied` or `resourcesExceeded`, with line and column
   * of the text that is wrong; `location` is `sql` or `lql` where that text is the caller's
   */
  compile(endpoint: StoredQuery, sandbox?: SandboxQuery): CompiledQuery;
  /** What each stage makes of a query, as text; throws as `compile` does. */
  explain(endpoint: StoredQuery, sandbox?: SandboxQuery): string;
}

/** The BigQuery types of an endpoint file's parameter types. */
const parameterTypes = {
  string: scalar('STRING'),
  regexp: scalar('STRING'),
  timestamp: scalar('TIMESTAMP'),
  integer: scalar('INT64'),
  number: scalar('FLOAT64'),
  boolean: scalar('BOOL'),
} as const satisfies Record<string, Type>;

/** How many compiled queries are kept, the least recently used out first. */
const keptQueries = 1_000;

/** A compiler over these sources; it keeps what it has compiled by text. */
export function createCompiler(sources: readonly SourceSchema[]): Compiler {
  const kept = new LRUCache<string, CompiledQuery>({ max: keptQueries });
  const bind = createBind(new Map(sources.map((source) => [source.name, source])));
  return {
    compile(endpoint, sandbox) {
      const key = JSON.stringify([endpoint.name, endpoint.sql, endpoint.maxRows, sandbox]);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const query = worded(endpoint, sandbox, () =>
        compileQuery(bind(endpoint, sandbox), endpoint),
      );
      kept.set(key, query);
      return query;
    },
    explain(endpoint, sandbox) {
      return worded(endpoint, sandbox, () => {
        const bound = bind(endpoint, sandbox);
        const tree = parse(sandbox?.text ?? endpoint.sql);
        return explain({ tree, bound, compiled: compileQuery(bound, endpoint) });
      });
    },
  };
}

type Bind = (endpoint: StoredQuery, sandbox: SandboxQuery | undefined) => BoundQuery;

/** parse -> confine -> resolve; stored queries are kept, since every caller's own reads their CTEs. */
function createBind(tables: Readable['sources']): Bind {
  const kept = new LRUCache<string, BoundQuery>({ max: keptQueries });
  return (endpoint, sandbox) => {
    const parameters = new Map(
      endpoint.parameters.map(({ name, type }) => [name, parameterTypes[type]]),
    );
    const key = JSON.stringify([endpoint.sql, endpoint.parameters]);
    const stored =
      kept.get(key) ?? bindStored(endpoint.sql, { sources: tables, parameters, ctes: [] });
    kept.set(key, stored);
    if (sandbox === undefined) return stored;
    const ctes = stored.ctes.map((cte) => ({ ...cte, isFenced: true }));
    const tree = confine(parse(sandbox.text), { tables: ctes.map(({ name }) => name), parameters });
    const own = nameOutput(resolve(tree, { sources: undefined, parameters, ctes }));
    return { ...own, ctes: [...stored.ctes, ...own.ctes] };
  };
}

/** A stored query's meaning; its CTEs are lowered once, so that no caller meets their faults first. */
function bindStored(text: string, readable: Readable): BoundQuery {
  const bound = nameOutput(resolve(parse(text), readable));
  for (const [place, { query }] of bound.ctes.entries()) {
    lower({ ...query, ctes: [...bound.ctes.slice(0, place), ...query.ctes] });
  }
  return bound;
}

/** lower -> print. */
function compileQuery(bound: BoundQuery, endpoint: StoredQuery): CompiledQuery {
  const statement = encodeRows(lower(bound, endpoint.maxRows + 1), bound.columns, endpoint.maxRows);
  const read = parametersOf(statement);
  return {
    sql: print(statement),
    tables: tablesOf(statement),
    parameters: endpoint.parameters.map(({ name }) => name).filter((name) => read.has(`p_${name}`)),
    readsClock: read.has('now'),
    columns: bound.columns.map(({ name, type }: Column) => ({ name, type })),
  };
}

/** Gives the faults of a text their line and column in it. */
function worded<T>(endpoint: StoredQuery, sandbox: SandboxQuery | undefined, compile: () => T): T {
  try {
    return compile();
  } catch (fault) {
    if (fault instanceof RangeError) throw tooDeep(fault);
    if (!(fault instanceof QueryFault)) throw fault;
    throw toServiceError(fault, sandbox?.text ?? endpoint.sql, sandbox?.language);
  }
}

/** A chain of operators is no nesting to the parser, but the stages behind it go down it. */
function tooDeep(cause: RangeError): ServiceError {
  const message = 'The query has an expression that is too long: split it up';
  return new ServiceError('resourcesExceeded', message, { cause });
}
