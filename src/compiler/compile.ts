import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors/errors.js';
import { QueryFault, toServiceError } from '../errors/query-fault.js';
import type { SourceSchema } from '../types/schema.js';

import { addSourceCtes, aliasesIn } from './add-source-ctes.js';
import type { BoundCte, BoundQuery } from './bound/bound.js';
import { isRepeatable } from './bound/search.js';
import { type BigQueryTarget, compileForBigQuery } from './compile-for-bigquery.js';
import type { CompiledQuery, OutputColumn } from './compiled-query.js';
import { type Parts, partsOf } from './duckdb-sql/passes/parts.js';
import { applyPasses } from './duckdb-sql/passes/passes.js';
import { createTrace, type ExplainedQuery, type Trace } from './explain.js';
import { lower } from './lower/lower.js';
import { parseLql } from './lql/lql.js';
import { lqlToTree } from './lql/lql-to-tree.js';
import { type StoredParameter, typesOf } from './parameter-types.js';
import { printPlan } from './print-plan.js';
import { readableTables } from './readable-tables.js';
import { nameOutput } from './resolve/name-output.js';
import { type Resolved, resolve } from './resolve/resolve.js';
import { completeOrders } from './rewrite/complete-orders.js';
import { type KnownValues, noKnownValues } from './rewrite/fold-constants.js';
import { countLiteral, rowsOf } from './rewrite/gather.js';
import { newestRowsOf } from './rewrite/newest-rows.js';
import { holdsOwnRows } from './rewrite/own-project.js';
import { rewrite } from './rewrite/rewrite.js';
import { split } from './rewrite/split.js';
import { confine } from './sandbox/sandbox.js';
import { parse } from './syntax/syntax.js';
import type { Query } from './syntax/tree.js';

/** A caller's own query over an endpoint's CTEs. */
export interface SandboxQuery {
  readonly language: 'sql' | 'lql';
  readonly text: string;
}

/** The parts of an endpoint that its queries are compiled from. */
export interface StoredQuery {
  readonly name: string;
  readonly sql: string;
  readonly maxRows: number;
  /** Whether it gets a CTE for every source and alias that it has none for. */
  readonly allSources?: boolean;
  readonly parameters: readonly StoredParameter[];
}

/** How a query is compiled. */
export interface CompileOptions {
  /** Whether personal data is redacted, both in what a caller's query reads and in every answer. */
  readonly redact: boolean;
  /** What is known of the parameters' values. Branches that they rule out are not compiled. */
  readonly known?: KnownValues;
}

/** Compiles stored queries, and callers' queries over their CTEs. */
export interface Compiler {
  /** The projects that are the only one of some source: conditions on a known one can be left out. */
  readonly projects: ReadonlySet<string>;
  /** Whether callers may send their own queries, where an endpoint allows it. */
  readonly takesQueries: boolean;
  /**
   * @throws ServiceError `invalidQuery`, `accessDenied` or `resourcesExceeded`, with line and column
   * in the text at fault; `location` is `sql` or `lql` if that is the caller's text
   */
  compile(endpoint: StoredQuery, sandbox?: SandboxQuery, options?: CompileOptions): CompiledQuery;
  /** Compiles, and keeps the result of each stage; throws as `compile` does. */
  explain(endpoint: StoredQuery, sandbox?: SandboxQuery, options?: CompileOptions): ExplainedQuery;
  /** The columns of a stored query, and those of its CTEs; throws as `compile` does. */
  describe(endpoint: StoredQuery): DescribedQuery;
  /**
   * Compiles a stored query and each of its CTEs, also those that only callers' queries read, so that
   * their faults are found before a caller meets them; throws as `compile` does.
   */
  check(endpoint: StoredQuery): void;
}

/** What can be read of a stored query. */
export interface DescribedQuery {
  readonly columns: readonly OutputColumn[];
  /** Its CTEs, which callers' queries may read. */
  readonly tables: readonly DescribedTable[];
}

