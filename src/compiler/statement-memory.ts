import { LRUCache } from 'lru-cache';
import { digestValue } from '../process/digest.js';
import type { Part, SourceSchema } from '../types/schema.js';
import type { StoredQuery } from './compile.js';
import type { Compile, TimedQuery } from './compile-sandbox.js';
import type { CompiledQuery } from './compiled-query.js';
import { noKnownValues } from './rewrite/fold-constants.js';

/** Remembers the statements of the texts that were compiled last, stored ones and those of callers. */
export interface StatementMemory {
  /**
   * Compiles a text over these sources only if its statement is not remembered for the caller's scope. Errors and
   * explanations are not remembered.
   */
  over(sources: readonly SourceSchema[], compile: Compile): Compile;
}

/** How many statements of each kind are remembered: those of callers evict no stored ones. The least recently used go first. */
const maxStatements = 1_000;

/** How many characters of texts and statements are remembered: some statements are megabytes. */
const maxCharacters = 16_000_000;

/** Creates an empty memory. */
export function createStatementMemory(): StatementMemory {
  const ofStored = createStatements();
  const ofCallers = createStatements();
  return {
    over(sources, compile) {
      const schemas = digestSchemas(sources);
      return async (endpoint, sandbox, options): Promise<TimedQuery> => {
        if (options.explains === true) return compile(endpoint, sandbox, options);
        const { name, sql, maxRows, allSources, reads } = endpoint;
        const { redact, known = noKnownValues, scope = '' } = options;
        const statements = sandbox === undefined ? ofStored : ofCallers;
        const asked = [name, maxRows, allSources, sandbox, redact, [...known], scope];
        const key = JSON.stringify([schemas, ...asked]);
        const found = statements.get(key);
        if (found?.sql === sql && found.reads === reads)
          return { query: found.query, compileMs: 0, waitMs: 0 };
        const compiled = await compile(endpoint, sandbox, options);
        statements.set(key, { sql, reads, query: compiled.query });
        return compiled;
      };
    },
  };
}

function createStatements(): LRUCache<string, Remembered> {
  return new LRUCache({
    max: maxStatements,
    maxSize: maxCharacters,
    sizeCalculation: ({ sql, query }, key) =>
      JSON.stringify(query).length + sql.length + key.length,
  });
}

interface Remembered {
  /** The endpoint's text. It is compared, because hashing it as part of the key takes longer than all else. */
  readonly sql: string;
  /** The same list only for the same state of the endpoint files. */
  readonly reads: StoredQuery['reads'];
  readonly query: CompiledQuery;
}

/**
 * Different for sources whose statements differ. No statement depends on which database files store the records, so
 * statements, and the compilers of them, outlive a refresh of the logs.
 */
export function digestSchemas(sources: readonly SourceSchema[]): string {
  return digestValue(sources.map(withoutFiles));
}

function withoutFiles({ parts, columns, ...source }: SourceSchema) {
  return { ...source, columns: digestValue(columns), views: parts?.map(viewOf) };
}

function viewOf({ view, columns }: Part) {
  return { view, ...(columns && { columns: digestValue(columns) }) };
}
