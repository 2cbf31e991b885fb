import type { SourceSchema } from '../types/schema.js';
import type {
  CompileOptions,
  Compiler,
  SandboxQuery,
  StoredQuery,
  TargetOptions,
} from './compile.js';
import type { ExplainedQuery } from './explain.js';

/**
 * Compiles a stored query, or a caller's, in this process or in another.
 * @throws ServiceError as {@link Compiler.compile} does, and `timeout`, `resourcesExceeded` or
 * `backendBusy` if compilation is limited
 */
export type Compile = (
  endpoint: StoredQuery,
  sandbox: SandboxQuery | undefined,
  options: SandboxOptions,
) => Promise<TimedQuery>;

/** The options of compiling a query, and its caller. */
export interface SandboxOptions extends CompileOptions {
  readonly signal: AbortSignal;
  /** Identifies the caller: waiting callers take turns. */
  readonly caller: string;
  /** Scopes do not share remembered statements: a short compile time would reveal what others ran. */
  readonly scope?: string;
  /** Whether to return the results of the stages, too; they are never cached. */
  readonly explains?: boolean;
}

/** A compiled query, and its times in milliseconds. */
export interface TimedQuery extends Traced {
  readonly compileMs: number;
  /** The time that it waited for a free process before compiling. */
  readonly waitMs: number;
}

/** A compiled query, and the results of the stages if they were requested. */
export type Traced = Pick<ExplainedQuery, 'query'> & Partial<ExplainedQuery>;

/** One state of the logs: the schemas and stored queries that a compiler needs. */
export interface CompileData {
  /** Changes if the same query may compile differently. */
  readonly version: string;
  readonly sources: readonly SourceSchema[];
  /** Stored queries that a process compiles when it starts, so that no caller waits for them. */
  readonly endpoints: readonly StoredQuery[];
  /** Set for queries that run on an engine other than DuckDB. */
  readonly target?: TargetOptions;
}

/** A query to compile: an endpoint's own, or a caller's over the endpoint's CTEs. */
export interface QueryToCompile {
  readonly endpoint: StoredQuery;
  readonly sandbox: SandboxQuery | undefined;
  readonly options: CompileOptions & Pick<SandboxOptions, 'explains'>;
}

/** Compiles a query, with the results of the stages if requested; throws as {@link Compiler.compile} does. */
export function compileTraced(
  compiler: Compiler,
  { endpoint, sandbox, options }: QueryToCompile,
): Traced {
  if (options.explains === true) return compiler.explain(endpoint, sandbox, options);
  return { query: compiler.compile(endpoint, sandbox, options) };
}

/** Compiles in this thread: for a process that serves only one caller. */
export function compileHere(compiler: Compiler): Compile {
  return async (endpoint, sandbox, options) => {
    const start = performance.now();
    const traced = compileTraced(compiler, { endpoint, sandbox, options });
    return { ...traced, compileMs: performance.now() - start, waitMs: 0 };
  };
}

/**
 * Compiles stored queries in this thread, because they are trusted, and usually compiled already. Callers' queries
 * compile elsewhere, and so do explanations of stored queries, which are never cached.
 */
export function compileApart(compiler: Compiler, compileElsewhere: Compile): Compile {
  const compileStored = compileHere(compiler);
  return (endpoint, sandbox, options) => {
    const isQuick = sandbox === undefined && options.explains !== true;
    return (isQuick ? compileStored : compileElsewhere)(endpoint, sandbox, options);
  };
}
