import { LRUCache } from 'lru-cache';
import { digestOf } from '../common/digest-of.js';
import type { SourceSchema } from '../types/schema.js';
import { type Compiler, type CompilerOptions, createCompiler } from './compile.js';

/** Finds or creates the compiler over some sources. */
export type Compilers = (sources: readonly SourceSchema[]) => Compiler;

/**
 * Keeps the compilers used last, with the queries that they have compiled: no compiled query depends on which database
 * files store the records.
 */
export function createCompilers(options: CompilerOptions = {}, max = 2): Compilers {
  const compilers = new LRUCache<string, Compiler>({ max });
  return (sources) => {
    const key = JSON.stringify(sources.map(withoutFiles));
    const known = compilers.get(key);
    if (known !== undefined) return known;
    const compiler = createCompiler(sources, options);
    compilers.set(key, compiler);
    return compiler;
  };
}

function withoutFiles({ parts, columns, ...source }: SourceSchema) {
  return { ...source, columns: digestOf(columns), views: parts?.map(({ view }) => view) };
}
