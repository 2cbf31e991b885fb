import { serialize } from 'node:v8';
import { ServiceError } from '../../errors/errors.js';
import { printSize } from '../../process/print-size.js';
import { performTasks } from '../../process/task-child.js';
import {
  type Compiler,
  type CompilerTarget,
  createCompiler,
  type StoredQuery,
  type TargetOptions,
} from '../compile.js';
import { type CompileData, compileTraced, type QueryToCompile } from '../compile-sandbox.js';

/** Opens the target that the main process has opened with these options. */
type OpenTarget = (options: TargetOptions) => Promise<CompilerTarget>;

/** The tasks of a compile process. */
export type CompileTasks = ReturnType<typeof createTasks>;

/** The maximum size of a compiled query: the server needs 10 ms per megabyte to read, hash and send it. */
const maxCompiledBytes = 1_500_000;

/**
 * The main function of a compile process: compiles callers' queries.
 * @throws SetupError if the process has no parent to talk to
 */
export function runCompileChild(openTarget: OpenTarget): Promise<never> {
  return performTasks(createTasks(openTarget));
}

function createTasks(openTarget: OpenTarget) {
  let compiler: Compiler | undefined;
  return {
    /** Uses this data for all later queries. */
    async open({ sources, endpoints, target }: CompileData): Promise<void> {
      const opened = createCompiler(sources, target && { target: await openTarget(target) });
      for (const endpoint of endpoints) compileAhead(opened, endpoint);
      compiler = opened;
    },
    /** Returns a {@link Traced} query, serialized by `node:v8`, so that its size is known before it is read. */
    compile(query: QueryToCompile): Uint8Array {
      if (compiler === undefined) throw new Error('a compile process has no data');
      return serializeCompiled(compiler, query);
    },
  };
}

/** @throws ServiceError if the compiled query is too large */
function serializeCompiled(compiler: Compiler, query: QueryToCompile): Uint8Array {
  const bytes = serialize(compileTraced(compiler, query));
  if (bytes.byteLength <= maxCompiledBytes) return bytes;
  // A string may be serialized with two bytes for each character, one of which is zero.
  const size = bytes.reduce((sum, byte) => (byte === 0 ? sum : sum + 1), 0);
  if (size <= maxCompiledBytes) return bytes;
  const what = query.options.explains === true ? 'has an explanation' : 'compiles to a statement';
  const message = `The query ${what} of more than ${printSize(maxCompiledBytes)}: shorten its texts, or repeat them less often`;
  const location = query.sandbox?.language ?? 'explain';
  throw new ServiceError('resourcesExceeded', message, { location });
}

/**
 * Compiles a stored query, ignoring errors: new data may lack a column that it reads, and its callers get the error.
 */
function compileAhead(compiler: Compiler, endpoint: StoredQuery): void {
  try {
    compiler.compile(endpoint);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}