/** A CTE of a stored query. */
export interface DescribedTable {
  readonly name: string;
  readonly columns: readonly OutputColumn[];
  /** The table that it is another name of. */
  readonly aliasOf?: string;
}

/** What differs between compilers. */
export interface CompilerOptions {
  /** Set for queries that run on BigQuery instead of DuckDB. */
  readonly bigQuery?: BigQueryTarget;
}

/** How many resolved stored queries are remembered; it saves a fifth of the processor time of a caller's new query. */
const maxResolved = 100;

const withoutOptions: CompileOptions = { redact: false };

/** Creates a compiler over these sources. */
export function createCompiler(
  sources: readonly SourceSchema[],
  { bigQuery }: CompilerOptions = {},
): Compiler {
  const schemas = createSchemas(sources, bigQuery);
  return {
    projects: new Set(sources.flatMap(({ onlyProject = [] }) => onlyProject)),
    takesQueries: bigQuery?.sandbox ?? true,
    compile: (endpoint, sandbox, { redact, known = noKnownValues } = withoutOptions) =>
      compileText({ endpoint, sandbox }, { redact, known }, schemas),
    explain(endpoint, sandbox, { redact, known = noKnownValues } = withoutOptions) {
      const trace = createTrace();
      const query = compileText({ endpoint, sandbox }, { redact, known, trace }, schemas);
      return { query, stages: trace.stages };
    },
    describe(endpoint) {
      return withPositions({ endpoint }, () => {
        const { query } = resolveStored({ endpoint }, {}, schemas);
        const aliases = aliasesIn(parseStored(endpoint, schemas));
        const tables = readableTables(query).tables.map((table) => {
          const aliasOf = aliases.get(table.name);
          return { ...table, ...(aliasOf !== undefined && { aliasOf }) };
        });
        return { columns: query.columns, tables };
      });
    },
    check: (endpoint) => checkCtes(endpoint, schemas),
  };
}

/** What the stages know about the stored data. */
interface Schemas {
  /** By their names in lower case. */
  readonly sources: ReadonlyMap<string, SourceSchema>;
  readonly parts: Parts;
  /** The stored queries that were resolved last: every caller's query needs its endpoint's. */
  readonly resolved: LRUCache<string, Resolved>;
  readonly bigQuery: BigQueryTarget | undefined;
}

function createSchemas(
  sources: readonly SourceSchema[],
  bigQuery: BigQueryTarget | undefined,
): Schemas {
  return {
    bigQuery,
    sources: new Map(sources.map((source) => [source.name.toLowerCase(), source])),
    parts: partsOf(sources),
    resolved: new LRUCache({ max: maxResolved }),
  };
}

/** A text to compile: the endpoint's own, or a caller's over its CTEs. */
interface CompileRequest {
  readonly endpoint: StoredQuery;
  readonly sandbox?: SandboxQuery | undefined;
}

interface StageOptions extends Required<CompileOptions> {
  /** Receives the results of the stages, none of which then comes from a cache. */
  readonly trace?: Trace | undefined;
}

/** All stages: text -> parse -> confine -> resolve -> rewrite -> split -> lower -> passes -> print. */
function compileText(
  request: CompileRequest,
  options: StageOptions,
  schemas: Schemas,
): CompiledQuery {
  return withPositions(request, () => {
    const statement =
      request.sandbox === undefined
        ? resolveStored(request, options, schemas)
        : resolveSandbox(request.sandbox, request, { ...options, schemas });
    return compileStatement(statement, options, schemas);
  });
}

/** A resolved text. */
interface Statement extends Resolved {
  readonly endpoint: StoredQuery;
  /** The CTEs of the endpoint that a caller's query may read; undefined for a stored query. */
  readonly stored?: readonly BoundCte[];
  /** Those of them that are read in place instead of gathered, because all their rows are the caller's own. */
  readonly inPlace: readonly BoundCte[];
}

