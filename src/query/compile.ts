import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors.js';
import { lqlToTree } from '../lql/lql-to-tree.js';
import { parseLql } from '../lql/parse-lql.js';
import { QueryFault, toServiceError } from '../query-fault.js';
import type { SourceSchema, Type } from '../source/schema.js';
import type { BoundCte, BoundQuery, Column } from './bound.js';
import type { CompiledQuery } from './compiled-query.js';
import { confine } from './confine.js';
import { encodeRows } from './encode.js';
import { explain } from './explain.js';
import { type Known, nothing } from './known.js';
import { type Parts, partsOf, spreadParts } from './lower-parts.js';
import { lower } from './lower-query.js';
import { nameOutput } from './name-output.js';
import { parse } from './parse.js';
import { print } from './print.js';
import { readableTables } from './readable-tables.js';
import { readsOf } from './reads-of.js';
import { type Readable, resolve } from './resolve.js';
import type { Query } from './tree.js';
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

/** How a query is compiled. */
export interface CompileOptions {
  /** Whether personal data is taken out, of what a caller's query reads and of every answer. */
  readonly redact: boolean;
  /** What is known of the parameters: without what cannot be taken then, the engine has less to plan. */
  readonly known?: Known;
}

const plainly: CompileOptions = { redact: false };

/** Compiles stored queries, and callers' own over their CTEs. */
export interface Compiler {
  /**
   * @throws ServiceError `invalidQuery`, `accessDenied` or `resourcesExceeded`, with line and column
   * of the text that is wrong; `location` is `sql` or `lql` where that text is the caller's
   */
  compile(endpoint: StoredQuery, sandbox?: SandboxQuery, options?: CompileOptions): CompiledQuery;
  /** What each stage makes of a query, as text; throws as `compile` does. */
  explain(endpoint: StoredQuery, sandbox?: SandboxQuery, options?: CompileOptions): string;
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

/** Most characters of their texts and statements: some statements are megabytes. */
const keptCharacters = 16_000_000;

/** A compiler over these sources; it keeps the last `max` queries that it has compiled, by text. */
export function createCompiler(sources: readonly SourceSchema[], max = keptQueries): Compiler {
  const kept = new LRUCache<string, CompiledQuery>({
    max,
    maxSize: keptCharacters,
    sizeCalculation: ({ sql }, key) => sql.length + key.length,
  });
  const bind = createBind(new Map(sources.map((source) => [source.name, source])));
  const parts = partsOf(sources);
  return {
    compile(endpoint, sandbox, { redact, known = nothing } = plainly) {
      const { name, sql, maxRows } = endpoint;
      const key = JSON.stringify([name, sql, maxRows, sandbox, redact, [...known]]);
      const before = kept.get(key);
      if (before !== undefined) return before;
      const query = worded(endpoint, sandbox, () =>
        compileQuery(bind(endpoint, sandbox), endpoint, { redact, known, parts }),
      );
      kept.set(key, query);
      return query;
    },
    explain(endpoint, sandbox, { redact, known = nothing } = plainly) {
      return worded(endpoint, sandbox, () => {
        const parsed = bind(endpoint, sandbox);
        const compiled = compileQuery(parsed, endpoint, { redact, known, parts });
        return explain({ ...parsed, compiled });
      });
    },
  };
}

/** A text's tree, and what it means. */
interface Parsed {
  readonly tree: Query;
  readonly bound: BoundQuery;
  /** Of a caller's query, the endpoint's CTEs, which stand behind fences. */
  readonly tables: readonly BoundCte[];
}

type Bind = (endpoint: StoredQuery, sandbox: SandboxQuery | undefined) => Parsed;

/** parse -> confine -> resolve; stored queries are kept, since every caller's own reads their CTEs. */
function createBind(sources: Readable['sources']): Bind {
  const kept = new LRUCache<string, Parsed>({ max: keptQueries });
  return (endpoint, sandbox) => {
    const parameters = new Map(
      endpoint.parameters.map(({ name, type }) => [name, parameterTypes[type]]),
    );
    const key = JSON.stringify([endpoint.sql, endpoint.parameters]);
    const stored = kept.get(key) ?? bindStored(endpoint.sql, { sources, parameters, ctes: [] });
    kept.set(key, stored);
    if (sandbox === undefined) return stored;
    const ctes = stored.bound.ctes.map((cte) => ({ ...cte, isFenced: true }));
    const allowed = { tables: ctes.map(({ name }) => name), parameters };
    const tree = confine(parseSandbox(sandbox, stored.bound), allowed);
    const own = nameOutput(resolve(tree, { sources: undefined, parameters, ctes }));
    const bound = { ...own, ctes: [...stored.bound.ctes, ...own.ctes] };
    return { tree, tables: ctes, bound };
  };
}

/** Both languages become one kind of tree, which goes on through one gate. */
function parseSandbox({ language, text }: SandboxQuery, stored: BoundQuery): Query {
  return language === 'sql' ? parse(text) : lqlToTree(parseLql(text), readableTables(stored));
}

/** How a CTE is lowered to see that it can be. */
const unread = { maxRows: undefined, redact: false };

/** A stored query's meaning; its CTEs are lowered once, so that no caller meets their faults first. */
function bindStored(text: string, readable: Readable): Parsed {
  const tree = parse(text);
  const bound = nameOutput(resolve(tree, readable));
  for (const [place, { query }] of bound.ctes.entries()) {
    lower({ ...query, ctes: [...bound.ctes.slice(0, place), ...query.ctes] }, unread);
  }
  return { tree, tables: [], bound };
}

/** lower -> print. */
function compileQuery(
  { bound, tables }: Parsed,
  { maxRows, parameters }: StoredQuery,
  { redact, known, parts }: Required<CompileOptions> & { readonly parts: Parts },
): CompiledQuery {
  const own = lower(bound, { maxRows: maxRows + 1, redact, known });
  const statement = spreadParts(encodeRows(own, bound.columns, { maxRows, redact }), parts);
  const reads = readsOf(statement);
  return {
    sql: print(statement),
    tables: [...reads.tables].sort(),
    isFenced: tables.length > 0,
    parameters: parameters
      .map(({ name }) => name)
      .filter((name) => reads.parameters.has(`p_${name}`)),
    readsClock: reads.parameters.has('now'),
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
