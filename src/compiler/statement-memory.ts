import { LRUCache } from 'lru-cache';
import { digestValue } from '../process/digest.js';
import type { Part, SourceSchema } from '../types/schema.js';
import type { StoredQuery } from './compile.js';
import type { Compile, TimedQuery } from './compile-sandbox.js';
import type { CompiledQuery } from './compiled-query.js';
import { noKnownValues } from './rewrite/fold-constants.js';

/** Remembers the statements of queries that were compiled recently, both stored queries and callers' queries. */
export type StatementMemory = ReturnType<typeof createStatementMemory>;

/** The maximum number of statements of each kind: callers' statements do not evict stored ones. */
const maxStatements = 1_000;

/** The maximum number of characters of queries and statements: some statements are megabytes. */
const maxCharacters = 16_000_000;

/** Creates an empty memory. */
export function createStatementMemory() {
  const ofStored = createStatements();
  const ofCallers = createStatements();
  return {
    /**
     * Compiles a query over these sources only if its statement is not remembered for the caller's scope. Errors and
     * explanations are not remembered.
     */
    over(sources: readonly SourceSchema[], compile: Compile): Compile {
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
  /**
   * The endpoint's SQL. It is compared, because hashing it as part of the key would take longer than everything else.
   */
  readonly sql: string;
  /** Compared by identity: a new state of the endpoint files has another list. */
  readonly reads: StoredQuery['reads'];
  readonly query: CompiledQuery;
}

/**
 * Returns a digest that differs for sources whose statements differ. No statement depends on which database files store
 * the records, so statements and compilers outlive a refresh of the logs.
 */
export function digestSchemas(sources: readonly SourceSchema[]): string {
  return digestValue(sources.map(withoutFiles));
}

function withoutFiles({ parts, columns, ...source }: SourceSchema) {
  return { ...source, columns: digestValue(columns), views: parts?.map(viewKey) };
}

function viewKey({ view, columns }: Part) {
  return { view, ...(columns && { columns: digestValue(columns) }) };
}
