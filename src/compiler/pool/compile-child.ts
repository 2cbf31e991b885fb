import { serialize } from 'node:v8';
import { lowerPriority } from '../../common/lower-priority.js';
import { printSize } from '../../common/print-size.js';
import { ServiceError, SetupError } from '../../errors/errors.js';
import { type Compiler, createCompiler } from '../compile.js';
import { compileTraced } from '../compile-sandbox.js';
import {
  type CompileData,
  type CompileReply,
  type CompileRequest,
  keepVersion,
  type SandboxToCompile,
} from './compile-messages.js';

/** A worker caches only its last query; the server caches more. */
const maxCachedQueries = 1;

/** The maximum size of a compiled query: the server needs 10 ms per megabyte to read, hash and send it. */
const maxCompiledBytes = 1_500_000;

/**
 * Runs a compile worker: compiles callers' queries on request until the server disconnects.
 * @throws SetupError if the process was not started by the server
 */
export async function runCompileChild(): Promise<never> {
  if (process.send === undefined) {
    throw new SetupError(['compile: an internal command that only the program itself starts']);
  }
  process.once('disconnect', () => process.exit());
  // The server may have disconnected before the listener was added.
  if (!process.connected) process.exit();
  lowerPriority();
  // Ctrl-C signals child processes, too, but the server drains first and then ends them.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  const compilers = new Map<string, Compiler>();
  process.on('message', (request: CompileRequest) => process.send?.(answer(compilers, request)));
  return new Promise<never>(() => {});
}

function answer(compilers: Map<string, Compiler>, request: CompileRequest): CompileReply {
  try {
    if (request.kind === 'compile') return compile(compilers.get(request.version), request.query);
    const { version, sources, endpoints, bigQuery } = request.data;
    const compiler = createCompiler(sources, {
      max: maxCachedQueries,
      ...(bigQuery && { bigQuery }),
    });
    keepVersion(compilers, version, compiler);
    for (const endpoint of endpoints) compileAhead(compiler, endpoint);
    return { kind: 'open' };
  } catch (error) {
    return failed(error);
  }
}

function compile(compiler: Compiler | undefined, asked: SandboxToCompile): CompileReply {
  if (compiler === undefined) throw new Error('a compile worker does not have the requested data');
  const query = serialize(compileTraced(compiler, asked));
  if (query.byteLength > maxCompiledBytes) {
    const what = asked.options.explains === true ? 'has an explanation' : 'compiles to a statement';
    const message = `The query ${what} of more than ${printSize(maxCompiledBytes)}: shorten its texts, or repeat them less often`;
    throw new ServiceError('resourcesExceeded', message, {
      location: asked.sandbox?.language ?? 'explain',
    });
  }
  return { kind: 'compiled', query };
}

/** Ignores faults: new data may lack a column that a stored query reads, and its callers will get the error. */
function compileAhead(compiler: Compiler, endpoint: CompileData['endpoints'][number]): void {
  try {
    compiler.compile(endpoint);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

function failed(error: unknown): CompileReply {
  if (error instanceof ServiceError) return { kind: 'refused', faults: error.faults };
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'failed', message, stack };
}
