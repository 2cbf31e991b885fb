import {
  type Compiler,
  createCompiler,
  type SandboxQuery,
  type StoredQuery,
} from '../../src/compiler/compile.js';
import type { CompiledQuery, CompiledText } from '../../src/compiler/compiled-query.js';
import { attachMacros } from '../../src/engine/duckdb/macro-file.js';
import { openVerifier } from '../../src/engine/verify/verify.js';
import { ServiceError } from '../../src/errors/errors.js';
import type { SourceSchema } from '../../src/types/schema.js';
import { macros } from './macros.js';
import { openScratch } from './scratch-database.js';

/** Statement verification with the macros of `sql/bigquery`, over an engine without tables. */
export async function openQueryVerifier() {
  const { connection, close } = await openScratch();
  const { verify } = await openVerifier(connection, await attachMacros(connection, macros));
  return {
    /** @throws Error `Refused statement: …` */
    verify: async (query: CompiledQuery) => {
      for (const text of [...query.steps, query]) {
        await verify({ ...text, values: boundTo(text) });
      }
    },
    close,
  };
}

/** The names to which `bindStatement` binds values. */
function boundTo({ parameters, readsClock }: CompiledText): Readonly<Record<string, null>> {
  const names = [...parameters.map((name) => `p_${name}`), ...(readsClock ? ['now'] : [])];
  return Object.fromEntries(names.map((name) => [name, null]));
}

/** Compiles callers' queries over an endpoint; undefined if the compiler refuses one. */
export function callerOf(sources: readonly SourceSchema[], stored: StoredQuery) {
  const compiler = createCompiler(sources);
  return (text: string, redact: boolean, language: SandboxQuery['language'] = 'sql') =>
    unlessRefused(compiler, [stored, { language, text }, { redact }]);
}

/** Compiles a query; undefined if the compiler refuses it. Other errors are thrown. */
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
