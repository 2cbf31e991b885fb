import type { CompileOptions, Compiler, SandboxQuery, StoredQuery } from './compile.js';
import type { CompiledQuery } from './compiled-query.js';

/**
 * Compiles a caller's query, in this thread or in another.
 * @throws ServiceError as {@link Compiler.compile} does, and `timeout`, `resourcesExceeded` or
 * `backendBusy` if compilation is limited
 */
export type CompileSandbox = (
  endpoint: StoredQuery,
  sandbox: SandboxQuery,
  options: SandboxOptions,
) => Promise<TimedQuery>;

/** How a caller's query is compiled, and for whom. */
export interface SandboxOptions extends CompileOptions {
  readonly signal: AbortSignal;
  /** Identifies the caller: waiting callers take turns. */
  readonly caller: string;
}

/** A compiled query, and how long it took. */
export interface TimedQuery {
  readonly query: CompiledQuery;
  readonly compileMs: number;
  /** How long it waited for a free worker before that. */
  readonly waitMs: number;
}

/** Compiles in this thread: for a process that serves only one caller. */
export function compileHere(compiler: Compiler): CompileSandbox {
  return async (endpoint, sandbox, options) =>
    timed(() => compiler.compile(endpoint, sandbox, options));
}

/** Compiles and measures the time. */
export function timed(compile: () => CompiledQuery): TimedQuery {
  const start = performance.now();
  const query = compile();
  return { query, compileMs: performance.now() - start, waitMs: 0 };
}
