import { fileURLToPath } from 'node:url';
import type { StoredQuery } from '../../src/compiler/compile.js';
import type { Compile, CompileData, SandboxOptions } from '../../src/compiler/compile-sandbox.js';
import { startCompileProcess } from '../../src/compiler/pool/compile-process.js';
import {
  type CompilePool,
  type CompilePoolOptions,
  createCompilePool,
} from '../../src/compiler/pool/pool.js';
import type { SourceSchema } from '../../src/types/schema.js';
import { webSource } from './web-source.js';

/** The program of a process that does what a text says. */
export const ownProgram = fileURLToPath(new URL('./compile-program.mjs', import.meta.url));

export const endpoint: StoredQuery = {
  name: 'web',
  sql: 'with web as (select * from `logs.web`) select id from web',
  maxRows: 10,
  parameters: [],
};

/** A state of the logs. */
export function dataOf(version: string, sources: readonly SourceSchema[]): CompileData {
  return { version, sources, endpoints: [endpoint] };
}

export const data = dataOf('1', [webSource('struct')]);
export const plain: SandboxOptions = {
  redact: false,
  signal: new AbortController().signal,
  caller: 'one',
};

const pools = new Set<CompilePool>();

/** Closes the pools of a test, for `afterEach`. */
export async function closePools(): Promise<void> {
  await Promise.all([...pools].map((pool) => pool.close()));
  pools.clear();
}

/** A pool with processes of the built program, or of another one. */
export function createFixture(
  options: Partial<CompilePoolOptions> & { readonly program?: string } = {},
) {
  const { program, ...own } = options;
  const start = (first: CompileData) => startCompileProcess(first, program);
  const limits = { timeoutMs: 20_000, maxQueuedQueries: 8, callers: 2 };
  const pool = createCompilePool({ ...limits, start, ...own });
  pools.add(pool);
  return { pool };
}

/** Has a text of SQL compiled. */
export function ask(compile: Compile, text: string, options: Partial<SandboxOptions> = {}) {
  return compile(endpoint, { language: 'sql', text }, { ...plain, ...options });
}

/** Returns the error that a promise rejects with; undefined if it does not reject. */
export async function failureOf(compiling: Promise<unknown>): Promise<unknown> {
  return compiling.then(
    () => undefined,
    (error: unknown) => error,
  );
}
