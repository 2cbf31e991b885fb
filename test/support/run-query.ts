import {
  type Compiler,
  createCompiler,
  type SandboxQuery,
  type StoredQuery,
} from '../../src/compiler/compile.js';
import { bindStatement } from '../../src/endpoint/bind-statement.js';
import type { Bindings } from '../../src/endpoint/endpoint.js';
import type { ExplainingEngine, Statement } from '../../src/engine/engine.js';
import type { SourceSchema } from '../../src/types/schema.js';
import { openWebEngine, openWebParts, webSource } from './web-source.js';

/** The instant at which queries run. */
export const now = '2026-03-10T12:00:00.000000+00:00';

/** The options for compiling and running a query. */
export interface RunOptions {
  /** A caller's query in SQL over the CTEs of the stored query. */
  readonly caller?: string;
  readonly parameters?: StoredQuery['parameters'];
  readonly bindings?: Bindings;
  readonly redact?: boolean;
  /** 1,000 by default. */
  readonly maxRows?: number;
  /** Set where a failure may quote values, as it may for a caller's query. */
  readonly mayQuoteValues?: boolean;
}

/** A row, decoded. */
export type Row = Readonly<Record<string, unknown>>;

/** Compiles queries in BigQuery SQL and runs them on an engine. */
export interface QueryRunner {
  readonly compiler: Compiler;
  readonly engine: ExplainingEngine;
  /** Compiles a stored query and binds its values. */
  prepare(sql: string, options?: RunOptions): Statement;
  /** Runs a query and returns its rows as the JSON text that the engine wrote. */
  runText(sql: string, options?: RunOptions): Promise<string>;
  /** Runs a query and decodes its rows. */
  run(sql: string, options?: RunOptions): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** A runner over a compiler and an engine of the same sources. */
export function createQueryRunner(compiler: Compiler, engine: ExplainingEngine): QueryRunner {
  const prepare: QueryRunner['prepare'] = (sql, options = {}) => {
    const { caller, parameters = [], bindings = {}, redact = false, maxRows = 1_000 } = options;
    const sandbox = caller === undefined ? undefined : toSandboxQuery(caller);
    const query = compiler.compile({ name: 'web', sql, maxRows, parameters }, sandbox, { redact });
    const statement = bindStatement(query, bindings, { maxRows, now, redact });
    return options.mayQuoteValues === true ? { ...statement, readsOwnRows: true } : statement;
  };
  const runText: QueryRunner['runText'] = async (sql, options) => {
    const { signal } = new AbortController();
    const { body: json } = await engine.run(prepare(sql, options), { signal });
    return Buffer.from(json).toString();
  };
  const run: QueryRunner['run'] = async (sql, options) => JSON.parse(await runText(sql, options));
  return { compiler, engine, prepare, runText, run, close: () => engine.close() };
}

function toSandboxQuery(text: string): SandboxQuery {
  return { language: 'sql', text };
}

/** The source that a runner reads. */
interface SourceOptions {
  /** The layout of the records of the source `web`: `struct` by default. */
  readonly layout?: 'struct' | 'list';
  /** Another source `web`. */
  readonly source?: SourceSchema;
  /** A query in DuckDB's SQL for the rows of the source. */
  readonly rows?: string;
  readonly threads?: number;
}

/** Opens an engine over the source `web` of `web-source.ts` in a database of its own. */
export async function openQueryRunner(options: SourceOptions = {}): Promise<QueryRunner> {
  const { layout = 'struct', source = webSource(layout), rows, threads } = options;
  const limits = { sources: [source], ...(threads === undefined ? {} : { threads }) };
  const engine = await openWebEngine(layout, limits, rows);
  return createQueryRunner(createCompiler([source]), engine);
}

/** Opens an engine over the same rows in three parts. */
export async function openQueryRunnerOverParts(
  ...how: Parameters<typeof openWebParts>
): Promise<QueryRunner> {
  const { engine, source } = await openWebParts(...how);
  return createQueryRunner(createCompiler([source]), engine);
}