/** The tree of a stored query, with the CTEs of sources and aliases. */
function parseStored(endpoint: StoredQuery, { sources }: Pick<Schemas, 'sources'>): Query {
  return addSourceCtes(parse(endpoint.sql), sources.values(), endpoint);
}

/** A stored query: parse -> resolve. */
function resolveStored(
  { endpoint }: CompileRequest,
  { trace }: Pick<StageOptions, 'trace'>,
  { sources, resolved }: Schemas,
): Statement {
  const key = JSON.stringify([endpoint.sql, endpoint.parameters, endpoint.allSources]);
  const cached = trace === undefined ? resolved.get(key) : undefined;
  if (cached !== undefined) return { ...cached, endpoint, inPlace: [] };
  const tree = parseStored(endpoint, { sources });
  trace?.parsed(tree);
  const { query, nextId } = resolve(tree, {
    sources,
    parameters: typesOf(endpoint.parameters),
    ctes: [],
  });
  const named = { query: nameOutput(query), nextId };
  trace?.resolved(named.query);
  resolved.set(key, named);
  return { ...named, endpoint, inPlace: [] };
}

/** A caller's query: parse -> confine -> resolve. */
function resolveSandbox(
  sandbox: SandboxQuery,
  { endpoint }: CompileRequest,
  { redact, known, trace, schemas }: StageOptions & { readonly schemas: Schemas },
): Statement {
  const { query: stored, nextId: firstId } = resolveStored({ endpoint }, {}, schemas);
  const { ctes } = stored;
  const parameters = typesOf(endpoint.parameters);
  const parsed = parseSandbox(sandbox, stored, trace);
  const tree = confine(parsed, { tables: ctes.map(({ name }) => name), parameters });
  trace?.confined(tree, ctes);
  const { query, nextId } = resolve(tree, { sources: undefined, parameters, ctes, firstId });
  const own = nameOutput(query);
  trace?.resolved(own);
  const inPlace = redact ? [] : ctes.filter((cte) => holdsOwnRows(cte.query, known));
  const whole = { ...own, ctes: [...ctes, ...own.ctes] };
  return { query: whole, nextId, endpoint, stored: ctes, inPlace };
}

/** A statement of either kind: rewrite, then the stages of its engine. */
function compileStatement(
  statement: Statement,
  options: StageOptions,
  { parts, bigQuery }: Schemas,
): CompiledQuery {
  const { trace, known, redact } = options;
  const query = rewrite(statement.query, known, trace?.rewritten);
  const rewritten = { ...statement, query };
  if (bigQuery === undefined) return compileForDuckDb(rewritten, options, parts);
  refuseFaults(rewritten, options, parts);
  const parameters = typesOf(statement.endpoint.parameters);
  const compiled = compileForBigQuery(rewritten, { ...bigQuery, parameters, redact });
  trace?.printed(compiled);
  return compiled;
}

/**
 * Some faults are found when calls are written for DuckDB, such as a format that does not fit its values. They are refused
 * for BigQuery, too, before anything is billed, and in the same words.
 */
function refuseFaults(statement: Statement, options: StageOptions, parts: Parts): void {
  compileForDuckDb(statement, { ...options, trace: undefined }, parts);
}

