import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors/errors.js';
import { QueryFault, toServiceError } from '../errors/query-fault.js';
import type { SourceSchema } from '../types/schema.js';
import { scalar, type Type } from '../types/type.js';
import type { BoundCte, BoundQuery, Column } from './bound/bound.js';
import type { CompiledQuery, CompiledText } from './compiled-query.js';
import { type DuckQuery, temporarySchema } from './duckdb-sql/duckdb-sql.js';
import { encodeRows } from './duckdb-sql/passes/encode.js';
import { letArguments } from './duckdb-sql/passes/let-arguments.js';
import { type Parts, partsOf, spreadParts } from './duckdb-sql/passes/parts.js';
import { print } from './duckdb-sql/print.js';
import { readsOf } from './duckdb-sql/reads-of.js';
import { explain } from './explain.js';
import { lower } from './lower/lower.js';
import { split } from './lower/split.js';
import type { TableStep } from './lower/table-step.js';
import { parseLql } from './lql/lql.js';
import { lqlToTree } from './lql/lql-to-tree.js';
import { readableTables } from './readable-tables.js';
import { nameOutput } from './resolve/name-output.js';
import { type Readable, resolve } from './resolve/resolve.js';
import { type Known, nothing } from './rewrite/fold-constants.js';
import { holdsOwnRows } from './rewrite/own-rows.js';
import { confine } from './sandbox/sandbox.js';
import { parse } from './syntax/syntax.js';
import type { Query } from './syntax/tree.js';

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
  /** Whether personal data is redacted, both in what a caller's query reads and in every answer. */
  readonly redact: boolean;
  /** What is known of the parameters: without what cannot be taken then, the engine has less to plan. */
  readonly known?: Known;
  /** Callers of different scopes share no compiled query: the time it takes tells who compiled it before. */
  readonly scope?: string;
}

const plainly: CompileOptions = { redact: false };

