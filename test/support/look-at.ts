import {
  type Compiler,
  createCompiler,
  type SandboxQuery,
  type StoredQuery,
} from '../../src/compiler/compile.js';
import type { CompiledQuery, CompiledText } from '../../src/compiler/compiled-query.js';
import { createMacros } from '../../src/engine/duckdb/macro-file.js';
import { createVerifyStatement } from '../../src/engine/verify/verify.js';
import { ServiceError } from '../../src/errors/errors.js';
import type { SourceSchema } from '../../src/types/schema.js';
import { macros } from './macros.js';
import { openScratch } from './scratch-database.js';

/** A second look with the macros of `sql/bigquery`, over an engine without tables. */
export async function openLook() {
  const { connection, close } = await openScratch();
  const look = createVerifyStatement(await createMacros(connection, macros));
  return {
    /** @throws Error `Refused statement: …` */
    look: async (query: CompiledQuery) => {
      for (const text of [...query.steps, query]) {
        await look(connection, { ...text, values: boundTo(text) });
      }
    },
    close,
  };
}

/** The names that `bindStatement` gives values to. */
function boundTo({ parameters, readsClock }: CompiledText): Readonly<Record<string, null>> {
  const names = [...parameters.map((name) => `p_${name}`), ...(readsClock ? ['now'] : [])];
  return Object.fromEntries(names.map((name) => [name, null]));
}

/** Compiles queries of callers over an endpoint; undefined where the compiler refuses one. */
export function callerOf(sources: readonly SourceSchema[], stored: StoredQuery) {
  const compiler = createCompiler(sources);
  return (text: string, redact: boolean, language: SandboxQuery['language'] = 'sql') =>
    unlessRefused(compiler, [stored, { language, text }, { redact }]);
}

/** What a query compiles to; undefined where the compiler refuses it, whose other faults stay errors. */
export function unlessRefused(
  compiler: Compiler,
  args: Parameters<Compiler['compile']>,
): CompiledQuery | undefined {
  try {
    return compiler.compile(...args);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