/** A rewritten statement: orders completed -> split -> lower -> passes -> print. */
function compileForDuckDb(
  { query, nextId, endpoint, stored, inPlace }: Statement,
  { redact, trace }: StageOptions,
  parts: Parts,
): CompiledQuery {
  const { maxRows, parameters } = endpoint;
  // Not for BigQuery, which has no rows of strangers in its answers, and would sort more than it must.
  const rewritten = completeOrders(query);
  if (rewritten !== query) trace?.rewritten('complete orders', rewritten);
  const ctes = { stored: idsOf(stored ?? []), inPlace: idsOf(inPlace) };
  const plan = split(limited(rewritten, maxRows + 1), {
    ...ctes,
    maxRows: maxRows + 1,
    nextId,
  });
  trace?.split(plan);
  const redactAnswer = redact && stored === undefined;
  const lowered = lower(plan, { redactSteps: redact, redactAnswer });
  trace?.lowered(lowered);
  const repeatable = isRepeatable(rewritten);
  const passOptions = { maxRows, redact, isRepeatable: repeatable, parts };
  const finished = applyPasses(lowered, passOptions, trace?.passed);
  const printed = printPlan(finished, {
    parameters: parameters.map(({ name }) => name),
    inPlace: stored && inPlace.flatMap((cte) => tablesOf(cte, parts)),
  });
  const newest = redact ? undefined : newestRowsOf(rewritten);
  const compiled = {
    ...printed,
    isRepeatable: repeatable,
    ...(newest && { newest }),
  };
  trace?.printed(compiled);
  return compiled;
}

/** A query without LIMIT has as many rows as are used: that is known before its order is written. */
function limited(query: BoundQuery, rows: number): BoundQuery {
  return { limit: countLiteral(rows), ...query };
}

/** Compiles a stored query, and each of its CTEs as a statement that may read the CTEs before it. */
function checkCtes(endpoint: StoredQuery, schemas: Schemas): void {
  const options = { redact: false, known: noKnownValues };
  withPositions({ endpoint }, () => {
    const statement = resolveStored({ endpoint }, {}, schemas);
    const { ctes } = statement.query;
    compileStatement(statement, options, schemas);
    for (const [index, cte] of ctes.entries()) {
      const alone = aloneOf(cte, ctes.slice(0, index), statement.nextId);
      compileStatement({ ...statement, ...alone }, options, schemas);
    }
  });
}

/** A CTE as a statement that may read the CTEs before it; a recursive one is read by a SELECT. */
function aloneOf(cte: BoundCte, before: readonly BoundCte[], nextId: number): Resolved {
  const { query } = cte;
  const { body, columns } = query;
  if (!('recursion' in body)) {
    return { query: { ...query, ctes: [...before, ...query.ctes] }, nextId };
  }
  const read = columns.map((column, index) => ({ ...column, id: nextId + index }));
  const stored = [...before, cte];
  return { query: rowsOf({ cte, stored }, read, { columns: read }), nextId: nextId + read.length };
}

function idsOf(ctes: readonly BoundCte[]): ReadonlySet<number> {
  return new Set(ctes.map(({ id }) => id));
}

/** The stored tables of a CTE that is read in place: its source's view, and one for each part. */
function tablesOf({ query: { body } }: BoundCte, parts: Parts): readonly string[] {
  if (body.kind !== 'select' || body.from.kind !== 'source') return [];
  const { name } = body.from.source;
  return [name, ...(parts.get(name) ?? [])].map((table) => `logs.${table}`);
}

/** SQL and LQL become the same kind of tree, so both are confined in the same way. */
function parseSandbox({ language, text }: SandboxQuery, stored: BoundQuery, trace?: Trace): Query {
  if (language === 'sql') {
    const tree = parse(text);
    trace?.parsed(tree);
    return tree;
  }
  const lql = parseLql(text);
  trace?.lql(lql);
  const tree = lqlToTree(lql, readableTables(stored));
  trace?.parsed(tree);
  return tree;
}

/** Translates faults of a text to errors with line and column. */
function withPositions<T>({ endpoint, sandbox }: CompileRequest, compile: () => T): T {
  try {
    return compile();
  } catch (fault) {
    if (fault instanceof RangeError) throw tooDeep(fault);
    if (!(fault instanceof QueryFault)) throw fault;
    throw toServiceError(fault, sandbox?.text ?? endpoint.sql, sandbox?.language);
  }
}

/** A stack overflow: the parser does not count a chain of operators as nesting, but later stages recurse into it. */
function tooDeep(cause: RangeError): ServiceError {
  const message = 'The query has an expression that is too long: split it up';
  return new ServiceError('resourcesExceeded', message, { cause });
}