/** Compiles stored queries, and callers' own over their CTEs. */
export interface Compiler {
  /** The projects that are the only one of some source: of a parameter that is one, the value counts. */
  readonly projects: ReadonlySet<string>;
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
  const parts = partsOf(sources);
  const bind = createBind(new Map(sources.map((source) => [source.name, source])), parts);
  return {
    projects: new Set(sources.flatMap(({ onlyProject = [] }) => onlyProject)),
    compile(endpoint, sandbox, { redact, known = nothing, scope = '' } = plainly) {
      const { name, sql, maxRows } = endpoint;
      const key = JSON.stringify([name, sql, maxRows, sandbox, redact, [...known], scope]);
      const before = kept.get(key);
      if (before !== undefined) return before;
      const query = worded(endpoint, sandbox, () =>
        compileQuery(bind(endpoint, sandbox, { redact, known }), endpoint, {
          redact,
          known,
          parts,
        }),
      );
      kept.set(key, query);
      return query;
    },
    explain(endpoint, sandbox, { redact, known = nothing } = plainly) {
      return worded(endpoint, sandbox, () => {
        const parsed = bind(endpoint, sandbox, { redact, known });
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
  /** Of a caller's query, the endpoint's CTEs. */
  readonly tables: readonly BoundCte[];
  /** The tables behind those CTEs that need no gather. */
  readonly open: readonly string[];
  /** The first column id that `bound` does not use. */
  readonly nextColumnId: number;
}

type Bind = (
  endpoint: StoredQuery,
  sandbox: SandboxQuery | undefined,
  options: Required<Omit<CompileOptions, 'scope'>>,
) => Parsed;

/** parse -> confine -> resolve; stored queries are kept, since every caller's own reads their CTEs. */
function createBind(sources: Readable['sources'], parts: Parts): Bind {
  const kept = new LRUCache<string, Parsed>({ max: keptQueries });
  return (endpoint, sandbox, { redact, known }) => {
    const parameters = new Map(
      endpoint.parameters.map(({ name, type }) => [name, parameterTypes[type]]),
    );
    const key = JSON.stringify([endpoint.sql, endpoint.parameters]);
    const stored = kept.get(key) ?? bindStored(endpoint.sql, { sources, parameters, ctes: [] });
    kept.set(key, stored);
    if (sandbox === undefined) return stored;
    const ctes = stored.bound.ctes.map((cte): BoundCte => {
      const isOwn = !redact && holdsOwnRows(cte.query, known);
      return isOwn ? cte : { ...cte, isGathered: true };
    });
    const allowed = { tables: ctes.map(({ name }) => name), parameters };
    const tree = confine(parseSandbox(sandbox, stored.bound), allowed);
    const { nextColumnId: firstColumnId } = stored;
    const readable = { sources: undefined, parameters, ctes, firstColumnId };
    const { query, nextColumnId } = resolve(tree, readable);
    const own = nameOutput(query);
    const inPlace = ctes.filter(({ isGathered }) => !isGathered);
    const bound = { ...own, ctes: [...inPlace, ...own.ctes] };
    const open = inPlace.flatMap(tablesOf(parts));
    return { tree, tables: stored.bound.ctes, open, bound, nextColumnId };
  };
}

/** The tables of a CTE that is read in place: its source's, whole and in parts. */
function tablesOf(parts: Parts) {
  return ({ query: { body } }: BoundCte): readonly string[] => {
    if (body.kind !== 'select' || body.from.kind !== 'source') return [];
    const { name } = body.from.source;
    return [name, ...(parts.get(name) ?? [])].map((table) => `logs.${table}`);
  };
}

/** Both languages become one kind of tree, which goes on through one gate. */
function parseSandbox({ language, text }: SandboxQuery, stored: BoundQuery): Query {
  return language === 'sql' ? parse(text) : lqlToTree(parseLql(text), readableTables(stored));
}

/** How a CTE is lowered to see that it can be. */
const unread = { maxRows: undefined };

/** A stored query's meaning; its CTEs are lowered once, so that no caller meets their faults first. */
function bindStored(text: string, readable: Readable): Parsed {
  const tree = parse(text);
  const { query, nextColumnId } = resolve(tree, readable);
  const bound = nameOutput(query);
  for (const [place, { query }] of bound.ctes.entries()) {
    lower({ ...query, ctes: [...bound.ctes.slice(0, place), ...query.ctes] }, unread);
  }
  return { tree, tables: [], open: [], bound, nextColumnId };
}

/** split, lower -> passes -> print. */
function compileQuery(
  { bound, tables, open }: Parsed,
  { maxRows, parameters }: StoredQuery,
  { redact, known, parts }: Required<Omit<CompileOptions, 'scope'>> & { readonly parts: Parts },
): CompiledQuery {
  const options = { maxRows: maxRows + 1, redact, known, parts, stored: tables };
  const isStored = tables.length === 0;
  const { steps, answer } = isStored
    ? { steps: [], answer: lower(bound, options) }
    : split(bound, options);
  const encoded = encodeRows(answer, bound.columns, { maxRows, redact });
  const names = parameters.map(({ name }) => name);
  const statement = printText(spreadParts(encoded, parts), names);
  return {
    ...(isStored ? statement : confined(statement, [...stepTables(steps), ...open])),
    steps: steps.map(({ table, query, isGather }, place) => {
      const step = printText(isGather ? spreadParts(query, parts) : query, names);
      const before = stepTables(steps.slice(0, place));
      const own = isGather ? step : confined(step, [...before, ...open]);
      return { ...own, table, isGather };
    }),
    readsOwnRows: !isStored,
    columns: bound.columns.map(({ name, type }: Column) => ({ name, type })),
  };
}

function stepTables(steps: readonly TableStep[]): readonly string[] {
  return steps.map(({ table }) => `${temporarySchema}.${table}`);
}

/**
 * The caller's own text with the tables that it may read. They follow from the endpoint and the
 * steps alone, so that the engine's verification does not rest on what became of the text.
 */
function confined(text: CompiledText, allowed: readonly string[]): CompiledText {
  return { ...text, tables: [...allowed].sort() };
}

function printText(statement: DuckQuery, parameters: readonly string[]): CompiledText {
  const reads = readsOf(statement);
  return {
    sql: print(letArguments(statement)),
    tables: [...reads.tables].sort(),
    parameters: parameters.filter((name) => reads.parameters.has(`p_${name}`)),
    readsClock: reads.parameters.has('now'),
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
